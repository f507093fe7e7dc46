import { randomUUID } from 'node:crypto'
import { fingerprintOf, mintId } from '@merchant-payments/core'
import { findViolations } from '@merchant-payments/testing/invariants'
import { afterAll, describe, expect, test } from 'vitest'
import { fanOutAll } from '../fan-out.ts'
import { instruct, settle, type TestAnswer } from '../harness.ts'
import { confirmCall, createIntent, numberOf, succeededIntent } from '../steps.ts'
import { approve } from './approvals.ts'
import { startStaffApi } from './staff.ts'

const PAYER = numberOf('approves')
const OTHER = '237670000002'
const hash = expect.stringMatching(/^[\w-]{43}$/)

const api = await startStaffApi()
const omar = await api.signInAs('omar')
const olga = await api.signInAs('olga')
afterAll(() => api.stop())

const formOf = (form: Readonly<Record<string, string>>) => ({ amount: '100', reason: 'A test.', ...form })
const refund = (intent: string, form: Readonly<Record<string, string>> = {}, key: string = randomUUID()) =>
  omar.post(`/payment_intents/${intent}/refund`, formOf(form), { key })

/** The answer of the operator's query whether an audit entry is about a number. */
async function wasNumber({ body }: TestAnswer, number: string): Promise<boolean | null> {
  const { is } = await api.db.reader
    .selectNoFrom((eb) => eb.fn<boolean | null>('ops_was_number', [eb.val(body.id), eb.val(number)]).as('is'))
    .executeTakeFirstOrThrow()
  return is
}

async function paidBy(customer: string): Promise<string> {
  const { id } = await createIntent(api, `&customer=${customer}`)
  await api.call(confirmCall(id, 'approves'))
  await settle(api)
  return id
}

const newCustomer = async (): Promise<string> =>
  (await api.call({ path: '/v1/customers', form: 'name=Awa' })).body.id
const erase = (customer: string) => api.call({ method: 'DELETE', path: `/v1/customers/${customer}` })

describe('an audit entry of a payout', () => {
  test('says whether it goes to the payer, and only somebody with the number can check to whom', async () => {
    const { id: intent } = await succeededIntent(api)
    const own = await refund(intent)
    expect(own.body.after).toMatchObject({ to_payer: true, number_hash: hash })
    const asked = await refund(intent, { msisdn: OTHER })
    expect(asked.body.after).toMatchObject({ to_payer: false, number_hash: hash })
    const approved = await approve(olga, asked)
    expect(approved.body.after).toMatchObject({ to_payer: false, number_hash: asked.body.after.number_hash })
    expect([await wasNumber(own, PAYER), await wasNumber(own, OTHER)]).toEqual([true, false])
    expect([await wasNumber(approved, PAYER), await wasNumber(approved, OTHER)]).toEqual([false, true])
    const text = JSON.stringify((await omar.get('/audit_entries')).body)
    for (const number of [PAYER, OTHER]) expect(text).not.toContain(number)
  })

  test('is the only kind that can be checked against a number', async () => {
    const customer = await newCustomer()
    await omar.get(`/customers/${customer}`)
    await omar.post('/lookup', { q: PAYER })
    const { data } = (await omar.get('/audit_entries')).body
    const reads = ['customer.view', 'number.look_up'].map((action) =>
      data.find((entry: { action: string }) => entry.action === action),
    )
    for (const body of reads) expect(await wasNumber({ body } as TestAnswer, PAYER)).toBeNull()
  })

  test('hashes one number differently for each payment', async () => {
    const hashes = []
    for (let payments = 0; payments < 2; payments += 1) {
      hashes.push((await refund((await succeededIntent(api)).id)).body.after.number_hash)
    }
    expect(new Set(hashes).size).toBe(2)
  })

  test('of twenty concurrent payouts of one payment has one key', async () => {
    const { id: intent } = await succeededIntent(api)
    const answers = await Promise.all(Array.from({ length: 20 }, () => refund(intent)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body.after.number_hash)).size).toBe(1)
  })

  test('cannot be checked after its customer is erased', async () => {
    const customer = await newCustomer()
    const intent = await paidBy(customer)
    const own = await refund(intent)
    expect(await wasNumber(own, PAYER)).toBe(true)
    await erase(customer)
    expect(await wasNumber(own, PAYER)).toBeNull()
    const left = await api.db.reader
      .selectFrom('audit_number_keys')
      .select('key')
      .where('payment_intent_id', '=', intent.slice(3))
      .execute()
    expect(left).toEqual([])
  })

  test('that was written after the erasure has no hash', async () => {
    const customer = await newCustomer()
    const intent = await paidBy(customer)
    await erase(customer)
    const asked = await refund(intent, { msisdn: OTHER })
    expect(asked.body.after).toMatchObject({ to_payer: false, number_hash: null })
    const approved = await approve(olga, asked)
    expect(approved).toMatchObject({ status: 200, body: { after: { number_hash: null } } })
    expect(await wasNumber(approved, OTHER)).toBeNull()
  })
})

/** The hash of a refund's request, as whoever tries all numbers computes it. */
const bareHash = (intent: string, form: Readonly<Record<string, string>>) =>
  fingerprintOf(
    'POST',
    `/dash/v1/payment_intents/${intent}/refund`,
    Buffer.from(new URLSearchParams(formOf(form)).toString()),
  )

describe('what an audit entry keeps of the request', () => {
  const rowOf = ({ body }: TestAnswer) =>
    api.db.reader
      .selectFrom('audit_entries')
      .selectAll()
      .where('id', '=', body.id.slice(3))
      .executeTakeFirstOrThrow()

  test('does not tell its number to whoever tries all numbers', async () => {
    const { id: intent } = await succeededIntent(api)
    const { fingerprint } = await rowOf(await refund(intent, { msisdn: OTHER }))
    expect(fingerprint).toHaveLength(32)
    expect(fingerprint).not.toEqual(bareHash(intent, { msisdn: OTHER }))
  })

  test('lets a repeat find the entry of an earlier release, which kept a bare hash', async () => {
    const { id: intent } = await succeededIntent(api)
    const { before, after, ...row } = await rowOf(await refund(intent))
    const [id, key] = [mintId('au', api.clock()), `earlier-${intent}`]
    const earlier = {
      ...row,
      id: id.slice(3),
      before: JSON.stringify(before),
      after: JSON.stringify(after),
      idempotency_key: key,
      fingerprint: bareHash(intent, {}),
    }
    await api.db.transact((tx) => tx.insertInto('audit_entries').values(earlier).execute())
    const again = (amount: string) => refund(intent, { amount }, key)
    expect(await again('100')).toMatchObject({ status: 200, body: { id } })
    expect(await again('101')).toBeRefusal('idempotency_key_in_use', 'idempotency_key')
  })
})

test('no invariant is violated', async () => {
  await instruct(api)
  await fanOutAll(api)
  await api.mock.control.advanceClock(24 * 60 * 60_000)
  const { debits, credits } = await api.mock.control.getLedger({ limit: 10_000 })
  const run = { databaseUrl: api.databaseUrl, debits, credits, journal: [], received: null, endpoints: 0 }
  expect(await findViolations(run)).toEqual([])
})
