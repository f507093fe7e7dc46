import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  createMerchantPayments,
  isPaymentsError,
  type MerchantPayments,
  type PendingCall,
  type Result,
} from '@merchant-payments/node-sdk'
import { createFakeService } from '@merchant-payments/node-sdk/testing'
import { type Stack, startStack } from '@merchant-payments/stack'
import { cloneDatabase, type TestDatabase } from '@merchant-payments/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

const RAIL = 'mtn_momo_cm'
const REDIRECT_RAIL = 'orange_money_cm'

let database: TestDatabase
let stack: Stack

beforeAll(async () => {
  database = await cloneDatabase()
  stack = await startStack({ databaseUrl: database.url, webhookReceiver: false })
})
afterAll(async () => {
  await stack?.stop()
  await database?.drop()
})

/** The service or the fake, with a hand on its rail. */
interface Side {
  readonly payments: MerchantPayments
  /** Confirms on the push rail. The payer decides later. */
  readonly confirm: (
    intentId: string,
    more?: { return_url?: string; customer?: string },
  ) => PendingCall<Result<object>>
  /** The payer approves or refuses, and the service has noticed. */
  readonly decide: (intentId: string, outcome: 'succeeded' | 'payer_declined') => Promise<void>
}

let nextNumber = 1

async function realSide(): Promise<Side> {
  const { baseUrl, clientId, privateKeyFile, mockRails } = stack
  const payments = createMerchantPayments({
    baseUrl,
    clientId,
    privateKey: await readFile(privateKeyFile, 'utf8'),
  })
  const { control } = mockRails
  const numbers = new Map<string, string>()
  /** A number for each intent. The mock rail leaves those that end in 000 to a person. */
  const numberOf = (id: string): string => {
    const number = numbers.get(id) ?? `237670${String(nextNumber++).padStart(3, '0')}000`
    numbers.set(id, number)
    return number
  }
  return {
    payments,
    confirm: (id, more) =>
      payments.paymentIntents.confirm(id, {
        payment_method_data: { [RAIL]: { msisdn: numberOf(id) } },
        ...more,
      }),
    decide: async (id, outcome) => {
      const charge = (await control.listCharges({ msisdn: numberOf(id), rail: 'mtn' })).at(-1)
      const before = (await payments.paymentIntents.retrieve(id)).status
      await (outcome === 'succeeded' ? control.approveCharge : control.refuseCharge)(charge?.reference ?? '')
      await expect.poll(async () => (await payments.paymentIntents.retrieve(id)).status).not.toBe(before)
    },
  }
}

function fakeSide(): Side {
  const service = createFakeService()
  const payments = createMerchantPayments(service.options)
  return {
    payments,
    confirm: (id, more) =>
      payments.paymentIntents.confirm(id, {
        payment_method_data: { [RAIL]: { msisdn: '237670000000' } },
        ...more,
      }),
    decide: async (id, outcome) => service.settle(id, outcome),
  }
}

const terms = { amount: 5000, currency: 'XAF', payment_method_types: [RAIL] } as const
const destination = { [RAIL]: { msisdn: '237670000001' } }

/** A story returns the answers of its calls, errors among them. */
type Story = (side: Side, told: Told) => Promise<void>

/** Makes a call, and keeps what it answers. */
type Told = <T extends object>(call: PendingCall<Result<T>>) => Promise<T>

const stories: Record<string, Story> = {
  'an intent that is refused, paid and refunded': async ({ payments, confirm, decide }, told) => {
    const { id } = await told(payments.paymentIntents.create({ ...terms, metadata: { order: '42' } }))
    await told(confirm(id))
    await told(confirm(id))
    await decide(id, 'payer_declined')
    await told(payments.paymentIntents.retrieve(id))
    await told(payments.refunds.create({ payment_intent: id, destination }))
    await told(confirm(id))
    await decide(id, 'succeeded')
    await told(payments.paymentIntents.retrieve(id))
    await told(confirm(id))
    await told(payments.paymentIntents.cancel(id))
    const refund = await told(payments.refunds.create({ payment_intent: id, amount: 2000, destination }))
    await told(payments.refunds.create({ payment_intent: id, amount: 3001, destination }))
    await told(payments.refunds.create({ payment_intent: 'pi_9', destination }))
    await told(payments.refunds.update(refund.id, { metadata: { ticket: '1' } }))
    await told(payments.refunds.update(refund.id, { metadata: { ticket: '1' } }))
    await told(payments.refunds.cancel(refund.id))
    await told(payments.refunds.list({ payment_intent: id }).page())
  },

  'intents that are confirmed with an address to return to': async ({ payments, confirm }, told) => {
    const return_url = 'https://shop.example/thanks'
    const both = { ...terms, payment_method_types: [RAIL, REDIRECT_RAIL] }
    const push = await told(payments.paymentIntents.create(both))
    await told(confirm(push.id, { return_url }))
    const redirect = await told(payments.paymentIntents.create(both))
    const byRedirect = { payment_method_data: { [REDIRECT_RAIL]: {} } } as const
    await told(payments.paymentIntents.confirm(redirect.id, byRedirect))
    await told(payments.paymentIntents.confirm(push.id, byRedirect))
    const withRails = (rails: object) =>
      told(payments.paymentIntents.confirm(redirect.id, { payment_method_data: rails as never, return_url }))
    await withRails({})
    await withRails({ [RAIL]: {} })
    await withRails({ [RAIL]: { msisdn: undefined } })
    await withRails({ [REDIRECT_RAIL]: {}, [RAIL]: { msisdn: '237670000001' } })
    await told(
      payments.paymentIntents.confirm(redirect.id, {
        payment_method_data: { [REDIRECT_RAIL]: null },
        return_url,
      }),
    )
  },

  'intents whose confirms name a customer': async ({ payments, confirm, decide }, told) => {
    const { id: customer } = await told(payments.customers.create({ name: 'Awa' }))
    const { id: stranger } = await told(payments.customers.create({ name: 'Eto' }))
    const { id } = await told(payments.paymentIntents.create(terms))
    for (const unknown of ['cus_9', 'cus_00000000000000000000000000000000', 'Awa']) {
      await told(confirm(id, { customer: unknown }))
    }
    await told(confirm(id, { customer: '' }))
    await told(confirm(id, { customer: 'Awa' }))
    await decide(id, 'payer_declined')
    await told(confirm(id, { customer }))
    await told(confirm(id, { customer: stranger }))
    await decide(id, 'payer_declined')
    await told(confirm(id, { customer: stranger }))
    await told(payments.paymentIntents.retrieve(id))
    await told(payments.customers.del(customer))
    await told(payments.customers.retrieve(customer))
    await told(confirm(id))
    const later = await told(payments.paymentIntents.create(terms))
    await told(confirm(later.id, { customer }))
    const session = await told(
      payments.checkout.sessions.create({ ...terms, success_url: 'https://shop.example/' }),
    )
    await told(confirm(session.payment_intent, { customer: stranger }))
    await told(payments.checkout.sessions.retrieve(session.id))
  },

  'an intent that is canceled while its charge is open, and then paid': async (
    { payments, confirm, decide },
    told,
  ) => {
    const { id } = await told(payments.paymentIntents.create({ ...terms, description: 'Order 42' }))
    await told(confirm(id))
    await told(payments.paymentIntents.cancel(id, { cancellation_reason: 'requested_by_customer' }))
    await told(payments.paymentIntents.cancel(id))
    await told(confirm(id))
    await decide(id, 'succeeded')
    await told(payments.paymentIntents.retrieve(id))
  },

  'customers that are changed and erased': async ({ payments }, told) => {
    await told(payments.customers.create({ address: { city: 'Douala' } }))
    const { id } = await told(
      payments.customers.create({
        name: 'Awa Ngo',
        phone: '+237 6 70 00 00 01',
        address: { city: 'Douala', country: 'cm' },
        metadata: { tier: 'gold', since: '2026' },
      }),
    )
    await told(payments.customers.update(id, { email: 'awa@shop.example', address: { city: 'Kribi' } }))
    await told(payments.customers.update(id, { email: null, metadata: { tier: '' } }))
    await told(payments.customers.update(id, { metadata: { since: '2026' } }))
    await told(payments.customers.update(id, { metadata: null }))
    await told(payments.customers.update(id, { metadata: { since: '2026' } }))
    await told(payments.customers.update(id, { name: null, phone: null }))
    await told(payments.paymentIntents.create({ ...terms, customer: id }))
    await told(payments.customers.del(id))
    await told(payments.customers.del(id))
    await told(payments.customers.retrieve(id))
    await told(payments.customers.update(id, { name: 'Awa' }))
    await told(payments.paymentIntents.create({ ...terms, customer: id }))
    const stranger = await told(payments.customers.create({ name: 'Eto' }))
    await told(payments.customers.del(stranger.id))
    await told(payments.customers.retrieve(stranger.id))
  },

  'an erased customer whose key is sent again': async ({ payments }, told) => {
    const idempotencyKey = randomUUID()
    const create = () =>
      told(payments.customers.create({ name: 'Awa', email: 'awa@shop.example' }, { idempotencyKey }))
    const { id } = await create()
    await told(payments.paymentIntents.create({ ...terms, customer: id }))
    await told(payments.customers.del(id))
    await create()
  },

  'lists from cursors that are gone, or that the filters leave out': async ({ payments }, told) => {
    const { customers, events } = payments
    const { sessions } = payments.checkout
    const named = (name: string) => told(customers.create({ name }))
    const base = await named('base')
    const [a, b, c, d] = [await named('a'), await named('b'), await named('c'), await named('d')]
    await told(customers.list({ ending_before: base.id, limit: 2 }).page())
    await told(customers.del(b.id))
    await told(customers.list({ ending_before: b.id, limit: 2 }).page())
    await told(customers.del(d.id))
    await told(customers.list({ starting_after: d.id, limit: 1 }).page())
    await told(customers.list({ ending_before: d.id }).page())

    const ofA = { ...terms, customer: a.id, ui_mode: 'embedded' } as const
    for (let n = 0; n < 3; n += 1) await told(sessions.create(ofA))
    const open = { customer: a.id, status: 'open', limit: 2 } as const
    const page = await told(sessions.list(open).page())
    for (const { id } of page.data) await told(sessions.expire(id))
    await told(sessions.list({ ...open, starting_after: page.data.at(-1)?.id ?? '' }).page())
    await told(sessions.list(open).page())

    const last = (await told(events.list({ limit: 1 }).page())).data[0]?.id ?? ''
    await told(customers.update(c.id, { name: 'other' }))
    await told(events.list({ types: ['customer.updated'], ending_before: last }).page())
    await told(events.list({ type: 'customer.updated', ending_before: last, created: { gte: 1 } }).page())
    await told(events.list({ type: 'customer.created', starting_after: last, limit: 1 }).page())
    await told(events.list({ type: 'invoice.*', ending_before: last }).page())
  },

  'lists that are refused': async ({ payments }, told) => {
    const { customers, events, invoices, refunds } = payments
    const { id } = await told(customers.create({ name: 'Awa' }))
    const refused = (params: object) => told(customers.list(params as never).page())
    await refused({ starting_after: id, ending_before: id })
    await refused({ email: 'awa@shop.example' })
    await refused({ created: 1 })
    await refused({ limit: 101 })
    await refused({ limit: 0, starting_after: 'x' })
    await refused({ starting_after: 'pi_00000000000000000000000000000001' })
    await refused({ ending_before: '' })
    await told(invoices.list({ status: 'lost' as never }).page())
    await told(invoices.list({ customer: 'pi_1' }).page())
    await told(invoices.list({ customer: 'cus_00000000000000000000000000000000' }).page())
    await told(refunds.list({ created: { after: 1 } as never }).page())
    await told(refunds.list({ created: { gte: -1 } }).page())
    await told(refunds.list({ created: { lt: 1 } }).page())
    await told(events.list({ type: 'invoice.paid', types: ['invoice.paid'] }).page())
    await told(events.list({ type: '' as never }).page())
    await told(events.list({ types: [] }).page())
  },

  'lists of rails that are empty': async ({ payments }, told) => {
    const { checkout, invoices, paymentIntents } = payments
    await told(paymentIntents.create({ ...terms, payment_method_types: [] }))
    const intent = await told(paymentIntents.create(terms))
    const embedded = { ui_mode: 'embedded', payment_method_types: [] } as const
    await told(checkout.sessions.create({ ...terms, ...embedded }))
    await told(checkout.sessions.create({ payment_intent: intent.id, ...embedded }))
    const { id: customer } = await told(payments.customers.create({ name: 'Awa' }))
    await told(invoices.create({ customer, currency: 'XAF', payment_method_types: [] }))
    const { id } = await told(invoices.create({ customer, currency: 'XAF', payment_method_types: [RAIL] }))
    await told(invoices.update(id, { payment_method_types: [] }))
    await told(invoices.update(id, { payment_method_types: [RAIL] }))
    await told(invoices.update(id, { payment_method_types: null }))
  },

  'payments in a currency in which no rail settles': async ({ payments, confirm }, told) => {
    const { paymentIntents, checkout } = payments
    const return_url = 'https://shop.example/thanks'
    const euros = { ...terms, currency: 'EUR', payment_method_types: [RAIL, REDIRECT_RAIL] } as const
    const { id } = await told(paymentIntents.create(euros))
    await told(confirm(id))
    await told(paymentIntents.confirm(id, { payment_method_data: { [REDIRECT_RAIL]: {} }, return_url }))
    await told(confirm(id, { customer: 'cus_00000000000000000000000000000000' }))
    await told(paymentIntents.retrieve(id))
    await told(checkout.sessions.create({ payment_intent: id, ui_mode: 'embedded' }))
    const session = await told(checkout.sessions.create({ ...euros, ui_mode: 'embedded' }))
    await told(confirm(session.payment_intent))
    const pushOnly = await told(paymentIntents.create({ ...terms, currency: 'EUR' }))
    await told(
      paymentIntents.confirm(pushOnly.id, { payment_method_data: { [REDIRECT_RAIL]: {} }, return_url }),
    )
    await told(paymentIntents.cancel(pushOnly.id))
    await told(confirm(pushOnly.id))
  },

  'parameters of the compatible API that would lose money or an order': async ({ payments }, told) => {
    const { checkout, paymentIntents } = payments
    const hosted = { ...terms, success_url: 'https://shop.example/' }
    const { id } = await told(paymentIntents.create(terms))
    const shared = {
      capture_method: 'manual',
      application_fee_amount: 5,
      transfer_data: { a: 1 },
      on_behalf_of: 'a',
    }
    const ofSession = {
      line_items: [1],
      mode: 'payment',
      amount_total: 5,
      payment_intent_data: { metadata: { a: 1 } },
    }
    for (const [name, value] of Object.entries({ ...shared, ...ofSession })) {
      await told(checkout.sessions.create({ ...hosted, [name]: value }))
      if (name in ofSession) continue
      await told(paymentIntents.create({ ...terms, [name]: value }))
      await told(paymentIntents.confirm(id, { payment_method_data: destination, [name]: value }))
    }
    const automatic = { ...hosted, capture_method: 'automatic' }
    await told(checkout.sessions.create(automatic))
    await told(payments.refunds.create({ payment_intent: id, destination: { [RAIL]: {} } as never }))
  },

  'checkout sessions that end when the merchant says': async ({ payments }, told) => {
    const { sessions } = payments.checkout
    const nowSec = Math.floor(Date.now() / 1000)
    const ending = (expires_at: unknown) =>
      told(sessions.create({ ...terms, ui_mode: 'embedded', expires_at: expires_at as number }))
    for (const lifeSec of [1_800, 7_200, 86_400]) {
      const { expires_at } = await ending(nowSec + lifeSec)
      expect(expires_at).toBe(nowSec + lifeSec)
    }
    const { created, expires_at } = await told(sessions.create({ ...terms, ui_mode: 'embedded' }))
    expect(expires_at - created).toBe(86_400)
    const tooSoonOrLate = [nowSec, nowSec + 1_700, nowSec + 86_600, nowSec - 7_200]
    for (const refused of [...tooSoonOrLate, 0, -1, null, 'soon', [nowSec + 7_200]]) await ending(refused)
    await told(payments.paymentIntents.list({ limit: 1 }).page())
  },

  'requests with two faults': async ({ payments }, told) => {
    const { id } = await told(payments.paymentIntents.create(terms))
    for (const customer of ['nobody', 'cus_00000000000000000000000000000000']) {
      const payment_method_data = { [RAIL]: { msisdn: '' } }
      await told(payments.paymentIntents.confirm(id, { payment_method_data, customer }))
      const payment_method_types = [''] as never
      await told(payments.invoices.create({ customer, currency: 'XAF', payment_method_types }))
    }
    for (const payment_intent of ['nobody', 'pi_00000000000000000000000000000000'])
      await told(payments.refunds.create({ payment_intent, destination: { [RAIL]: {} } as never }))
    await told(payments.customers.create({ name: '', address: { city: 'Douala' } }))
  },

  'parameters of another shape than the declared one': async ({ payments }, told) => {
    const { customers, invoices, invoiceItems, paymentIntents, refunds } = payments
    const create = (more: object) => told(paymentIntents.create({ ...terms, ...more }))
    for (const amount of [[5000], { a: 5000 }, '', '5e3', '5000.0', ' 5000', '0x10', '+5000']) {
      await create({ amount })
    }
    for (const metadata of ['x', ['x'], { a: { b: 'c' } }, { a: ['b'] }]) await create({ metadata })
    for (const name of ['currency', 'customer', 'description']) await create({ [name]: ['x'] })
    for (const rails of [RAIL, [[RAIL]], ['']]) await create({ payment_method_types: rails })
    const { id: customer } = await told(customers.create({ name: 'Awa' }))
    const change = (params: object) => told(customers.update(customer, params))
    for (const name of ['name', 'email', 'phone']) await change({ [name]: ['x'] })
    await change({ address: { city: 'Douala', planet: 'Earth', country: 'cm' } })
    await change({ address: { planet: 'Earth' } })
    await change({ address: { planet: 'Earth', city: '' } })
    await change({ address: { country: 'cmr' } })
    await change({ address: { latitude_microdeg: 1, city: 'Douala' } })
    await change({ address: 'Douala' })
    await change({ address: { city: ['Douala'] } })
    await change({ address: { latitude_microdeg: '4.05', longitude_microdeg: 1 } })
    await change({ address: { latitude_microdeg: 90_000_001, longitude_microdeg: 1 } })
    await change({ address: { latitude_microdeg: 4_050_000, longitude_microdeg: -9_700_000 } })
    await change({ metadata: 'x' })
    const { id } = await told(invoices.create({ customer, currency: 'XAF' }))
    await told(invoices.update(id, { due_date: OWN_SECONDS, metadata: 'x' as never }))
    await told(invoices.update(id, { description: ['x'] as never }))
    const item = await told(invoiceItems.create({ invoice: id, amount: 5000 }))
    await told(invoiceItems.update(item.id, { amount: 1, metadata: 'x' as never }))
    await told(invoiceItems.update(item.id, { quantity: [2] as never }))
    await told(invoices.retrieve(id))
    const intent = await told(paymentIntents.create(terms))
    await told(paymentIntents.cancel(intent.id, { cancellation_reason: ['x'] as never }))
    await told(paymentIntents.retrieve(intent.id))
    await told(refunds.create({ payment_intent: intent.id, amount: [1] as never, destination }))
  },

  'checkout sessions that are paid and expired': async ({ payments, confirm, decide }, told) => {
    const { sessions } = payments.checkout
    await told(sessions.create(terms))
    const hosted = await told(
      sessions.create({ ...terms, success_url: 'https://shop.example/', client_reference_id: '42' }),
    )
    await told(confirm(hosted.payment_intent))
    await told(sessions.expire(hosted.id))
    await decide(hosted.payment_intent, 'succeeded')
    await told(sessions.retrieve(hosted.id))
    await told(sessions.expire(hosted.id))
    const intent = await told(payments.paymentIntents.create(terms))
    const embedded = await told(sessions.create({ payment_intent: intent.id, ui_mode: 'embedded' }))
    await told(sessions.create({ payment_intent: intent.id, ui_mode: 'embedded' }))
    await told(sessions.expire(embedded.id))
    await told(sessions.expire(embedded.id))
    await told(sessions.list({ status: 'expired', payment_intent: intent.id }).page())
  },

  'an invoice from its draft to its payment': async ({ payments, confirm, decide }, told) => {
    const { invoices, invoiceItems } = payments
    const { id: customer } = await told(payments.customers.create({ name: 'Awa' }))
    await told(invoices.create({ customer: 'cus_9', currency: 'XAF' }))
    await told(invoices.create({ customer, currency: 'XAF', due_date: 1_900_000_000, days_until_due: 1 }))
    const { id } = await told(invoices.create({ customer, currency: 'XAF', due_date: 1_900_000_000 }))
    await told(invoices.finalizeInvoice(id))
    await told(invoices.pay(id))
    await told(invoices.voidInvoice(id))
    const line = await told(
      invoiceItems.create({ invoice: id, unit_amount: 2500, quantity: 2, description: 'Rice' }),
    )
    const credit = await told(invoiceItems.create({ invoice: id, amount: -1000, metadata: { sku: 'C' } }))
    await told(invoiceItems.create({ invoice: id, amount: 1, quantity: 2 }))
    await told(invoiceItems.create({ invoice: id }))
    await told(invoiceItems.create({ invoice: 'in_9', amount: 1 }))
    await told(invoiceItems.create({ invoice: id, amount: 1, currency: 'EUR' }))
    await told(invoiceItems.update(line.id, { quantity: 3, description: null }))
    await told(invoiceItems.update(line.id, { unit_amount: 99_999_999 }))
    await told(invoiceItems.del(credit.id))
    await told(invoiceItems.retrieve(credit.id))
    await told(invoiceItems.retrieve(line.id))
    await told(
      invoices.update(id, { description: 'May', payment_method_types: [RAIL], metadata: { a: '1' } }),
    )
    await told(invoices.finalizeInvoice(id))
    await told(invoices.finalizeInvoice(id))
    await told(invoices.update(id, { due_date: null }))
    await told(invoices.update(id, { description: null, metadata: { a: '' } }))
    await told(invoices.del(id))
    await told(invoiceItems.update(line.id, { quantity: 1 }))
    const { payment_intent } = await told(invoices.pay(id))
    const intentId = payment_intent ?? ''
    await told(invoices.pay(id))
    await told(payments.paymentIntents.retrieve(intentId))
    await told(payments.checkout.sessions.create({ payment_intent: intentId, ui_mode: 'embedded' }))
    await told(confirm(intentId))
    await told(invoices.voidInvoice(id))
    await decide(intentId, 'succeeded')
    await told(invoices.retrieve(id))
    await told(invoices.pay(id))
    await told(invoices.voidInvoice(id))
    await told(invoices.list({ customer, status: 'paid' }).page())
  },

  'intents that are handed out after their customer was erased': async ({ payments }, told) => {
    const { customers, invoices, invoiceItems, paymentIntents } = payments
    const { id: customer } = await told(customers.create({ name: 'Awa' }))
    const { id } = await told(invoices.create({ customer, currency: 'XAF', payment_method_types: [RAIL] }))
    await told(invoiceItems.create({ invoice: id, amount: 5000 }))
    await told(invoices.finalizeInvoice(id))
    await told(invoices.pay(id))
    const intent = await told(paymentIntents.create({ ...terms, customer }))
    const canceled = await told(paymentIntents.create({ ...terms, customer }))
    await told(paymentIntents.cancel(canceled.id))
    const draft = await told(invoices.create({ customer, currency: 'XAF' }))
    await told(invoiceItems.create({ invoice: draft.id, amount: 5000 }))
    await told(customers.del(customer))
    await told(invoices.pay(id))
    await told(invoices.finalizeInvoice(draft.id))
    const adopt = (one: string) =>
      told(payments.checkout.sessions.create({ payment_intent: one, ui_mode: 'embedded' }))
    await adopt(intent.id)
    await adopt(canceled.id)
  },

  'invoices that are canceled, written off, voided and deleted': async (
    { payments, confirm, decide },
    told,
  ) => {
    const { invoices, invoiceItems } = payments
    const { id: customer } = await told(payments.customers.create({ name: 'Awa' }))
    const draft = await told(invoices.create({ customer, currency: 'XAF' }))
    await told(invoiceItems.create({ invoice: draft.id, amount: -500 }))
    await told(invoices.finalizeInvoice(draft.id))
    await told(invoices.del(draft.id))
    await told(invoices.retrieve(draft.id))
    const euro = await told(invoices.create({ customer, currency: 'EUR' }))
    await told(invoiceItems.create({ invoice: euro.id, amount: 500 }))
    await told(invoices.finalizeInvoice(euro.id))
    await told(invoices.pay(euro.id))

    const { id } = await told(invoices.create({ customer, currency: 'XAF' }))
    await told(invoiceItems.create({ invoice: id, amount: 5000 }))
    await told(invoices.finalizeInvoice(id))
    const first = (await told(invoices.pay(id))).payment_intent ?? ''
    await told(payments.paymentIntents.cancel(first))
    await told(invoices.markUncollectible(id))
    await told(invoices.markUncollectible(id))
    const second = (await told(invoices.pay(id))).payment_intent ?? ''
    await told(confirm(second))
    await told(payments.paymentIntents.cancel(second))
    await told(invoices.pay(id))
    await told(invoices.voidInvoice(id))
    await decide(second, 'succeeded')
    await told(invoices.retrieve(id))

    const voided = await told(invoices.create({ customer, currency: 'XAF', payment_method_types: [RAIL] }))
    await told(invoiceItems.create({ invoice: voided.id, amount: 5000 }))
    await told(invoices.finalizeInvoice(voided.id))
    const waiting = (await told(invoices.pay(voided.id))).payment_intent ?? ''
    await told(invoices.voidInvoice(voided.id))
    await told(invoices.voidInvoice(voided.id))
    await told(confirm(waiting))
    await told(payments.customers.del(customer))
    await told(invoices.create({ customer, currency: 'XAF' }))
  },
}

/** The answers of a story, and the events that it wrote, oldest first. */
async function listen(side: Side, story: Story): Promise<unknown[]> {
  const { events } = side.payments
  const [last] = await events.list({ limit: 1 }).toArray({ limit: 1 })
  const heard: unknown[] = []
  await story(side, async (call) => {
    try {
      const { data, response } = await call.withResponse()
      heard.push({ status: response.status, data })
      return data
    } catch (error) {
      if (!isPaymentsError(error)) throw error
      const { status, type, code, param } = error
      heard.push({ status, type, code, param })
      // A story goes on only after an error that it expects, and then reads nothing of the answer.
      return {} as never
    }
  })
  const written: unknown[] = []
  const since = last === undefined ? {} : { ending_before: last.id }
  for await (const event of events.list({ limit: 100, ...since })) written.push(event)
  return [...heard, ...(last === undefined ? written.reverse() : written)]
}

const SECONDS_MIN = 1_500_000_000
/** The due date of the stories is their own. */
const OWN_SECONDS = 1_900_000_000

/** Replaces what no two services share: ids by their order, times, secrets, addresses, the rail's words and invoice numbers. */
function comparable(heard: readonly unknown[]): unknown {
  const ids = new Map<string, string>()
  const idOf = (id: string): string => {
    const known = ids.get(id) ?? `id ${ids.size + 1}`
    ids.set(id, known)
    return known
  }
  const replaced = (key: string, value: unknown): unknown => {
    if (key === 'decline_code' || key === 'message') return '<words>'
    if (typeof value === 'number') return value > SECONDS_MIN && value !== OWN_SECONDS ? '<second>' : value
    if (typeof value !== 'string') return value
    if (key === 'client_secret') return '<secret>'
    if (key === 'url' && /^https?:/.test(value)) return '<address>'
    if (key === 'number') return '<number>'
    return value.replaceAll(/\b[a-z]{2,3}_[0-9a-f]{32}\b/g, idOf)
  }
  return JSON.parse(JSON.stringify(heard, replaced))
}

test.each(Object.entries(stories))('the fake and the service tell the same of %s', async (_what, story) => {
  const fake = comparable(await listen(fakeSide(), story))
  const real = comparable(await listen(await realSide(), story))
  expect(fake).toEqual(real)
})
