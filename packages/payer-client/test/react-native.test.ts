import { fileURLToPath } from 'node:url'
import { type PublishedPackage, publishPackage } from '@merchant-payments/testing/published-package'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Attention, PayerClientOptions } from '../src/index.ts'
import { AbortController, appState, asyncStorage, loadInReactNative } from './react-native.ts'
import { INTENT_ID, INTENT_SECRET, PUBLISHABLE_KEY } from './service.ts'
import { BASE_URL, createWorld, ORDER } from './world.ts'

const PACK_TIMEOUT_MS = 120_000

let published: PublishedPackage
beforeAll(async () => {
  published = await publishPackage(fileURLToPath(new URL('..', import.meta.url)))
}, PACK_TIMEOUT_MS)
afterAll(() => published.remove())

/** The app of the README on a phone, and the service that it pays at. */
async function openApp(plan: Parameters<typeof createWorld>[0]) {
  const { clock, network } = createWorld(plan)
  const { createPayerClient, PayerClientError } = await loadInReactNative(
    published.folder,
    clock,
    network.fetch,
  )
  const AppState = appState()
  const storage = asyncStorage()
  const attention: Attention = {
    isOn: () => AppState.currentState === 'active',
    onChange: (listener) => {
      const subscription = AppState.addEventListener('change', listener)
      return () => subscription.remove()
    },
  }
  const options: PayerClientOptions = {
    baseUrl: BASE_URL,
    publishableKey: PUBLISHABLE_KEY,
    clientSecret: INTENT_SECRET,
    storage,
    attention,
  }
  const keys = () => network.confirms().map(({ headers }) => headers['idempotency-key'])
  return {
    clock,
    network,
    storage,
    AppState,
    keys,
    PayerClientError,
    start: () => createPayerClient(options),
  }
}

test('in React Native a payment is refused, tried again with a new key, and paid', async () => {
  const { start, clock, keys, storage, AppState } = await openApp({
    rail: [{ submit: 'declined' }, { submit: 'accepted' }],
  })
  const client = start()
  expect(await clock.settle(client.pay(ORDER))).toMatchObject({ outcome: 'failed', code: 'payer_declined' })
  expect(await clock.settle(client.pay(ORDER))).toMatchObject({ outcome: 'succeeded' })
  expect(new Set(keys()).size).toBe(2)
  expect(storage.items.size).toBe(0)
  expect(AppState.listeners.size).toBe(0)
})

test('an app that is killed after it sent a payment follows it when it is opened again, and sends no other', async () => {
  const { start, clock, keys, AppState, network } = await openApp({
    rail: [{ submit: 'accepted', settleMs: 90_000 }],
    faults: [{}, { kind: 'reply_lost' }],
  })
  void start().pay(ORDER)
  await clock.advance(5_000)
  // The USSD prompt covers the app.
  AppState.turn('background')
  const reopened = start()
  const work = reopened.pay(ORDER)
  await clock.advance(1_000)
  const sent = network.sent.length
  await clock.advance(60_000)
  expect(network.sent.length).toBe(sent)
  AppState.turn('active')
  expect(await clock.settle(work)).toMatchObject({ outcome: 'succeeded', intent: { id: INTENT_ID } })
  expect(new Set(keys()).size).toBe(1)
})

test('a signal of React Native’s own AbortController ends the read and removes its listeners', async () => {
  const { start, clock, AppState } = await openApp({ rail: [{ submit: 'accepted', outcome: 'never' }] })
  const controller = new AbortController()
  const work = start().pay(ORDER, { signal: controller.signal })
  await clock.advance(5_000)
  controller.abort()
  expect(await work).toMatchObject({ outcome: 'unresolved', reason: 'aborted' })
  expect(AppState.listeners.size).toBe(0)
  expect(clock.pending()).toBe(0)
})

test('an order that the service refuses is an error of the package’s own', async () => {
  const { start, clock, PayerClientError } = await openApp({})
  const error = await clock
    .settle(start().pay({ ...ORDER, msisdn: 'abc' }))
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(PayerClientError)
  expect(error).toMatchObject({ reason: 'refused', status: 400, name: 'PayerClientError' })
})
