import { randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import type { Customer } from '@merchant-payments/contract'
import { holdTransaction, lockTable } from '@merchant-payments/testing'
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Limits } from '../src/admission/admission.ts'
import { addItem, draftInvoice } from './bills.ts'
import { readInBrowser } from './browser/calls.ts'
import { createCustomer, createCustomerCall, updateCustomerCall } from './customer-steps.ts'
import { SESSION_COOKIE } from '../src/dash/cookies.ts'
import { startStaffApi } from './dash/staff.ts'
import { PUSH_RAIL, startTestApi, type TestCall } from './harness.ts'
import { chargesOf, until } from './rows.ts'
import { confirmCall, confirmedIntent, createCall, createIntent } from './steps.ts'

const narrow = {
  running: 4,
  runningOfOwner: 2,
  runningBesideOthers: 2,
  runningUnderPressure: 2,
  waiting: 4,
  waitingOfOwner: 2,
} satisfies Partial<Limits>
const metadata = Array.from({ length: 40 }, (_, n) => `metadata[k${n}]=${'x'.repeat(500)}`).join('&')
const largeForm = `name=Ada&${metadata}`
const closed = { running: 0, waiting: 0 } satisfies Partial<Limits>

let fault = (): void => undefined
const api = await startTestApi({
  fault: () => fault(),
  limits: { v1: narrow, v1_writes: narrow },
})
afterAll(() => api.stop())

const running = (surface = 'v1_writes') => api.figure(`requests_running{surface="${surface}"}`)
const waiting = (surface = 'v1_writes') => api.figure(`requests_waiting{surface="${surface}"}`)
const shed = (surface = 'v1_writes') => api.figure(`requests_shed_total{surface="${surface}"}`)
const untilBusy = (run: number, wait: number, surface = 'v1_writes') =>
  until(async () => (await running(surface)) === run && (await waiting(surface)) === wait)

afterEach(() => untilBusy(0, 0))

/** A customer of acme whose row is locked, so that each update waits. */
async function heldCustomer() {
  const { id } = await createCustomer(api)
  const free = await holdTransaction(api.db, (tx) =>
    tx.selectFrom('customers').select('id').forUpdate().execute(),
  )
  const update = (key: string = randomUUID()) => api.call(updateCustomerCall(id, 'name=Ada', { key }))
  return { id, free, update }
}

/** The maximum number of updates that run and wait. */
async function flood() {
  const { free, update } = await heldCustomer()
  const answers = Array.from({ length: narrow.runningOfOwner + narrow.waitingOfOwner }, () => update())
  await untilBusy(narrow.runningOfOwner, narrow.waitingOfOwner)
  const end = async () => {
    await free()
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 200))
  }
  return { update, end }
}

describe('a merchant who floods the API', () => {
  test('is refused above the share and the queue, and others are still answered', async () => {
    const { update, end } = await flood()
    const key = randomUUID()
    const refused = await update(key)
    expect(refused).toBeRefusal('service_unavailable')
    expect(refused.headers).toMatchObject({ 'compat-should-retry': 'true', 'stripe-should-retry': 'true' })
    const merchant = 'globex'
    expect(await api.call(createCall(undefined, { merchant }))).toMatchObject({ status: 201 })
    expect(await api.call({ path: '/v1/customers', merchant })).toMatchObject({ status: 200 })
    // The merchant's own reads have other slots.
    expect(await api.call({ path: '/v1/customers' })).toMatchObject({ status: 200 })
    expect([await running(), await waiting(), await shed()]).toEqual([2, 2, 1])
    await end()
    // Nothing is stored under the key: the same request runs once there is a free slot.
    expect(await update(key)).toMatchObject({ status: 200 })
  })

  test('also gets refusals for reads, creates and unknown paths, but an unknown caller does not', async () => {
    const full = await startTestApi({ limits: { v1: closed, v1_pages: closed } })
    onTestFinished(() => full.stop())
    const ofNobody = { path: '/v1/customers/cus_0193f2d5e0a07c3e9b1a2b3c4d5e6f70' }
    for (const call of [{ path: '/v1/customers' }, ofNobody, createCall(), { path: '/v1/nothing' }]) {
      expect(await full.call(call)).toBeRefusal('service_unavailable')
    }
    expect(await full.call({ path: '/v1/customers', token: 'none' })).toBeRefusal('authentication_error')
  })

  test('waits for a rail without delaying others, nor its own other requests', async () => {
    const intents = [await createIntent(api), await createIntent(api), await createIntent(api)]
    api.wire.hold()
    const confirms = intents.map(({ id }) => api.call(confirmCall(id)))
    const submitting = () =>
      api.db.reader.selectFrom('charges').select('id').where('status', '=', 'submitting').execute()
    await until(async () => (await submitting()).length === intents.length)
    await untilBusy(0, 0, 'v1')
    expect(await api.call({ path: '/v1/customers' })).toMatchObject({ status: 200 })
    api.wire.release()
    expect((await Promise.all(confirms)).map(({ status }) => status)).toEqual([200, 200, 200])
  })
})

describe('a slot is released', () => {
  test.each([
    ['an answer', createCall(), 201],
    ['a refusal', { path: '/v1/customers/cus_0193f2d5e0a07c3e9b1a2b3c4d5e6f70' }, 404],
    ['a malformed body', { path: '/v1/customers', form: 'name=a&name=b' }, 400],
    ['a fault of the service', createCall(undefined, { merchant: 'faulty' }), 500],
  ] as const)('after %s', async (_, call, status) => {
    fault = () => {
      if (status === 500) throw new Error('a fault')
    }
    onTestFinished(() => {
      fault = () => undefined
    })
    for (let n = 0; n < 3 * narrow.runningOfOwner; n += 1) {
      expect(await api.call(call)).toMatchObject({ status })
      await untilBusy(0, 0)
      await untilBusy(0, 0, 'v1')
    }
  })

  test('when a client disconnects: at once for a waiting request, and after its work for a running one', async () => {
    const { id, free, update } = await heldCustomer()
    const headers = {
      authorization: `Bearer ${await api.tokenFor('acme')}`,
      'content-type': 'application/x-www-form-urlencoded',
    }
    const send = () => {
      const path = `${api.origin}/v1/customers/${id}`
      const request = httpRequest(path, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': randomUUID() },
      })
      request.on('error', () => undefined).end('name=Bo')
      return request
    }
    const [one, two] = [send(), send()]
    await untilBusy(2, 0)
    const [three, four] = [send(), send()]
    await untilBusy(2, 2)
    for (const request of [three, four]) request.destroy()
    await untilBusy(2, 0)
    const later = update()
    await untilBusy(2, 1)
    for (const request of [one, two]) request.destroy()
    expect([await running(), await waiting()]).toEqual([2, 1])
    await free()
    expect(await later).toMatchObject({ status: 200 })
  })
})

test('a merchant’s share rests after a long page, but not after a short one, while others send requests', async () => {
  // However slow the machine is, the other merchant has asked lately.
  const still = await startTestApi({ clock: 'still' })
  onTestFinished(() => still.stop())
  const rested = () => still.figure('requests_rested_total{surface="v1_pages"}')
  const other = () => still.call(createCall(undefined, { merchant: 'globex' }))
  const list = () => still.call({ path: '/v1/customers?limit=100' })
  await other()
  expect(await list()).toMatchObject({ status: 200 })
  expect(await rested()).toBe(0)
  await still.call(createCustomerCall(largeForm))
  await other()
  expect(await list()).toMatchObject({ status: 200 })
  expect(await rested()).toBe(1)
})

describe('a large object', () => {
  test('that is read by its id takes a slot of large objects, and a small one does not', async () => {
    const full = await startTestApi({ limits: { v1_large: closed } })
    onTestFinished(() => full.stop())
    const read = async (form: string) => {
      const { id } = await createCustomer(full, form)
      return full.call({ path: `/v1/customers/${id}` })
    }
    expect(await read('name=Ada')).toMatchObject({ status: 200 })
    expect(await read(largeForm)).toBeRefusal('service_unavailable')
  })

  test('is read and sent while the lists of its merchant are slow, and keeps no slot from payments', async () => {
    const slow = await startTestApi({ limits: { v1: narrow, v1_pages: narrow } })
    onTestFinished(() => slow.stop())
    const { id } = await createCustomer(slow, largeForm)
    const free = await lockTable(slow.databaseUrl, 'events')
    const lists = Array.from({ length: narrow.runningOfOwner }, () => slow.call({ path: '/v1/events' }))
    await until(
      async () => (await slow.figure('requests_running{surface="v1_pages"}')) === narrow.runningOfOwner,
    )
    const reads = Array.from({ length: narrow.running }, () => slow.call({ path: `/v1/customers/${id}` }))
    for (const read of await Promise.all(reads)) expect(read).toMatchObject({ status: 200 })
    expect(await slow.figure('requests_running{surface="v1"}')).toBe(0)
    await free()
    for (const list of await Promise.all(lists)) expect(list).toMatchObject({ status: 200 })
  })

  test('that was removed is never refused', async () => {
    const full = await startTestApi({ limits: { v1_large: closed } })
    onTestFinished(() => full.stop())
    const item = await addItem(full, (await draftInvoice(full)).id, `amount=10&${metadata}`)
    expect(await full.call({ method: 'DELETE', path: `/v1/invoice_items/${item.id}` })).toMatchObject({
      status: 200,
    })
  })

  test('makes its merchant’s share rest when it is written, replayed or read, while others send requests', async () => {
    // However slow the machine is, the other merchant has asked lately.
    const still = await startTestApi({ clock: 'still' })
    onTestFinished(() => still.stop())
    const restsOf = async (call: TestCall, surface: string) => {
      await still.call(createCall(undefined, { merchant: 'globex' }))
      const rested = () => still.figure(`requests_rested_total{surface="${surface}"}`)
      const before = await rested()
      const { status, body } = await still.call(call)
      await until(async () => (await still.figure('requests_running{surface="v1"}')) === 0)
      return { status, body, rests: (await rested()) - before }
    }
    const key = randomUUID()
    const small = await restsOf(createCustomerCall('name=Ada'), 'v1')
    const written = await restsOf(createCustomerCall(largeForm, { key }), 'v1')
    const replayed = await restsOf(createCustomerCall(largeForm, { key }), 'v1')
    const read = await restsOf({ path: `/v1/customers/${(written.body as Customer).id}` }, 'v1_large')
    expect([small, written, replayed, read]).toMatchObject([
      { status: 200, rests: 0 },
      { status: 200, rests: 1 },
      { status: 200, rests: 1 },
      { status: 200, rests: 1 },
    ])
  })
})

describe('callbacks', () => {
  test('above their share are refused and counted, and take nothing from merchants', async () => {
    // None runs, so all wait until their time is over.
    const full = await startTestApi({ limits: { callback: { ...narrow, running: 0, waitMaxMs: 5_000 } } })
    onTestFinished(() => full.stop())
    const shedCallbacks = () => full.figure('requests_shed_total{surface="callback"}')
    const callBack = (reference = '') =>
      full.call({
        method: 'POST',
        path: `/provider/${PUSH_RAIL}/callback?ref=${reference}`,
        form: '{}',
        token: null,
        key: null,
      })
    const references: string[] = []
    for (let n = 0; n < 3; n += 1) {
      const { id } = await confirmedIntent(full, 'waitsForThePayer')
      const [charge] = await chargesOf(full, id)
      references.push(charge?.reference ?? '')
    }
    const waits = references.slice(0, narrow.waitingOfOwner).map(callBack)
    await until(async () => (await full.figure('requests_waiting{surface="callback"}')) === waits.length)
    expect(await callBack(references[2])).toBeRefusal('service_unavailable')
    expect(await shedCallbacks()).toBe(1)
    // A repeated call for a charge that is being pulled forward needs no slot.
    expect(await callBack(references[0])).toMatchObject({ status: 200 })
    expect(await full.call(createCall())).toMatchObject({ status: 201 })
    for (const answer of await Promise.all(waits)) expect(answer).toBeRefusal('service_unavailable')
  })
})

describe('a stranger with a publishable key', () => {
  const browser = {
    ...narrow,
    runningOfOwner: 1,
    runningBesideOthers: 1,
    runningUnderPressure: 1,
    waitingOfOwner: 1,
  }

  test.each(['a guessed secret', 'a link of another merchant, which opened nothing before'])(
    'takes no slots from payers of its merchant with %s',
    async (secret) => {
      const shared = await startTestApi({ limits: { browser } })
      onTestFinished(() => shared.stop())
      const intent = await createIntent(shared)
      const foreign = await createIntent(shared, '', { merchant: 'globex' })
      const strange =
        secret === 'a guessed secret'
          ? readInBrowser('pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', 'guessed')
          : readInBrowser(foreign.id, foreign.client_secret)
      expect(await shared.call(strange)).toBeRefusal('resource_missing')
      shared.advance(60_000)

      const unlock = await lockTable(shared.databaseUrl, 'payment_intents')
      const flood = Array.from({ length: 4 }, () => shared.call(strange))
      await until(async () => (await shared.figure('requests_shed_total{surface="browser"}')) === 2)
      // One runs and one waits, both for nobody.
      expect(await shared.figure('requests_running{surface="browser"}')).toBe(1)
      expect(await shared.figure('requests_waiting{surface="browser"}')).toBe(1)
      const paying = shared.call(readInBrowser(intent.id, intent.client_secret))
      await until(async () => (await shared.figure('requests_running{surface="browser"}')) === 2)
      await unlock()
      expect(await paying).toMatchObject({ status: 200, body: { id: intent.id } })
      expect(await statusesOf(flood)).toEqual([404, 404, 503, 503])
    },
  )

  test('takes one slot with a new link of another merchant, however often it is sent at once', async () => {
    const shared = await startTestApi({ limits: { browser } })
    onTestFinished(() => shared.stop())
    const foreign = await createIntent(shared, '', { merchant: 'globex' })
    const strange = readInBrowser(foreign.id, foreign.client_secret)
    const unlock = await lockTable(shared.databaseUrl, 'payment_intents')
    const flood = Array.from({ length: 5 }, () => shared.call(strange))
    await until(async () => (await shared.figure('requests_shed_total{surface="browser"}')) === 2)
    await unlock()
    // One ran for the merchant of the key, and one for nobody, for whom another waited.
    expect(await statusesOf(flood)).toEqual([404, 404, 404, 503, 503])
  })

  test('takes no slots from payers whose links have opened something, however many are sent at once', async () => {
    const shared = await startTestApi({ limits: { browser } })
    onTestFinished(() => shared.stop())
    const intent = await createIntent(shared)
    const payer = readInBrowser(intent.id, intent.client_secret)
    expect(await shared.call(payer)).toMatchObject({ status: 200 })
    const strange = readInBrowser('pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70', 'guessed')
    const unlock = await lockTable(shared.databaseUrl, 'payment_intents')
    const flood = Array.from({ length: 3 }, () => shared.call(strange))
    expect(await Promise.race(flood)).toBeRefusal('service_unavailable')
    const paying = [shared.call(payer), shared.call(payer)]
    await until(async () => (await shared.figure('requests_waiting{surface="browser"}')) === 2)
    await unlock()
    expect(await statusesOf(paying)).toEqual([200, 200])
    await Promise.all(flood)
  })

  const statusesOf = async (calls: readonly ReturnType<typeof api.call>[]) =>
    (await Promise.all(calls)).map(({ status }) => status).toSorted((a, b) => a - b)
})

test('every other surface refuses in its own format', async () => {
  const surfaces = { browser: closed, staff: closed, sign_in: closed, oauth: closed }
  const staffed = await startStaffApi({ limits: surfaces })
  onTestFinished(() => staffed.stop())
  const anonymous = { token: null, key: null } as const
  const get = (path: string) => staffed.call({ path, ...anonymous })
  const shown = await get('/v1/browser/payment_intents/pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70')
  expect(shown).toBeRefusal('service_unavailable')
  expect(shown.headers['access-control-allow-origin']).toBe('*')
  expect(await get('/v1/oauth/jwks.json')).toBeRefusal('service_unavailable')
  const cookie = `${SESSION_COOKIE}=made-up`
  expect(await staffed.call({ path: '/dash/v1/me', headers: { cookie }, ...anonymous })).toBeRefusal(
    'service_unavailable',
  )
  expect(await get('/dash/v1/sign_in')).toBeRefusal('service_unavailable')
  const page = await staffed.call({
    path: '/dash/v1/sign_in',
    headers: { accept: 'text/html' },
    ...anonymous,
  })
  expect([page.status, page.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8'])
  for (const surface of Object.keys(surfaces)) {
    expect(await staffed.figure(`requests_shed_total{surface="${surface}"}`)).toBeGreaterThan(0)
  }
  expect(await staffed.call(createCall())).toMatchObject({ status: 201 })
})
