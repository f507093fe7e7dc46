import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { atOnce as callAtOnce, split } from './at-once.ts'
import { PUSH_RAIL, settle, startTestApi, type TestCall } from './harness.ts'
import { chargesOf, chargeStatesOf } from './rows.ts'
import {
  cancelCall,
  createCall,
  createIntent,
  endings,
  type Ending,
  eventsOf,
  eventTypesOf,
  intentForm,
  readIntent,
  withoutSecret,
} from './steps.ts'

const AT_ONCE = 50

const api = await startTestApi()
afterAll(() => api.stop())

let payers = 0
/** A number that no other test pays with, so that the rail's counts are this test's. */
const freshNumber = (ending: Ending) => `23767${`${(payers += 1)}`.padStart(4, '0')}${endings[ending]}`

const confirmBy = (id: string, msisdn: string, key: string = randomUUID()): TestCall => ({
  path: `/v1/payment_intents/${id}/confirm`,
  form: `payment_method_data[${PUSH_RAIL}][msisdn]=${msisdn}`,
  key,
})

const atOnce = (callOf: (n: number) => TestCall) => callAtOnce(api, AT_ONCE, callOf)

const promptsOf = async (msisdn: string) => (await api.mock.control.listPrompts({ msisdn })).length
const debitsOf = async (msisdn: string) =>
  (await api.mock.control.getLedger()).debits.filter((debit) => debit.msisdn === msisdn).length

describe('fifty creations with one key', () => {
  test('make one intent and have one answer, byte for byte [§8]', async () => {
    const key = randomUUID()
    const answers = await atOnce(() => createCall(intentForm, { key, merchant: 'storm' }))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] !== 'true')).toHaveLength(1)
    const listed = await api.call({ path: '/v1/payment_intents?limit=100', merchant: 'storm' })
    expect(listed.body.data).toHaveLength(1)
  })

  test('and fifty bodies make one intent, and refuse the others', async () => {
    const key = randomUUID()
    const answers = await atOnce((n) =>
      createCall(`${intentForm}&metadata[n]=${n}`, { key, merchant: 'bodies' }),
    )
    const { matching, others } = split(answers, 201)
    expect(matching).toHaveLength(1)
    for (const answer of others) expect(answer).toBeRefusal('idempotency_key_in_use', 'idempotency_key')
    const listed = await api.call({ path: '/v1/payment_intents?limit=100', merchant: 'bodies' })
    expect(listed.body.data).toHaveLength(1)
  })

  test('and a faulty parameter store one refusal', async () => {
    const key = randomUUID()
    const answers = await atOnce(() => createCall('amount=x', { key }))
    for (const answer of answers) expect(answer).toBeRefusal('invalid_request', 'amount')
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] !== 'true')).toHaveLength(1)
  })
})

test('fifty creations with fifty keys make fifty intents', async () => {
  const answers = await atOnce(() => createCall(intentForm, { merchant: 'many' }))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(AT_ONCE)
})

describe('fifty confirms of one intent', () => {
  test('with fifty keys open one charge and show one prompt [§3.1.1]', async () => {
    const msisdn = freshNumber('waitsForThePayer')
    const { id } = await createIntent(api)
    const { matching, others } = split(await atOnce(() => confirmBy(id, msisdn)), 200)
    expect(matching).toHaveLength(1)
    for (const answer of others) expect(answer).toBeRefusal('charge_in_progress')
    expect(await chargeStatesOf(api, id)).toEqual(['live'])
    expect(await promptsOf(msisdn)).toBe(1)
  })

  test('with one key open one charge: the others are replays or in flight', async () => {
    const msisdn = freshNumber('waitsForThePayer')
    const { id } = await createIntent(api)
    const key = randomUUID()
    const answers = await atOnce(() => confirmBy(id, msisdn, key))
    const { matching, others } = split(answers, 200)
    expect(new Set(matching.map(({ text }) => text)).size).toBe(1)
    expect(matching.filter(({ headers }) => headers['idempotent-replayed'] !== 'true')).toHaveLength(1)
    for (const answer of others) expect(answer).toBeRefusal('idempotency_key_in_flight', 'idempotency_key')
    expect(await chargeStatesOf(api, id)).toEqual(['live'])
    expect(await promptsOf(msisdn)).toBe(1)
  })

  test('with an unreachable rail leave no live charge, and the next confirm succeeds', async () => {
    const msisdn = freshNumber('approves')
    const { id } = await createIntent(api)
    await api.wire.cut()
    const answers = await atOnce(() => confirmBy(id, msisdn))
    await api.wire.mend()
    for (const answer of answers) {
      expect(answer).toBeRefusal(answer.status === 502 ? 'provider_unavailable' : 'charge_in_progress')
    }
    expect(new Set(await chargeStatesOf(api, id))).toEqual(new Set(['abandoned']))
    expect((await api.call(confirmBy(id, msisdn))).status).toBe(200)
    expect(await promptsOf(msisdn)).toBe(1)
  })

  test('re-executed with one released key open one charge', async () => {
    const msisdn = freshNumber('waitsForThePayer')
    const { id } = await createIntent(api)
    const key = randomUUID()
    await api.wire.cut()
    expect(await api.call(confirmBy(id, msisdn, key))).toBeRefusal('provider_unavailable')
    await api.wire.mend()
    const { matching, others } = split(await atOnce(() => confirmBy(id, msisdn, key)), 200)
    expect(new Set(matching.map(({ text }) => text)).size).toBe(1)
    for (const answer of others) expect(answer).toBeRefusal('idempotency_key_in_flight', 'idempotency_key')
    expect(await chargeStatesOf(api, id)).toEqual(['abandoned', 'live'])
    expect(await promptsOf(msisdn)).toBe(1)
  })
})

describe('fifty cancellations of one intent', () => {
  test('with fifty keys cancel once and write one event', async () => {
    const { id } = await createIntent(api)
    const { matching, others } = split(await atOnce(() => cancelCall(id)), 200)
    expect(matching).toHaveLength(1)
    for (const answer of others) expect(answer).toBeRefusal('intent_canceled')
    expect(await eventTypesOf(api, id)).toEqual(['payment_intent.canceled'])
  })

  test('with one key have one answer, byte for byte', async () => {
    const { id } = await createIntent(api)
    const key = randomUUID()
    const answers = await atOnce(() => cancelCall(id, { key }))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await eventTypesOf(api, id)).toEqual(['payment_intent.canceled'])
  })
})

describe('concurrent changes of one intent', () => {
  test('confirms and cancellations cancel it, and charge it at most once', async () => {
    const msisdn = freshNumber('waitsForThePayer')
    const { id } = await createIntent(api)
    const answers = await atOnce((n) => (n % 2 ? confirmBy(id, msisdn) : cancelCall(id)))
    for (const answer of split(answers, 200).others) {
      expect(['charge_in_progress', 'intent_canceled']).toContain(answer.body.error.code)
      expect(answer).toBeRefusal(answer.body.error.code)
    }
    expect((await readIntent(api, id)).body.status).toBe('canceled')
    const charges = await chargesOf(api, id)
    expect(charges.length).toBeLessThanOrEqual(1)
    expect(await promptsOf(msisdn)).toBe(charges.length)
    expect(await eventTypesOf(api, id)).toEqual(['payment_intent.canceled'])
  })

  test('passes of two workers settle it once', async () => {
    const msisdn = freshNumber('approves')
    const created = await createIntent(api)
    await api.call(confirmBy(created.id, msisdn))
    api.advance(60_000)
    await Promise.all(Array.from({ length: 8 }, () => settle(api, 0)))
    expect((await readIntent(api, created.id)).body.status).toBe('succeeded')
    const events = await eventsOf(api, created.id)
    expect(events.map(({ type, data }) => [type, data.object])).toEqual([
      ['payment_intent.succeeded', { ...withoutSecret(created), status: 'succeeded' }],
    ])
    expect(await debitsOf(msisdn)).toBe(1)
  })

  test('settlement and cancellations pay it, in either order, with one event for each change', async () => {
    const msisdn = freshNumber('approves')
    const { id } = await createIntent(api)
    await api.call(confirmBy(id, msisdn))
    api.advance(60_000)
    const [answers] = await Promise.all([atOnce(() => cancelCall(id)), settle(api, 0)])
    // A pass that lost every round retries after its lease.
    await settle(api)
    const { matching, others } = split(answers, 200)
    for (const answer of others) expect(answer).toBeRefusal(answer.body.error.code)
    const types = await eventTypesOf(api, id)
    expect(types.filter((type) => type === 'payment_intent.succeeded')).toHaveLength(1)
    expect(types.filter((type) => type === 'payment_intent.canceled')).toHaveLength(matching.length)
    expect(matching.length).toBeLessThanOrEqual(1)
    expect((await readIntent(api, id)).body).toMatchObject({ status: 'succeeded', canceled_at: null })
    expect(await debitsOf(msisdn)).toBe(1)
  })
})

test('the rail has exactly the service’s charges, each once', async () => {
  const asked = (await api.mock.control.listCharges({ limit: 1_000 })).map(({ reference }) => reference)
  const rows = await api.db.reader.selectFrom('charges').select('reference').execute()
  const known = rows.map(({ reference }) => reference)
  expect(asked.filter((reference) => !known.includes(reference))).toEqual([])
  expect(new Set(asked).size).toBe(asked.length)
})
