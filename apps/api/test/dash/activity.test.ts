import { afterAll, describe, expect, test } from 'vitest'
import { draftInvoice } from '../bills.ts'
import { createCustomer } from '../customer-steps.ts'
import { settle } from '../harness.ts'
import { createRefund } from '../refunds.ts'
import { createSession } from '../sessions.ts'
import { confirmCall, createIntent } from '../steps.ts'
import { startStaffApi } from './staff.ts'

const api = await startStaffApi()
const omar = await api.signInAs('omar')
afterAll(() => api.stop())

interface Entry {
  readonly source: string
  readonly id: string
  readonly text: string
}

const told = (body: { entries: readonly Entry[] }) =>
  body.entries.map(({ source, id, text }) => [source, id, text])

/** One object of each kind, each in a second of its own, and what staff did. */
async function history() {
  const { id: customer } = await createCustomer(api, 'name=Awa')
  const of = `&customer=${customer}`
  const { id: paid } = await createIntent(api, of)
  await api.call(confirmCall(paid))
  await settle(api)
  api.advance(1_000)
  const { id: refund } = await createRefund(api, paid)
  api.advance(1_000)
  const { id: session, payment_intent: ofSession } = await createSession(api, of)
  api.advance(1_000)
  const { id: invoice } = await draftInvoice(api, of)
  api.advance(1_000)
  const { id: canceled } = await createIntent(api, of)
  api.advance(1_000)
  await omar.post(`/payment_intents/${canceled}/cancel`, { reason: 'The shop asked for it.' })
  return { customer, paid, refund, session, ofSession, invoice, canceled }
}

describe('dash.customers.activity', () => {
  test('200: payments, refunds, sessions, invoices and changes by staff in one order', async () => {
    const { customer, paid, refund, session, ofSession, invoice, canceled } = await history()
    await createIntent(api)
    await omar.get(`/customers/${customer}`)
    const { status, body } = await omar.get(`/customers/${customer}/activity`)
    expect(status).toBe(200)
    const entries = told(body)
    expect(entries).toHaveLength(7)
    expect(entries[0]).toEqual(['staff', canceled, 'payment_intent.cancel'])
    expect(entries[1]).toEqual(['payment_intent', canceled, 'canceled'])
    expect(entries[2]?.slice(0, 2)).toEqual(['invoice', invoice])
    const ofOneSecond = new Set(entries.slice(3, 5).map(([, id]) => id))
    expect(ofOneSecond).toEqual(new Set([session, ofSession]))
    expect(entries[5]?.slice(0, 2)).toEqual(['refund', refund])
    expect(entries[6]).toEqual(['payment_intent', paid, 'succeeded'])
    expect(body.entries[5]).toMatchObject({ payment_intent: paid, amount: 5_000, currency: 'XAF' })
    expect(body.complete_since).toBeNull()
  })

  test('200: changes by staff of every charge of a payment, also of the older ones', async () => {
    const { id: customer } = await createCustomer(api, 'name=Chi')
    const { id } = await createIntent(api, `&customer=${customer}`)
    for (const ending of ['declines', 'approves'] as const) {
      await api.call(confirmCall(id, ending))
      await settle(api)
      api.advance(1_000)
    }
    const charges: { id: string }[] = (await omar.get(`/payment_intents/${id}`)).body.charges
    const [newest, oldest] = charges.map((charge) => charge.id)
    if (newest === undefined || oldest === undefined) throw new Error('the payment has two charges')
    const answer = await omar.post(`/charges/${oldest}/query`, { reason: 'The payer paid twice.' })
    expect(answer.status).toBe(200)
    const { body } = await omar.get(`/customers/${customer}/activity`)
    expect(body.complete_since).toBeNull()
    expect(body.entries[0]).toMatchObject({
      source: 'staff',
      id: oldest,
      text: 'charge.query',
      payment_intent: id,
    })
  })

  test('200: ends where a kind has older objects, so that no gap is shown', async () => {
    const { id: customer } = await createCustomer(api, 'name=Bea')
    const { id: invoice } = await draftInvoice(api, `&customer=${customer}`)
    api.advance(1_000)
    for (let made = 0; made < 51; made += 1) {
      await createIntent(api, `&customer=${customer}`)
      if (made === 0) api.advance(1_000)
    }
    const { body } = await omar.get(`/customers/${customer}/activity`)
    expect(body.entries).toHaveLength(50)
    expect(told(body).flat()).not.toContain(invoice)
    expect(body.complete_since).toBe(body.entries.at(-1).at)
  })

  test('404: no such customer', async () => {
    expect(await omar.get(`/customers/cus_${'0'.repeat(32)}/activity`)).toBeRefusal('resource_missing')
  })
})

describe('dash.merchantClients.activity', () => {
  test('200: the newest objects of the merchant and changes of it, and none of another', async () => {
    const own = await startStaffApi()
    const ada = await own.signInAs('ada')
    const { id } = await createIntent(own)
    await createIntent(own, '', { merchant: 'globex' })
    await ada.post('/merchant_clients/acme/disable', { reason: 'Its key leaked.' })
    await ada.post('/merchant_clients/acme/enable', { reason: 'It has a new key.' })
    const entries = told((await ada.get('/merchant_clients/acme/activity')).body)
    expect(entries).toHaveLength(3)
    expect(entries).toContainEqual(['payment_intent', id, 'requires_payment_method'])
    expect(entries).toContainEqual(['staff', 'acme', 'merchant_client.disable'])
    expect(entries).toContainEqual(['staff', 'acme', 'merchant_client.enable'])
    await own.stop()
  })

  test('404: no such merchant', async () => {
    expect(await omar.get('/merchant_clients/nobody/activity')).toBeRefusal('resource_missing')
  })
})
