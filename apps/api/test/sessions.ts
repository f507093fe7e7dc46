import type { CheckoutSession } from '@merchant-payments/contract'
import { expect } from 'vitest'
import { type Extra, PUSH_RAIL, type Replica, type TestAnswer, type TestCall } from './harness.ts'
import { intentForm } from './steps.ts'

export const DAY_SEC = 24 * 60 * 60

const successUrl = 'success_url=https://shop.test/thanks'

export const sessionForm = `${intentForm}&${successUrl}`

export const createSessionCall = (form = sessionForm, extra: Extra = {}): TestCall => ({
  path: '/v1/checkout/sessions',
  form,
  ...extra,
})

export const adoptCall = (intent: string, more = '', extra: Extra = {}): TestCall =>
  createSessionCall(`payment_intent=${intent}&${successUrl}${more}`, extra)

export const expireCall = (id: string, extra: Omit<TestCall, 'path'> = {}): TestCall => ({
  method: 'POST',
  path: `/v1/checkout/sessions/${id}/expire`,
  ...extra,
})

export async function createSession(api: Replica, more = '', extra: Extra = {}): Promise<CheckoutSession> {
  const answer = await api.call(createSessionCall(`${sessionForm}${more}`, extra))
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}

export const readSession = (api: Replica, id: string): Promise<TestAnswer> =>
  api.call({ path: `/v1/checkout/sessions/${id}` })

/** The session in webhooks and in answers after its end (spec 6.2). */
export function ended(session: CheckoutSession, fields: Partial<CheckoutSession> = {}): CheckoutSession {
  const { client_secret: _, ...rest } = session
  return { ...rest, status: 'expired', url: null, ...fields }
}

/** The session that `sessionForm` creates, without values that a test cannot know. */
export const freshSession = (fields: Partial<CheckoutSession> = {}) => ({
  id: expect.stringMatching(/^cs_[0-9a-f]{32}$/) as string,
  object: 'checkout.session',
  status: 'open',
  payment_status: 'unpaid',
  payment_intent: expect.stringMatching(/^pi_[0-9a-f]{32}$/) as string,
  amount: 5000,
  currency: 'XAF',
  payment_method_types: [PUSH_RAIL],
  customer: null,
  ui_mode: 'hosted',
  url: expect.any(String) as string,
  client_secret: expect.any(String) as string,
  success_url: 'https://shop.test/thanks',
  cancel_url: null,
  return_url: null,
  client_reference_id: null,
  metadata: {},
  expires_at: expect.any(Number) as number,
  created: expect.any(Number) as number,
  livemode: false,
  ...fields,
})

export const lifeSecOf = ({ expires_at, created }: CheckoutSession): number => expires_at - created
