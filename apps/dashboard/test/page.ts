import { act, configure, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest'
import { openDashboard } from '../src/dashboard.tsx'
import { createStaffApi, type StaffApi } from './staff-api.ts'

// As for the polls of the other tests: the default of a second is too short for a busy machine.
configure({ asyncUtilTimeout: 30_000 })

const opened: (() => void)[] = []

/** The whole dashboard, against an API on the wire. */
export function useDashboard(): StaffApi {
  const api = createStaffApi()
  beforeAll(() => api.server.listen({ onUnhandledFrame: 'error' }))
  afterAll(() => api.server.close())
  beforeEach(() => {
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
    vi.stubGlobal('scrollTo', () => undefined)
    const { fetch } = globalThis
    vi.stubGlobal('fetch', (path: string, init: RequestInit) => fetch(new URL(path, location.href), init))
    // jsdom has no layout, so no size changes.
    vi.stubGlobal(
      'ResizeObserver',
      class {
        observe = () => undefined
        disconnect = () => undefined
      },
    )
    // The library of the charts asks for the density of the screen when it is loaded.
    vi.stubGlobal('matchMedia', () => new EventTarget())
    // Methods of a dialog that jsdom lacks.
    Object.assign(HTMLDialogElement.prototype, {
      showModal(this: HTMLDialogElement) {
        this.open = true
      },
      close(this: HTMLDialogElement) {
        this.open = false
        this.dispatchEvent(new Event('close'))
      },
    })
  })
  afterEach(() => {
    for (const close of opened.splice(0)) act(close)
    vi.unstubAllGlobals()
    sessionStorage.clear()
    api.reset()
  })
  return api
}

export async function openAt(path: string): Promise<void> {
  history.replaceState(null, '', `/dash${path}`)
  document.body.innerHTML = '<div id="root"></div>'
  await act(async () => {
    opened.push(openDashboard(document.getElementById('root') ?? document.body))
  })
}

export const heading = async (text: string | RegExp): Promise<HTMLElement> =>
  screen.findByRole('heading', { level: 1, name: text })

export async function press(name: string): Promise<void> {
  const button = await screen.findByRole('button', { name })
  await act(async () => void fireEvent.click(button))
}

/** Submits the form of the open dialog. */
export async function submit(): Promise<void> {
  const form = document.querySelector('dialog[open] form')
  await act(async () => void (form && fireEvent.submit(form)))
}

export async function write(label: RegExp | string, text: string): Promise<void> {
  const field = await screen.findByLabelText(label)
  await act(async () => void fireEvent.change(field, { target: { value: text } }))
}

export const comes = (text: string | RegExp): Promise<HTMLElement> => screen.findByText(text)
export const isSo = (check: () => void): Promise<void> => waitFor(check)
