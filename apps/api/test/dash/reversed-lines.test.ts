import { afterAll, beforeAll, expect, test } from 'vitest'
import { instruct, settle } from '../harness.ts'
import { confirmCall, createIntent, succeededIntent } from '../steps.ts'
import { approve } from './approvals.ts'
import { type StaffApi, type StaffMember, startStaffApi } from './staff.ts'
import { uploaded } from './statement-files.ts'

const DAY_SEC = 86_400

let api: StaffApi
let omar: StaffMember
let olga: StaffMember
beforeAll(async () => {
  api = await startStaffApi()
})
afterAll(() => api.stop())

/** Passes days without a payment, so that each test has its own. */
async function paidOnItsDay() {
  api.advance(40 * DAY_SEC * 1_000)
  omar = await api.signInAs('omar')
  olga = await api.signInAs('olga')
  const { id: intent } = await succeededIntent(api)
  const [charge] = (await omar.get(`/payment_intents/${intent}`)).body.charges
  // The operator's zone is an hour ahead of UTC.
  const dayAt = (offset: number) =>
    new Date((charge.settled_at + 3_600 + offset * DAY_SEC) * 1_000).toISOString().slice(0, 10)
  return { intent, charge, dayAt }
}

const line = (reference: string, amount: number, transaction: string, kind = 'Debit') =>
  `${transaction},${reference},2026-11-21 10:00:00,Successful,${kind},${amount}`

const upload = (day: string | undefined, ...lines: string[]) => uploaded(api, omar, lines, day)
const shown = async (id: string) => (await omar.get(`/statements/${id}`)).body

test('a reversal is a difference with its sign beside the payment that it reverses, in one file or in two', async () => {
  const { charge, dayAt } = await paidOnItsDay()
  const listed = line(charge.reference, charge.amount, 'C1')
  const reversed = line(charge.reference, -charge.amount, 'C2')
  const difference = {
    verdict: 'theirs_only',
    about: charge.id,
    amount: -charge.amount,
    ledger_amount: charge.amount,
    charge_status: 'succeeded',
  }
  expect(await shown(await upload(dayAt(0), reversed, listed))).toMatchObject({
    charges_sum: 0,
    matched: 1,
    duplicate: 0,
    theirs_only: 1,
    ours_only: 0,
    differences: [difference],
  })
  expect(await shown(await upload(dayAt(1), reversed))).toMatchObject({
    charges_sum: -charge.amount,
    matched: 0,
    theirs_only: 1,
    differences: [difference],
  })
})

test('a reversal of the payment’s own transaction names the payment too', async () => {
  const { intent, charge, dayAt } = await paidOnItsDay()
  await api.owner.transact((tx) =>
    tx
      .updateTable('charges')
      .set({ rail_txn_id: 'own-1' })
      .where('reference', '=', charge.reference)
      .execute(),
  )
  const { differences } = await shown(await upload(dayAt(0), line('', -charge.amount, 'OWN-1')))
  expect(differences).toMatchObject([
    { about: charge.id, verdict: 'theirs_only', payment_intent: intent },
    { about: charge.id, verdict: 'ours_only' },
  ])
})

test('a reversal lists no payment: it is missing until a line of its own direction lists it', async () => {
  const { charge, dayAt } = await paidOnItsDay()
  const first = await upload(dayAt(0), line(charge.reference, -charge.amount, 'C3'))
  expect(await shown(first)).toMatchObject({ ours_only: 1, theirs_only: 1 })
  await omar.post(`/statements/${first}/close`, { reason: 'The operator is asked.' })
  await upload(dayAt(1), line(charge.reference, -charge.amount, 'C3'))
  await omar.post(`/statements/${first}/reopen`, { reason: 'A newer file came.' })
  expect(await shown(first)).toMatchObject({ ours_only: 1 })
  await upload(dayAt(2), line(charge.reference, charge.amount, 'C4'))
  expect(await shown(first)).toMatchObject({ ours_only: 0, theirs_only: 1 })
})

test('a reversal of an older payment names it', async () => {
  const { charge, dayAt } = await paidOnItsDay()
  expect(await shown(await upload(dayAt(9), line(charge.reference, -charge.amount, 'C5')))).toMatchObject({
    matched: 0,
    differences: [{ verdict: 'theirs_only', about: charge.id, amount: -charge.amount }],
  })
})

test('a refund that came back confirms no refund', async () => {
  const { intent, charge, dayAt } = await paidOnItsDay()
  await omar.post(`/payment_intents/${intent}/refund`, { amount: '1000', reason: 'Torn.' })
  await instruct(api)
  const refundOf = async () => (await omar.get(`/payment_intents/${intent}`)).body.refunds[0]
  const { id, reference } = await refundOf()
  const paid = line(charge.reference, charge.amount, 'C6')
  const statement = await upload(dayAt(0), paid, line(reference, -1_000, 'P1', 'Cash in'))
  expect(await shown(statement)).toMatchObject({
    payouts_sum: -1_000,
    matched: 1,
    differences: [
      { verdict: 'theirs_only', kind: 'payout', about: id, amount: -1_000 },
      { verdict: 'ours_only', about: id },
    ],
  })
  expect((await refundOf()).confirmed).toBeNull()
})

test.each([
  ['its transaction', 'REV1', 'rev1'],
  ['another transaction', 'REV2', 'PAID2'],
])(
  '409: a charge whose payment the operator reversed is not ruled paid by %s',
  async (_, listed, statement) => {
    const { id: intent } = await createIntent(api)
    await api.call(confirmCall(intent, 'declines'))
    await settle(api)
    const [charge] = (await omar.get(`/payment_intents/${intent}`)).body.charges
    const rule = () =>
      omar.post(`/charges/${charge.id}/resolve`, { outcome: 'succeeded', reason: 'It is listed.', statement })
    const before = await rule()
    await upload(undefined, line(charge.reference, -charge.amount, listed))
    const refused = await rule()
    expect(refused).toBeRefusal('charge_not_resolvable', 'statement')
    expect(refused.body.error.message).toBe(
      `The rail’s statement lists ${charge.amount} XAF as reversed, in minor units, as ${listed}.`,
    )
    expect(await approve(olga, before)).toBeRefusal('approval_obsolete')
  },
)
