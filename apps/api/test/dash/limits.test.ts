import type { StaffLimits } from '@merchant-payments/core'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { reservedOf } from '../refunds.ts'
import { confirmedIntent, succeededIntent } from '../steps.ts'
import { approve } from './approvals.ts'
import { type StaffMember, startStaffApi } from './staff.ts'

const DAY_MS = 24 * 60 * 60_000
const reason = 'A test.'

const staffLimits: StaffLimits = {
  operator: { refunds: { count: 3, amount: { XAF: 2_500 } }, rulings: { count: 1 } },
  admin: { rulings: { amount: { XAF: 4_999 } } },
}

const api = await startStaffApi({ staffLimits })
let omar: StaffMember
let olga: StaffMember
let ada: StaffMember
// Each test has its own day.
beforeEach(async () => {
  api.advance(DAY_MS)
  api.alerts.length = 0
  ;[omar, olga, ada] = [await api.signInAs('omar'), await api.signInAs('olga'), await api.signInAs('ada')]
})
afterAll(() => api.stop())

const refund = (who: StaffMember, intent: string, amount: string, more = {}) =>
  who.post(`/payment_intents/${intent}/refund`, { amount, reason, ...more })
async function rule(who: StaffMember, outcome = 'failed') {
  const { id } = await confirmedIntent(api, 'staysPending')
  const charge = (await who.get(`/payment_intents/${id}`)).body.charges[0].id
  return who.post(`/charges/${charge}/resolve`, { outcome, reason })
}

test('a staff member has a daily number of refunds, also for twenty concurrent requests', async () => {
  const { id: intent } = await succeededIntent(api)
  const answers = await Promise.all(Array.from({ length: 20 }, () => refund(omar, intent, '100')))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    expect(answer).toBeRefusal('staff_limit_reached')
  }
  expect(await reservedOf(api, intent)).toBe(300)
  expect(api.alerts.map(({ name }) => name)).toEqual(Array(17).fill('staff_limit_reached'))
  expect(api.alerts[0]?.facts).toEqual({
    staff: 'omar',
    role: 'operator',
    request: expect.stringMatching(/^req_/),
  })
  expect(await refund(olga, intent, '100')).toMatchObject({ status: 200 })
  expect(await refund(ada, intent, '100')).toMatchObject({ status: 200 })
  api.advance(DAY_MS)
  expect(await refund(await api.signInAs('omar'), intent, '100')).toMatchObject({ status: 200 })
})

test('a staff member has a daily amount of refunds over all payments; refused requests do not count', async () => {
  const [{ id: one }, { id: other }] = [await succeededIntent(api), await succeededIntent(api)]
  expect(await refund(omar, one, '2000')).toMatchObject({ status: 200 })
  expect(await refund(omar, other, '501')).toBeRefusal('staff_limit_reached')
  expect(await omar.post(`/payment_intents/${other}/refund`, { reason })).toBeRefusal('staff_limit_reached')
  expect(await refund(omar, other, '9999')).toBeRefusal('invalid_request', 'amount')
  expect(await refund(omar, other, '500')).toMatchObject({ status: 200 })
  expect(await refund(omar, other, '1')).toBeRefusal('staff_limit_reached')
  expect([await reservedOf(api, one), await reservedOf(api, other)]).toEqual([2_000, 500])
})

test('a repeated request counts once', async () => {
  const { id: intent } = await succeededIntent(api)
  const form = { amount: '1000', reason }
  for (let sent = 0; sent < 5; sent += 1) {
    const answer = await omar.post(`/payment_intents/${intent}/refund`, form, { key: `once-${intent}` })
    expect(answer).toMatchObject({ status: 200 })
  }
  expect(await refund(omar, intent, '1000')).toMatchObject({ status: 200 })
})

test('a change that requires approval counts for its author, and not for the approver', async () => {
  const { id: intent } = await succeededIntent(api)
  const asked = await refund(omar, intent, '2500', { msisdn: '237670000002' })
  expect(asked.body.action).toBe('approval.request')
  expect(await refund(omar, intent, '1')).toBeRefusal('staff_limit_reached')
  expect(await approve(olga, asked)).toMatchObject({ status: 200 })
  expect(await refund(olga, intent, '2500')).toMatchObject({ status: 200 })
})

test('rulings have separate limits, by role', async () => {
  expect(await rule(omar, 'succeeded')).toMatchObject({ status: 200 })
  expect(await rule(omar)).toBeRefusal('staff_limit_reached')
  expect(await rule(olga)).toMatchObject({ status: 200 })
  expect(await rule(ada)).toBeRefusal('staff_limit_reached')
  expect(await refund(omar, (await succeededIntent(api)).id, '100')).toMatchObject({ status: 200 })
})
