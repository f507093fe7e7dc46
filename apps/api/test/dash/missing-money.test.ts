import { afterAll, beforeAll, expect, test } from 'vitest'
import { instruct } from '../harness.ts'
import { succeededIntent } from '../steps.ts'
import { type StaffApi, type StaffMember, startStaffApi } from './staff.ts'
import { uploaded } from './statement-files.ts'

const DAY_SEC = 86_400

let api: StaffApi
let omar: StaffMember
beforeAll(async () => {
  api = await startStaffApi()
  omar = await api.signInAs('omar')
})
afterAll(() => api.stop())

const line = (reference: string, amount: number, kind = 'Debit') =>
  `T-${reference},${reference},2026-11-21 10:00:00,Successful,${kind},${amount}`

/** Passes days without a payment, so that each test has its own. */
async function paidOnItsDay() {
  api.advance(40 * DAY_SEC * 1_000)
  omar = await api.signInAs('omar')
  const intent = await succeededIntent(api)
  const [charge] = (await omar.get(`/payment_intents/${intent.id}`)).body.charges
  // The operator's zone is an hour ahead of UTC.
  const dayAt = (offset: number) =>
    new Date((charge.settled_at + 3_600 + offset * DAY_SEC) * 1_000).toISOString().slice(0, 10)
  return { intent: intent.id, charge, listed: line(charge.reference, charge.amount), dayAt }
}

async function passDay() {
  api.advance(DAY_SEC * 1_000)
  omar = await api.signInAs('omar')
}

const upload = (day: string, ...lines: string[]) => uploaded(api, omar, lines, day)

const shown = async (id: string) => {
  const { status, body } = await omar.get(`/statements/${id}`)
  expect(status).toBe(200)
  const missing = body.differences.filter(({ verdict }: { verdict: string }) => verdict === 'ours_only')
  expect(missing).toHaveLength(body.ours_only)
  return missing.map(({ about }: { about: string }) => about)
}

test('a payment is missing again once the later statement that listed it is replaced by one without it', async () => {
  const { charge, listed, dayAt } = await paidOnItsDay()
  const first = await upload(dayAt(0))
  expect(await shown(first)).toEqual([charge.id])
  await upload(dayAt(1), listed)
  expect(await shown(first)).toEqual([])
  const corrected = await upload(dayAt(1))
  expect([...(await shown(first)), ...(await shown(corrected))]).toEqual([charge.id])
  await upload(dayAt(2), listed)
  expect([...(await shown(first)), ...(await shown(corrected))]).toEqual([])
})

test('a payment is missing in one statement at a time, however often each is replaced', async () => {
  const { charge, listed, dayAt } = await paidOnItsDay()
  await upload(dayAt(1), listed)
  await upload(dayAt(0))
  let next = await upload(dayAt(1))
  expect(await shown(next)).toEqual([charge.id])
  let first = await upload(dayAt(0))
  next = await upload(dayAt(1))
  first = await upload(dayAt(0))
  expect([...(await shown(first)), ...(await shown(next))]).toEqual([charge.id])
})

test('a payment of a day that has no statement yet is missing in no other', async () => {
  const { dayAt } = await paidOnItsDay()
  expect(await shown(await upload(dayAt(1)))).toEqual([])
})

test('a payment is missing if the statement has only a payout under its reference, and the payout names the payment', async () => {
  const { charge, dayAt } = await paidOnItsDay()
  const id = await upload(dayAt(0), line(charge.reference, charge.amount, 'Cash in'))
  expect(await shown(id)).toEqual([charge.id])
  const { differences } = (await omar.get(`/statements/${id}?verdict=theirs_only`)).body
  expect(differences).toMatchObject([{ kind: 'payout', about: charge.id, amount: charge.amount }])
})

test('a refund is missing if the statement has only a charge under its reference, and the charge names the refund', async () => {
  const { intent, listed, dayAt } = await paidOnItsDay()
  await omar.post(`/payment_intents/${intent}/refund`, { amount: '1000', reason: 'Torn.' })
  await instruct(api)
  const [refund] = (await omar.get(`/payment_intents/${intent}`)).body.refunds
  const id = await upload(dayAt(0), listed, line(refund.reference, 1_000))
  expect(await shown(id)).toEqual([refund.id])
  const { differences } = (await omar.get(`/statements/${id}?verdict=theirs_only`)).body
  expect(differences).toMatchObject([{ kind: 'charge', about: refund.id, charge_status: null }])
})

test('a refund that its rail accepted after its day was compared is missing in the next statement', async () => {
  const { intent, listed, dayAt } = await paidOnItsDay()
  await omar.post(`/payment_intents/${intent}/refund`, { amount: '1000', reason: 'Torn.' })
  const first = await upload(dayAt(0), listed)
  await passDay()
  await instruct(api)
  const [refund] = (await omar.get(`/payment_intents/${intent}`)).body.refunds
  const second = await upload(dayAt(1))
  await passDay()
  const third = await upload(dayAt(2))
  expect([await shown(first), await shown(second), await shown(third)]).toEqual([[], [refund.id], []])
  await upload(dayAt(3), line(refund.reference, 1_000, 'Cash in'))
  expect(await shown(second)).toEqual([])
})

test('a refund that was sent more than a month after it was made is missing in the next statement', async () => {
  const { intent, dayAt } = await paidOnItsDay()
  await omar.post(`/payment_intents/${intent}/refund`, { amount: '1000', reason: 'Torn.' })
  api.advance(40 * DAY_SEC * 1_000)
  omar = await api.signInAs('omar')
  const before = await upload(dayAt(40))
  await instruct(api)
  const [refund] = (await omar.get(`/payment_intents/${intent}`)).body.refunds
  expect(refund.instruction).toBe('accepted')
  const next = await upload(dayAt(41))
  expect([await shown(before), await shown(next), await shown(await upload(dayAt(42)))]).toEqual([
    [],
    [refund.id],
    [],
  ])
  await upload(dayAt(43), line(refund.reference, 1_000, 'Cash in'))
  expect(await shown(next)).toEqual([])
})

test('a closed day keeps its rows and counts; when it is reopened, it loses what was listed since', async () => {
  const { charge, listed, dayAt } = await paidOnItsDay()
  const first = await upload(dayAt(0))
  await omar.post(`/statements/${first}/close`, { reason: 'The operator is asked.' })
  await upload(dayAt(1), listed)
  expect(await shown(first)).toEqual([charge.id])
  const { body } = await omar.post(`/statements/${first}/reopen`, { reason: 'The next one has it.' })
  expect(body).toMatchObject({
    before: { status: 'closed', ours_only: 1 },
    after: { status: 'matched', ours_only: 0 },
  })
  expect(await shown(first)).toEqual([])
})
