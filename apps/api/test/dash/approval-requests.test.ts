import type { AuditEntry, StaffIntentDetail } from '@merchant-payments/contract'
import { expireRequests } from '@merchant-payments/core'
import { findViolations } from '@merchant-payments/testing/invariants'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fanOutAll } from '../fan-out.ts'
import { instruct, PUSH_RAIL, settle } from '../harness.ts'
import { createRefund, reservedOf } from '../refunds.ts'
import { disableClient, enableClient } from '../rows.ts'
import { confirmCall, confirmedIntent, createIntent, readIntent, succeededIntent } from '../steps.ts'
import { approvalOf, approve, decline, readApproval, rulingsOf } from './approvals.ts'
import { signInAs, type StaffApi, type StaffMember, startStaffApi } from './staff.ts'

const DAY_MS = 24 * 60 * 60_000
const OTHER = '237670000002'
const MASKED = '6 •• •• •• 02'

let api: StaffApi
/** The reference of the one charge that is ruled paid here. */
let ruledReference: string
let vera: StaffMember
let omar: StaffMember
let olga: StaffMember
let ada: StaffMember
beforeAll(async () => {
  api = await startStaffApi()
})
// Each settlement moves the clock by a minute: a session without a request ends after thirty.
beforeEach(async () => {
  ;[vera, omar, olga, ada] = [
    await api.signInAs('vera'),
    await api.signInAs('omar'),
    await api.signInAs('olga'),
    await api.signInAs('ada'),
  ]
})
afterAll(() => api.stop())

const detailOf = async (intent: string, who = omar): Promise<StaffIntentDetail> =>
  (await who.get(`/payment_intents/${intent}`)).body
const entriesOf = async (target: string): Promise<AuditEntry[]> =>
  (await omar.get(`/audit_entries?target=${target}`)).body.data

const reason = 'MTN statement of 21 November, line 18'
const askRefund = (intent: string, form: Readonly<Record<string, string>> = {}) =>
  omar.post(`/payment_intents/${intent}/refund`, { msisdn: OTHER, reason, ...form })

/** A charge without an answer of its rail, and a request to rule it as succeeded. */
async function askRuling() {
  const { id: intent } = await confirmedIntent(api, 'staysPending')
  const charge = (await detailOf(intent)).charges[0]?.id ?? ''
  const asked = await omar.post(`/charges/${charge}/resolve`, { outcome: 'succeeded', reason })
  expect(asked).toMatchObject({ status: 200, body: { action: 'approval.request' } })
  return { intent, charge, asked }
}

async function transfersTo(msisdn: string): Promise<number> {
  const transfers = await api.mock.control.listTransfers({ limit: 1_000 })
  return transfers.filter((transfer) => transfer.msisdn === msisdn).length
}

test('one operator alone cannot turn a refusal into a payout', async () => {
  const { id: intent } = await createIntent(api)
  await api.call(confirmCall(intent, 'declines'))
  await settle(api)
  const [charge] = (await detailOf(intent)).charges
  expect(charge?.status).toBe('failed')
  const ruled = await omar.post(`/charges/${charge?.id}/resolve`, { outcome: 'succeeded', reason })
  expect(ruled.body.action).toBe('approval.request')
  expect(await approve(omar, ruled)).toBeRefusal('approval_by_author')
  await settle(api)
  expect((await readIntent(api, intent)).body.status).toBe('requires_payment_method')
  expect(await askRefund(intent)).toBeRefusal('intent_not_succeeded')
  await instruct(api)
  expect(await transfersTo(OTHER)).toBe(0)
})

describe('dash.approvalRequests.list', () => {
  test('200: waiting requests with author and reason, and the number of the payout, masked for viewers in the list and on the payment', async () => {
    const { id: intent } = await succeededIntent(api)
    const asked = await askRefund(intent, { amount: '2000' })
    const shown = {
      id: approvalOf(asked),
      object: 'approval_request',
      merchant: 'acme',
      kind: 'refund.create',
      target: intent,
      payment_intent: intent,
      amount: 2_000,
      currency: 'XAF',
      msisdn: OTHER,
      statement: null,
      charge_status: null,
      reported: null,
      unproven: false,
      status: 'pending',
      reason,
      requested_by: { subject: 'omar', name: 'Omar Operator' },
      created: expect.any(Number),
      expires_at: expect.any(Number),
      decided_by: null,
      decided_at: null,
      decision_reason: null,
      obsolete_because: null,
    }
    expect(await readApproval(olga, asked)).toEqual(shown)
    expect(await readApproval(vera, asked)).toEqual({ ...shown, msisdn: MASKED })
    expect((await detailOf(intent)).approval_requests).toEqual([shown])
    expect((await detailOf(intent, vera)).approval_requests).toEqual([{ ...shown, msisdn: MASKED }])
    const ids = async (query: string) =>
      (await vera.get(`/approval_requests?limit=100&${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await ids('status=pending')).toContain(shown.id)
    expect(await ids('status=approved')).not.toContain(shown.id)
    expect(await ids('merchant=globex')).toEqual([])
    expect((await vera.get('/overview')).body.pending_approvals.count).toBeGreaterThan(0)
    await decline(omar, asked)
    expect(await ids('status=declined')).toContain(shown.id)
  })

  test('400: an unknown status', async () => {
    expect(await vera.get('/approval_requests?status=open')).toBeRefusal('invalid_request', 'status')
  })
})

describe('dash.approvalRequests.approve', () => {
  test('200: a ruling is made as requested, and the log has both people', async () => {
    const { intent, charge, asked } = await askRuling()
    expect(await rulingsOf(api, charge)).toEqual([])
    const { status, body } = await approve(olga, asked)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      action: 'approval.approve',
      target: charge,
      actor: { subject: 'olga' },
      before: { status: 'live', ruling: null },
      after: {
        ruling: 'succeeded',
        approval: approvalOf(asked),
        kind: 'charge.resolve',
        requested_by: 'omar',
      },
    })
    expect(await rulingsOf(api, charge)).toEqual([{ operator: 'omar', outcome: 'succeeded', reason }])
    await settle(api)
    expect((await readIntent(api, intent)).body.status).toBe('succeeded')
    ruledReference = (await detailOf(intent)).charges[0]?.reference ?? ''
    const entries = await entriesOf(charge)
    expect(entries.map(({ action, actor }) => [action, actor.subject])).toEqual([
      ['approval.approve', 'olga'],
      ['approval.request', 'omar'],
    ])
    expect(await readApproval(vera, asked)).toMatchObject({
      status: 'approved',
      decided_by: { subject: 'olga', name: 'Olga Operator' },
      decision_reason: 'I looked myself.',
    })
  })

  test('200: a refund goes to the number of the request, once, and the number is deleted', async () => {
    const { id: intent } = await succeededIntent(api)
    const before = await transfersTo(OTHER)
    const asked = await askRefund(intent)
    await instruct(api)
    expect([await transfersTo(OTHER), await reservedOf(api, intent)]).toEqual([before, 0])
    const first = await approve(olga, asked, `approve-${intent}`)
    expect(first).toMatchObject({ status: 200, body: { after: { amount: 5_000, kind: 'refund.create' } } })
    const again = await approve(olga, asked, `approve-${intent}`)
    expect(again).toMatchObject({ status: 200, text: first.text })
    await instruct(api)
    expect([await transfersTo(OTHER), await reservedOf(api, intent)]).toEqual([before + 1, 5_000])
    expect(await readApproval(vera, asked)).toMatchObject({ status: 'approved', msisdn: null })
    expect(first.text).not.toContain(OTHER)
    const kept = await api.db.reader
      .selectFrom('approval_requests')
      .selectAll()
      .where('id', '=', approvalOf(asked).slice(4))
      .execute()
    expect(kept).toHaveLength(1)
    expect(JSON.stringify(kept)).not.toContain(OTHER)
  })

  test('200: twenty concurrent approvals by two people make one refund', async () => {
    const { id: intent } = await succeededIntent(api)
    const asked = await askRefund(intent, { amount: '1000' })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => approve(n % 2 === 0 ? olga : ada, asked)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer).toBeRefusal('approval_not_pending')
    }
    expect(await reservedOf(api, intent)).toBe(1_000)
  })

  test('200 or 409: of a concurrent approval and decline, one succeeds', async () => {
    const { id: intent } = await succeededIntent(api)
    const asked = await askRefund(intent)
    const [approved, declined] = await Promise.all([approve(olga, asked), decline(ada, asked)])
    expect(new Set([approved.status, declined.status])).toEqual(new Set([200, 409]))
    expect(await reservedOf(api, intent)).toBe(approved.status === 200 ? 5_000 : 0)
  })

  test('409: by the author, whatever their role', async () => {
    const { id: intent } = await succeededIntent(api)
    const asked = await ada.post(`/payment_intents/${intent}/refund`, { msisdn: OTHER, reason })
    expect(await approve(ada, asked)).toBeRefusal('approval_by_author')
    expect(await readApproval(vera, asked)).toMatchObject({ status: 'pending' })
    expect(await approve(omar, asked)).toMatchObject({ status: 200 })
  })

  test('409: a charge that has changed since; the request has ended with the reason', async () => {
    const { charge, asked } = await askRuling()
    await olga.post(`/charges/${charge}/resolve`, { outcome: 'failed', reason: 'Not in the portal.' })
    await settle(api)
    expect(await approve(olga, asked, `late-${charge}`)).toBeRefusal('approval_obsolete')
    expect(await approve(olga, asked, `late-${charge}`)).toBeRefusal('approval_obsolete')
    expect(await approve(ada, asked)).toBeRefusal('approval_not_pending')
    expect((await rulingsOf(api, charge)).map(({ outcome }) => outcome)).toEqual(['failed'])
    expect(await readApproval(vera, asked)).toMatchObject({
      status: 'obsolete',
      obsolete_because: 'approval_obsolete',
      decided_by: { subject: 'olga' },
    })
    expect((await entriesOf(charge)).map(({ action }) => action)).toEqual([
      'approval.lapse',
      'charge.resolve',
      'approval.request',
    ])
  })

  test('409: a payment that was refunded meanwhile, though enough is left', async () => {
    const { id: intent } = await succeededIntent(api)
    const asked = await askRefund(intent, { amount: '1000' })
    await createRefund(api, intent, '&amount=1000')
    expect(await approve(olga, asked)).toBeRefusal('approval_obsolete')
    expect(await reservedOf(api, intent)).toBe(1_000)
    const anew = await askRefund(intent, { amount: '1000' })
    expect(await approve(olga, anew)).toMatchObject({ status: 200 })
    expect(await reservedOf(api, intent)).toBe(2_000)
  })

  test('409: a payment of which less than the amount is left', async () => {
    const { id: intent } = await succeededIntent(api)
    const asked = await askRefund(intent)
    await createRefund(api, intent, '&amount=1000')
    expect(await approve(olga, asked)).toBeRefusal('approval_obsolete')
    expect(await readApproval(vera, asked)).toMatchObject({ obsolete_because: 'approval_obsolete' })
    expect(await reservedOf(api, intent)).toBe(1_000)
  })

  test('409: a number that was erased', async () => {
    const { body: customer } = await api.call({ path: '/v1/customers', form: 'name=Awa' })
    const { id: intent } = await createIntent(api, `&customer=${customer.id}`)
    await api.call(confirmCall(intent, 'approves'))
    await settle(api)
    const asked = await askRefund(intent)
    await api.call({ method: 'DELETE', path: `/v1/customers/${customer.id}` })
    expect(await readApproval(vera, asked)).toMatchObject({ status: 'pending', msisdn: null })
    expect(await approve(olga, asked)).toBeRefusal('approval_obsolete')
    expect(await readApproval(vera, asked)).toMatchObject({ obsolete_because: 'customer_erased' })
    expect(await reservedOf(api, intent)).toBe(0)
  })

  test('409: of a disabled merchant, and the request keeps waiting', async () => {
    const { id: intent } = await succeededIntent(api)
    const asked = await askRefund(intent)
    await disableClient(api, 'acme')
    const refused = await approve(olga, asked)
    await enableClient(api, 'acme')
    expect(refused).toBeRefusal('client_disabled')
    expect(await readApproval(vera, asked)).toMatchObject({ status: 'pending' })
    expect(await approve(olga, asked)).toMatchObject({ status: 200 })
  })

  test('501: at an api that does not know the rail, and the request keeps waiting', async () => {
    const { id: intent } = await succeededIntent(api)
    const replica = await api.deploy(new Map([...api.rails].filter(([code]) => code !== PUSH_RAIL)))
    const there = await signInAs({ ...api, ...replica }, 'olga')
    const form = { msisdn: OTHER, reason }
    expect(await there.post(`/payment_intents/${intent}/refund`, form)).toBeRefusal('not_supported')
    const asked = await askRefund(intent)
    expect(await approve(there, asked)).toBeRefusal('not_supported')
    expect(await readApproval(olga, asked)).toMatchObject({ status: 'pending', msisdn: OTHER })
    expect(await approve(olga, asked)).toMatchObject({ status: 200 })
  })
})

describe('dash.approvalRequests.decline', () => {
  test('200: the request ends without its change', async () => {
    const { intent, charge, asked } = await askRuling()
    expect(await decline(olga, asked)).toMatchObject({
      status: 200,
      body: { action: 'approval.decline', target: charge, after: { requested_by: 'omar' } },
    })
    expect(await approve(ada, asked)).toBeRefusal('approval_not_pending')
    expect(await rulingsOf(api, charge)).toEqual([])
    await settle(api)
    expect((await readIntent(api, intent)).body.status).toBe('processing')
    expect(await readApproval(vera, asked)).toMatchObject({
      status: 'declined',
      decided_by: { subject: 'olga' },
    })
  })

  test('200: the author withdraws it', async () => {
    const { asked } = await askRuling()
    expect(await decline(omar, asked)).toMatchObject({ status: 200 })
    expect(await readApproval(vera, asked)).toMatchObject({
      status: 'declined',
      decided_by: { subject: 'omar' },
    })
    expect(await decline(omar, asked)).toBeRefusal('approval_not_pending')
  })
})

describe('an alert line', () => {
  test('reports each request and each decision once, by ids', async () => {
    const { id: intent } = await succeededIntent(api)
    api.alerts.length = 0
    const declined = await askRefund(intent)
    await decline(olga, declined, `decline-${intent}`)
    await decline(olga, declined, `decline-${intent}`)
    const approved = await askRefund(intent, { amount: '1000' })
    const given = await approve(olga, approved)
    const late = await askRefund(intent, { amount: '1000' })
    await createRefund(api, intent, '&amount=1000')
    await approve(olga, late, `late-${intent}`)
    await approve(olga, late, `late-${intent}`)
    expect(api.alerts.map(({ name, facts }) => [name, facts['approval']])).toEqual([
      ['staff_approval_requested', approvalOf(declined)],
      ['staff_approval_declined', approvalOf(declined)],
      ['staff_approval_requested', approvalOf(approved)],
      ['staff_approval_given', approvalOf(approved)],
      ['staff_approval_requested', approvalOf(late)],
      ['staff_approval_obsolete', approvalOf(late)],
    ])
    expect(api.alerts[3]?.facts).toEqual({
      entry: given.body.id,
      approval: approvalOf(approved),
      kind: 'refund.create',
      target: intent,
      merchant: 'acme',
    })
    expect(JSON.stringify(api.alerts)).not.toContain(OTHER)
  })
})

describe('a request', () => {
  test('is unique for a change of an object', async () => {
    const { id: intent } = await succeededIntent(api)
    const answers = await Promise.all(Array.from({ length: 10 }, () => askRefund(intent)))
    const [asked, ...more] = answers.filter(({ status }) => status === 200)
    expect(more).toEqual([])
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer).toBeRefusal('approval_pending')
    }
    expect((await entriesOf(intent)).map(({ action }) => action)).toEqual(['approval.request'])
    if (asked !== undefined) await decline(omar, asked)
    expect(await askRefund(intent)).toMatchObject({ status: 200 })
  })

  test('is refused at once if its change is impossible', async () => {
    const { id: intent } = await succeededIntent(api)
    expect(await askRefund(intent, { amount: '5001' })).toBeRefusal('invalid_request', 'amount')
    const [charge] = (await detailOf(intent)).charges
    const ruled = await omar.post(`/charges/${charge?.id}/resolve`, { outcome: 'succeeded', reason })
    expect(ruled).toBeRefusal('charge_not_resolvable')
    expect(await entriesOf(intent)).toEqual([])
  })

  test('expires after a day, swept or not', async () => {
    const [swept, unswept] = [await askRuling(), await askRuling()]
    api.advance(DAY_MS)
    const [late, again] = [await api.signInAs('olga'), await api.signInAs('omar')]
    expect(await approve(late, unswept.asked)).toBeRefusal('approval_not_pending')
    const anew = await again.post(`/charges/${unswept.charge}/resolve`, { outcome: 'succeeded', reason })
    expect(anew.body.action).toBe('approval.request')
    const { db, clock } = api
    expect((await expireRequests({ db, clock, alert: () => undefined })).expired).toBeGreaterThan(0)
    expect(await expireRequests({ db, clock, alert: () => undefined })).toEqual({ expired: 0, full: false })
    expect(await readApproval(late, swept.asked)).toMatchObject({
      status: 'expired',
      msisdn: null,
      decided_by: null,
      decided_at: expect.any(Number),
    })
    expect(await readApproval(late, anew)).toMatchObject({ status: 'pending' })
  })
})

test('no invariant is violated', async () => {
  await instruct(api)
  await fanOutAll(api)
  await api.mock.control.advanceClock(DAY_MS)
  const { debits, credits } = await api.mock.control.getLedger({ limit: 10_000 })
  const run = { databaseUrl: api.databaseUrl, debits, credits, journal: [], received: null, endpoints: 0 }
  // Only the ruling differs from the rail's records, and it is reported.
  expect((await findViolations(run)).filter((line) => !line.includes(ruledReference))).toEqual([])
})
