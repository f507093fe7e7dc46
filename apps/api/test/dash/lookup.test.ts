import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openInvoice } from '../bills.ts'
import { createCustomer } from '../customer-steps.ts'
import { createRefund } from '../refunds.ts'
import { createSession } from '../sessions.ts'
import { succeededIntent } from '../steps.ts'
import { type StaffApi, type StaffMember, startStaffApi } from './staff.ts'
import { fanOutToMain } from './webhooks.ts'

let api: StaffApi
let vera: StaffMember
beforeAll(async () => {
  api = await startStaffApi()
  vera = await api.signInAs('vera')
})
afterAll(() => api.stop())

const found = async (text: string) => (await vera.get(`/lookup?q=${encodeURIComponent(text)}`)).body.matches

describe('dash.lookup.retrieve', () => {
  test('200: what an id belongs to, by its prefix', async () => {
    const { id: intent } = await succeededIntent(api)
    const refund = await createRefund(api, intent)
    const session = await createSession(api)
    const customer = await createCustomer(api, 'phone=677112233', { merchant: 'globex' })
    const invoice = await openInvoice(api)
    await fanOutToMain(api)
    const { body } = await vera.get(`/payment_intents/${intent}`)
    const [charge, event, delivery] = [body.charges[0], body.events[0], body.deliveries[0]]
    const acme = { merchant: 'acme', payment_intent: null }
    expect(await found(intent)).toEqual([{ kind: 'payment_intent', id: intent, ...acme }])
    expect(await found(` ${charge.id}\n`)).toEqual([
      { kind: 'charge', id: charge.id, merchant: 'acme', payment_intent: intent },
    ])
    expect(await found(refund.id)).toEqual([
      { kind: 'refund', id: refund.id, merchant: 'acme', payment_intent: intent },
    ])
    expect(await found(session.id)).toEqual([
      { kind: 'checkout_session', id: session.id, merchant: 'acme', payment_intent: session.payment_intent },
    ])
    expect(await found(event.id)).toEqual([{ kind: 'event', id: event.id, ...acme }])
    expect(await found(delivery.id)).toEqual([{ kind: 'delivery', id: delivery.id, ...acme }])
    expect(await found(invoice.id)).toMatchObject([{ kind: 'invoice', id: invoice.id }])
    const match = { kind: 'customer', id: customer.id, merchant: 'globex', payment_intent: null }
    expect(await found(customer.id)).toEqual([match])
    expect(await found('+237 6 77 11 22 33')).toEqual([match])
    expect(await found(charge.reference)).toEqual([
      { kind: 'charge', id: charge.id, merchant: 'acme', payment_intent: intent },
    ])
  })

  test.each([
    'pi_0193f2d5e0a07c3e9b1a2b3c4d5e6f70',
    'wd_0193f2d5e0a07c3e9b1a2b3c4d5e6f70',
    'nothing',
    '%',
    "' or 1=1",
  ])('200: nothing has %j', async (text) => {
    expect(await found(text)).toEqual([])
  })

  test('400: nothing to look for, or too much', async () => {
    expect(await vera.get('/lookup')).toBeRefusal('invalid_request', 'q')
    expect(await vera.get(`/lookup?q=${'a'.repeat(129)}`)).toBeRefusal('invalid_request', 'q')
  })
})
