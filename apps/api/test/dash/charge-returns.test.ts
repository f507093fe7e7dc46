import type { StaffIntentDetail } from '@merchant-payments/contract'
import { findViolations } from '@merchant-payments/testing/invariants'
import { afterAll, describe, expect, test } from 'vitest'
import { PUSH_RAIL, sendReturns } from '../harness.ts'
import { fanOutAll } from '../fan-out.ts'
import { reservedOf } from '../refunds.ts'
import { eventsOf, numberOf, readIntent, succeededIntent } from '../steps.ts'
import { approve } from './approvals.ts'
import { payTwice } from './paid-twice.ts'
import { signInAs, startStaffApi } from './staff.ts'

const DAY_MS = 24 * 60 * 60_000

const api = await startStaffApi()
const omar = await api.signInAs('omar')
afterAll(() => api.stop())

const reason = 'The payer approved twice.'
const detailOf = async (intent: string): Promise<StaffIntentDetail> =>
  (await omar.get(`/payment_intents/${intent}`)).body
const post = (charge: string, form: object = {}, key?: string) =>
  omar.post(`/charges/${charge}/return`, { reason, ...form }, ...(key === undefined ? [] : [{ key }]))

const paidTwice = (more = '') => payTwice(api, omar, more)

async function creditsTo(reference: string): Promise<string[]> {
  await api.mock.control.advanceClock(DAY_MS)
  const { credits } = await api.mock.control.getLedger({ limit: 10_000 })
  return credits.filter((credit) => credit.reference === reference).map(({ amount }) => amount)
}

describe('dash.charges.return', () => {
  test('200: the whole charge goes back to the number that paid, and the payment does not change', async () => {
    const { intent, charge } = await paidTwice()
    const before = { body: (await readIntent(api, intent)).body, events: await eventsOf(api, intent) }
    const { status, body } = await post(charge.id)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      action: 'charge.return',
      target: charge.id,
      before: { status: 'duplicate' },
      after: { return: expect.stringMatching(/^rt_[0-9a-f]{32}$/), amount: charge.amount, currency: 'XAF' },
    })
    expect(await sendReturns(api)).toMatchObject({ moved: 1 })

    const after = await detailOf(intent)
    expect(after.returns).toEqual([
      expect.objectContaining({
        id: body.after.return,
        charge: charge.id,
        amount: charge.amount,
        rail: PUSH_RAIL,
        instruction: 'accepted',
        tries: 1,
      }),
    ])
    expect(JSON.stringify(after.returns)).not.toContain(charge.payer_msisdn)
    expect(after.timeline).toContainEqual(
      expect.objectContaining({ source: 'return', text: 'created', about: charge.id, state: 'accepted' }),
    )
    expect(after.audit_entries.map(({ action }) => action)).toEqual(['charge.return'])
    const [returned] = after.returns
    const transfers = await api.mock.control.listTransfers({ limit: 1 })
    expect(transfers).toMatchObject([
      { reference: returned?.reference, msisdn: numberOf('failsThenSucceeds') },
    ])
    expect(await creditsTo(returned?.reference ?? '')).toEqual([String(charge.amount)])

    expect(await reservedOf(api, intent)).toBe(0)
    expect({ body: (await readIntent(api, intent)).body, events: await eventsOf(api, intent) }).toEqual(
      before,
    )
    expect((await api.call({ path: `/v1/refunds?payment_intent=${intent}` })).body.data).toEqual([])
  })

  test('200: the same request again, and a new return after a refused one', async () => {
    const { intent, charge } = await paidTwice()
    await api.mock.control.addFault({
      operation: 'transfer',
      kind: 'http',
      when: 'before',
      status: 400,
      body: '{}',
    })
    const first = await post(charge.id, {}, 'return-once')
    expect(await post(charge.id, {}, 'return-once')).toMatchObject({ status: 200, body: first.body })
    expect(await sendReturns(api)).toMatchObject({ moved: 1 })
    expect((await detailOf(intent)).returns).toMatchObject([
      { instruction: 'refused', failure_reason: 'rail_misconfigured' },
    ])
    expect(await post(charge.id)).toMatchObject({ status: 200 })
    expect(await sendReturns(api)).toMatchObject({ moved: 1 })
    expect((await detailOf(intent)).returns.map(({ instruction }) => instruction)).toEqual([
      'accepted',
      'refused',
    ])
  })

  test('400: a number that did not pay, or none if the payer’s number is unknown', async () => {
    const { body: customer } = await api.call({ path: '/v1/customers', form: 'name=Awa' })
    const { charge, intent } = await paidTwice(`&customer=${customer.id}`)
    expect(await post(charge.id, { msisdn: '237670000009' })).toBeRefusal('invalid_request', 'msisdn')
    await api.call({ method: 'DELETE', path: `/v1/customers/${customer.id}` })
    expect(await post(charge.id)).toBeRefusal('invalid_request', 'msisdn')

    const asked = await post(charge.id, { msisdn: '6 70 00 00 09' })
    expect(asked.body).toMatchObject({ action: 'approval.request', target: charge.id })
    const newest = async () => (await api.mock.control.listTransfers({ limit: 1 }))[0]?.reference
    const before = await newest()
    expect(await sendReturns(api)).toMatchObject({ moved: 0 })
    expect(await newest()).toBe(before)
    const olga = await api.signInAs('olga')
    expect(await approve(olga, asked)).toMatchObject({ status: 200, body: { target: charge.id } })
    expect(await sendReturns(api)).toMatchObject({ moved: 1 })
    expect((await detailOf(intent)).returns).toMatchObject([{ instruction: 'accepted' }])
    expect(await api.mock.control.listTransfers({ limit: 1 })).toMatchObject([{ msisdn: '237670000009' }])
  })

  test('409: a charge that is not a duplicate', async () => {
    const [charge] = (await detailOf((await succeededIntent(api)).id)).charges
    expect(await post(charge?.id ?? '')).toBeRefusal('charge_not_duplicate')
  })

  test('409: of forty concurrent requests one makes a return, and no other follows while it may pay or has paid', async () => {
    const { intent, charge } = await paidTwice()
    const answers = await Promise.all(Array.from({ length: 40 }, () => post(charge.id)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer).toBeRefusal('charge_returned')
    }
    await sendReturns(api)
    expect(await post(charge.id)).toBeRefusal('charge_returned')
    const { returns, audit_entries: entries } = await detailOf(intent)
    expect([returns.length, entries.length]).toEqual([1, 1])
  })

  test('501: on a rail without payouts', async () => {
    const { charge } = await paidTwice()
    const rail = api.rails.get(PUSH_RAIL)
    if (rail === undefined) throw new Error('there is no such rail')
    const replica = await api.deploy(new Map([[PUSH_RAIL, { ...rail, refunds: null }]]))
    const there = await signInAs({ ...api, ...replica }, 'omar')
    expect(await there.post(`/charges/${charge.id}/return`, { reason })).toBeRefusal('not_supported')
    const { returns, audit_entries: entries } = await detailOf(charge.payment_intent)
    expect([returns, entries]).toEqual([[], []])
  })
})

test('the rail’s ledger, the returns and every other invariant agree', async () => {
  await api.mock.control.advanceClock(DAY_MS)
  await fanOutAll(api)
  const { debits, credits } = await api.mock.control.getLedger({ limit: 10_000 })
  const run = { databaseUrl: api.databaseUrl, debits, credits, journal: [], received: null, endpoints: 0 }
  expect(await findViolations(run)).toEqual([])
})
