import { act, fireEvent, screen } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest'
import { later } from '../src/load-later.ts'
import { mount } from '../src/main.tsx'
import { openPlace } from '../src/place.ts'
import { createPayerApi, type PayerApi } from './payer-api.ts'
import { SECRET, SESSION_ID, START_MS } from './wire.ts'

export interface OpenPage {
  readonly close: () => void
}

/** The whole page with a fake clock, against an API on the wire. */
export function usePage(): PayerApi {
  const api = createPayerApi()
  beforeAll(async () => {
    api.server.listen({ onUnhandledFrame: 'error' })
    // jsdom has no layout and lacks this method.
    Object.assign(Element.prototype, { scrollIntoView: () => undefined })
    // Loads the second script as a payer's browser does during the first screen.
    await later.load()
  })
  afterAll(() => api.server.close())
  beforeEach(() => {
    vi.useFakeTimers({
      now: START_MS,
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    })
    // Delays vary by 20 %, so that a step counted in seconds would fall into another one now and then.
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    // A phone in Cameroon.
    vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(-60)
    vi.stubGlobal('fetch', countingFetch(globalThis.fetch))
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  })
  afterEach(() => {
    for (const page of opened.splice(0)) page.close()
    vi.useRealTimers()
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
    api.reset()
    sessionStorage.clear()
    localStorage.clear()
  })
  return api
}

const opened: OpenPage[] = []

/** Opens the payer's link; `fragment` is its secret. */
export async function openPage({ fragment = SECRET, language = 'en' } = {}): Promise<OpenPage> {
  history.replaceState(null, '', `/c/${SESSION_ID}${fragment === '' ? '' : `#${fragment}`}`)
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue([language])
  document.body.innerHTML = '<div id="root"></div>'
  const place = openPlace()
  let close: (() => void) | undefined
  await act(async () => {
    close = mount(place, place.readSession())
  })
  await settle()
  const page = { close: () => act(() => close?.()) }
  opened.push(page)
  return page
}

let inFlight = 0

/** Counts the requests under way. */
function countingFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (...request) => {
    inFlight += 1
    try {
      return await fetch(...request)
    } finally {
      inFlight -= 1
    }
  }
}

/** Turns for an answer's body to be read and the next request to be sent. */
const TURNS = 6

/** Waits until all answers have arrived. They cross a real queue, which the fake clock does not drive. */
export const settle = (): Promise<void> =>
  act(async () => {
    for (let quiet = 0; quiet < TURNS; quiet += 1) {
      await new Promise<void>((done) => setImmediate(done))
      if (inFlight > 0) quiet = 0
    }
  })

/** Advances the clock in steps, and lets answers arrive after each. */
export async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await act(() => vi.advanceTimersByTimeAsync(1_000))
    await settle()
  }
}

export async function press(name: string): Promise<void> {
  fireEvent.click(button(name))
  await settle()
}

export const button = (name: string): HTMLElement =>
  screen.getByRole('button', { name: (text) => plain(text) === name })

/** ICU versions differ in their non-breaking spaces. */
export const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ')

export function write(number: string): void {
  fireEvent.change(screen.getByRole('textbox'), { target: { value: number } })
}

export const heading = (): string => screen.getByRole('heading', { level: 1 }).textContent ?? ''
export const status = (): string => screen.getByRole('status').textContent ?? ''
export const pageText = (): string => plain(document.body.textContent ?? '')
