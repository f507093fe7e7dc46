// @vitest-environment jsdom
import { readFileSync } from 'node:fs'
import { createElement, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, onTestFinished, test } from 'vitest'
import { allowInsecureBaseUrl, createPayerClient, type PayerClient } from '../src/index.ts'
import { usePayment } from './examples/use-payment.ts'
import { fastClock, startServer } from './http-server.ts'
import { createService, INTENT_SECRET, PUBLISHABLE_KEY, type RailPlan } from './service.ts'

const ORDER = { rail: 'mtn_momo_cm', msisdn: '6 70 00 00 01' }

type Shown = ReturnType<typeof usePayment>

/** Renders a component that uses the hook. StrictMode mounts it twice, as development does. */
function mount(client: PayerClient): { shown: () => Shown | undefined; unmount: () => void } {
  let last: Shown | undefined
  const Component = () => {
    last = usePayment(client)
    return null
  }
  const { document } = globalThis as unknown as { document: { createElement(name: string): never } }
  const root = createRoot(document.createElement('div'))
  root.render(createElement(StrictMode, null, createElement(Component)))
  onTestFinished(() => root.unmount())
  return { shown: () => last, unmount: () => root.unmount() }
}

async function start(...plans: RailPlan[]) {
  const service = createService(fastClock, plans)
  const { baseUrl } = await startServer(service)
  const client = () =>
    createPayerClient({
      baseUrl,
      clientSecret: INTENT_SECRET,
      publishableKey: PUBLISHABLE_KEY,
      clock: fastClock,
      [allowInsecureBaseUrl]: true,
    })
  return { service, client }
}

const outcome = ({ result }: Shown = {} as Shown) => (result ? result.outcome : result)

test('the hook of the README is the file tested here', () => {
  const [readme, source] = ['../README.md', './examples/use-payment.ts'].map((file) =>
    readFileSync(new URL(file, import.meta.url), 'utf8'),
  )
  expect(readme).toContain(`\`\`\`ts\n${source}\`\`\``)
})

test('the hook pays, and follows a payment that an earlier page began', async () => {
  const { service, client } = await start({ submit: 'accepted', settleMs: 8_000 })
  const first = mount(client())
  await expect.poll(() => outcome(first.shown())).toBe(null)
  void first.shown()?.pay(ORDER)
  await expect.poll(() => first.shown()?.progress?.phase).toBe('waiting')
  expect(outcome(first.shown())).toBe(undefined)
  first.unmount()
  const second = mount(client())
  await expect.poll(() => outcome(second.shown())).toBe('succeeded')
  expect(service.charges).toHaveLength(1)
})

test('the hook lets the payer try again after an invalid number', async () => {
  const { client } = await start({ submit: 'declined' })
  const { shown } = mount(client())
  await expect.poll(() => outcome(shown())).toBe(null)
  await expect(shown()?.pay({ ...ORDER, msisdn: 'abc' })).rejects.toMatchObject({ reason: 'refused' })
  await expect.poll(() => outcome(shown())).toBe(null)
  await shown()?.pay(ORDER)
  await expect.poll(() => outcome(shown())).toBe('failed')
})
