import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as contract from '@merchant-payments/contract'
import { describe, expect, test } from 'vitest'
import { ConnectionError, createMerchantPayments, type PaymentsError } from '../src/index-node.ts'
import { createFakeService, type Failure } from '../src/testing.ts'
import { rejection } from './api-server.ts'

const params = { amount: 5000, currency: 'XAF', payment_method_types: ['mtn_momo_cm'] } as const
const msisdn = '237670000001'
const data = { payment_method_data: { mtn_momo_cm: { msisdn } } }
const destination = { mtn_momo_cm: { msisdn } }

function start() {
  const service = createFakeService({ clock: () => 1_795_000_000_000 })
  return { service, payments: createMerchantPayments(service.options) }
}

async function paid() {
  const { service, payments } = start()
  const { id } = await payments.paymentIntents.create(params)
  await payments.paymentIntents.confirm(id, data)
  service.settle(id, 'succeeded')
  return { service, payments, id }
}

interface Schema {
  safeParse(value: unknown): object
}

describe('the fake service', () => {
  test('answers with objects as the contract declares them', async () => {
    const { payments, id, service } = await paid()
    const refund = await payments.refunds.create({ payment_intent: id, amount: 2000, destination })
    const customer = await payments.customers.create({
      name: 'Awa',
      address: { city: 'Douala' },
      metadata: { a: '1' },
    })
    const session = await payments.checkout.sessions.create({
      ...params,
      success_url: 'https://shop.example/',
    })
    const holder = await payments.accountHolders.retrieve({ payment_method_type: 'mtn_momo_cm', msisdn })
    await payments.paymentIntents.create({ ...params, customer: customer.id })
    const draft = await payments.invoices.create({ customer: customer.id, currency: 'XAF' })
    const item = await payments.invoiceItems.create({ invoice: draft.id, unit_amount: 2500, quantity: 2 })
    const open = await payments.invoices.finalizeInvoice(draft.id)
    await payments.customers.del(customer.id)
    const answers: [Schema, unknown][] = [
      [contract.PaymentIntent, await payments.paymentIntents.retrieve(id)],
      [contract.Refund, refund],
      [contract.Refund, await payments.refunds.update(refund.id, { metadata: { ticket: '1' } })],
      [contract.Customer, await payments.customers.retrieve(customer.id)],
      [contract.CheckoutSession, session],
      [contract.CheckoutSession, await payments.checkout.sessions.expire(session.id)],
      [contract.AccountHolder, holder],
      [contract.InvoiceItem, item],
      [contract.Invoice, open],
      ...service.events().map((event): [Schema, unknown] => [contract.Event, event]),
    ]
    for (const [schema, value] of answers) expect(schema.safeParse(value)).toMatchObject({ success: true })
    expect(service.events().map(({ type }) => type)).toEqual([
      'payment_intent.succeeded',
      'charge.refunded',
      'customer.created',
      'invoice.created',
      'invoice.finalized',
      'customer.deleted',
      'charge.refund.updated',
    ])
  })

  test('refuses a push rail without a number, also beside another rail', async () => {
    const { payments } = start()
    const { id } = await payments.paymentIntents.create(params)
    const confirm = (rails: object) =>
      rejection(payments.paymentIntents.confirm(id, { payment_method_data: rails as never }))
    expect(await confirm({ mtn_momo_cm: {} })).toMatchObject({
      param: 'payment_method_data[mtn_momo_cm][msisdn]',
    })
    expect(await confirm({ orange_money_cm: {}, ...data.payment_method_data })).toMatchObject({
      param: 'payment_method_data',
    })
  })

  test('takes a payment to the outcome that a test gives it', async () => {
    const { service, payments } = start()
    const { id } = await payments.paymentIntents.create(params)
    expect(await payments.paymentIntents.confirm(id, data)).toMatchObject({ status: 'processing' })
    expect(await rejection(payments.paymentIntents.confirm(id, data))).toMatchObject({
      code: 'charge_in_progress',
    })
    service.settle(id, 'insufficient_funds')
    expect(await payments.paymentIntents.retrieve(id)).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'insufficient_funds' },
    })
    await payments.paymentIntents.confirm(id, data)
    service.settle(id, 'succeeded')
    expect(await payments.paymentIntents.retrieve(id)).toMatchObject({
      status: 'succeeded',
      last_payment_error: null,
    })
    expect(() => service.settle(id, 'succeeded')).toThrow(/no open charge/)
  })

  test('attaches the customer that a confirm names to an intent without one', async () => {
    const { service, payments } = start()
    const { id: customer } = await payments.customers.create({ name: 'Awa' })
    const { id: stranger } = await payments.customers.create({ name: 'Eto' })
    const { id } = await payments.paymentIntents.create(params)
    expect(await payments.paymentIntents.confirm(id, { ...data, customer })).toMatchObject({ customer })
    service.settle(id, 'payer_declined')
    const other = payments.paymentIntents.confirm(id, { ...data, customer: stranger })
    expect(await rejection(other)).toMatchObject({ status: 400, param: 'customer' })
    expect(await payments.paymentIntents.retrieve(id)).toMatchObject({ customer })
  })

  test('pays an invoice once its intent is paid', async () => {
    const { service, payments } = start()
    const { id: customer } = await payments.customers.create({ name: 'Awa' })
    const { id } = await payments.invoices.create({ customer, currency: 'XAF' })
    await payments.invoiceItems.create({ invoice: id, amount: 5000 })
    await payments.invoices.finalizeInvoice(id)
    const { payment_intent } = await payments.invoices.pay(id)
    const intentId = payment_intent ?? ''
    await payments.paymentIntents.confirm(intentId, data)
    expect(await rejection(payments.invoices.voidInvoice(id))).toMatchObject({ code: 'charge_in_progress' })
    service.settle(intentId, 'succeeded')
    expect(await payments.invoices.retrieve(id)).toMatchObject({
      status: 'paid',
      number: '1',
      amount_paid: 5000,
      amount_remaining: 0,
      lines: { data: [{ amount: 5000 }] },
    })
    expect(service.events().slice(-2)).toMatchObject([
      { type: 'payment_intent.succeeded' },
      { type: 'invoice.paid', data: { object: { id, lines: { data: [] } } } },
    ])
    expect(await rejection(payments.paymentIntents.confirm(intentId, data))).toMatchObject({
      code: 'charge_terminal',
    })
  })

  test.each<[string, Failure, object]>([
    ['a lost connection', 'connection', { name: 'ConnectionError' }],
    [
      'an unavailable rail',
      { status: 502, code: 'provider_unavailable' },
      { name: 'ProviderUnavailableError' },
    ],
    [
      'a refund that the rail does not do',
      { status: 501, code: 'not_supported' },
      { name: 'NotSupportedError' },
    ],
  ])('fails with %s when a test asks for it', async (_what, failure, error) => {
    const { service, payments } = start()
    service.failNext(failure)
    const call = payments.paymentIntents.create(params, { maxRetries: 0 })
    expect(await rejection(call)).toMatchObject(error)
    expect(await payments.paymentIntents.list().toArray({ limit: 10 })).toEqual([])
  })

  test('a client renews a revoked token', async () => {
    const { service, payments } = start()
    await payments.paymentIntents.list().page()
    service.revokeTokens()
    expect((await payments.paymentIntents.list().page()).data).toEqual([])
    expect(service.requests).toHaveLength(3)
  })

  test.each([{}, { ending_before: '' }])('pages and filters lists %j', async (cursor) => {
    const { payments } = start()
    for (const name of ['a', 'b', 'c', 'd', 'e']) await payments.customers.create({ name })
    const [last] = await payments.customers.list().toArray({ limit: 10 })
    const first = (await payments.customers.list().toArray({ limit: 10 })).at(-1)
    expect([last?.name, first?.name]).toEqual(['e', 'a'])
    const params = 'ending_before' in cursor ? { ending_before: first?.id ?? '' } : {}
    const names: (string | null)[] = []
    for await (const { name } of payments.customers.list({ limit: 2, ...params })) names.push(name)
    expect(names).toEqual('ending_before' in cursor ? ['b', 'c', 'd', 'e'] : ['e', 'd', 'c', 'b', 'a'])
    const events = payments.events.list({ type: 'customer.*', created: { gte: 1_795_000_000 } })
    expect(await events.toArray({ limit: 10 })).toHaveLength(5)
    expect(await payments.events.list({ type: 'invoice.paid' }).toArray({ limit: 10 })).toEqual([])
  })

  test('lists all rows while a test deletes or changes them', async () => {
    const { payments } = start()
    for (const name of ['a', 'b', 'c', 'd', 'e']) await payments.customers.create({ name })
    for await (const { id } of payments.customers.list({ limit: 2 })) await payments.customers.del(id)
    expect(await payments.customers.list().toArray({ limit: 10 })).toEqual([])
    const { sessions } = payments.checkout
    for (let n = 0; n < 5; n += 1) await sessions.create({ ...params, ui_mode: 'embedded' })
    for await (const { id } of sessions.list({ status: 'open', limit: 2 })) await sessions.expire(id)
    expect(await sessions.list({ status: 'open' }).toArray({ limit: 10 })).toEqual([])
  })

  test('runs without the globals that the jsdom environment of Jest lacks', async () => {
    const program = `
      const { createMerchantPayments } = await import('./index.ts')
      const { createFakeService } = await import('./testing.ts')
      const service = createFakeService()
      const payments = createMerchantPayments(service.options)
      const { id } = await payments.customers.create({ name: 'Awa' })
      console.log(service.events().length, id.slice(0, 3))`
    const lacking = ['TextEncoder', 'TextDecoder', 'structuredClone', 'fetch']
    const args = [
      '--input-type=module',
      '--eval',
      `${JSON.stringify(lacking)}.map((name) => delete globalThis[name]);${program}`,
    ]
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: join(import.meta.dirname, '../src'),
    })
    expect(stdout).toBe('1 cus\n')
  })

  test('says what it does not have', async () => {
    const { payments } = start()
    expect(await rejection(payments.customers.retrieve('cus_9'))).toMatchObject({ code: 'resource_missing' })
    const unknown = payments.request({ method: 'GET', path: '/v1/balance' })
    expect(await rejection(unknown)).toMatchObject({ code: 'unknown_route' })
    expect(await rejection(payments.paymentIntents.create({ ...params, amount: 0 }))).toMatchObject({
      param: 'amount',
    })
  })
})

test('the fake service opens no charge in a currency in which the rail does not settle', async () => {
  const { service, payments } = start()
  const { id } = await payments.paymentIntents.create({ ...params, currency: 'EUR' })
  expect(await rejection(payments.paymentIntents.confirm(id, data))).toMatchObject({
    code: 'invalid_request',
    param: 'payment_method_data[mtn_momo_cm]',
  })
  expect(() => service.settle(id, 'succeeded')).toThrow(/no open charge/)
})

describe('a key of the fake service', () => {
  test('is forgotten after 24 hours of its clock, as the service does', async () => {
    let nowMs = 1_795_000_000_000
    const service = createFakeService({ clock: () => nowMs })
    const payments = createMerchantPayments(service.options)
    const create = async () =>
      (await payments.paymentIntents.create(params, { idempotencyKey: 'order-42' })).id
    const first = await create()
    nowMs += 86_400_000 - 1
    expect(await create()).toBe(first)
    nowMs += 1
    expect(await create()).not.toBe(first)
  })

  test('takes the same parameters in another order for the same call', async () => {
    const { payments } = start()
    const options = { idempotencyKey: 'order-42' }
    const first = await payments.paymentIntents.create(
      { ...params, metadata: { order: '42', zone: 'A' } },
      options,
    )
    const { amount, ...rest } = params
    const again = { metadata: { zone: 'A', order: '42' }, ...rest, amount }
    const replay = await payments.paymentIntents.create(again, options)
    expect(replay).toMatchObject({ id: first.id, lastResponse: { idempotentReplayed: true } })
  })

  test('replays the answer of a key, so that a lost answer makes one refund', async () => {
    const { service, payments, id } = await paid()
    service.failNext('answer')
    const refund = await payments.refunds.create({ payment_intent: id, amount: 2000, destination })
    expect(refund.lastResponse.idempotentReplayed).toBe(true)
    expect(await payments.refunds.list().toArray({ limit: 10 })).toHaveLength(1)
    expect(service.requests.filter(({ path }) => path === '/v1/refunds')).toMatchObject([
      { method: 'POST', params: { amount: '2000' }, idempotencyKey: expect.any(String) },
      { method: 'POST' },
      { method: 'GET' },
    ])
    const rest = { payment_intent: id, amount: 3001, destination }
    expect(await rejection(payments.refunds.create(rest))).toMatchObject({
      code: 'invalid_request',
      param: 'amount',
    })
  })

  test('replays nothing of a customer who was erased meanwhile', async () => {
    const { payments } = start()
    const create = () =>
      payments.customers.create({ name: 'Awa', email: 'awa@shop.example' }, { idempotencyKey: 'awa' })
    const { id } = await create()
    await payments.paymentIntents.create({ ...params, customer: id })
    await payments.customers.del(id)
    const replay = await create()
    expect(replay).toMatchObject({ id, name: '[redacted]', email: '[redacted]', phone: '[redacted]' })
    expect(replay.lastResponse.idempotentReplayed).toBe(true)
  })

  test('a key is refused for another request', async () => {
    const { payments } = start()
    await payments.paymentIntents.create(params, { idempotencyKey: 'order-42' })
    const other = payments.paymentIntents.create({ ...params, amount: 1 }, { idempotencyKey: 'order-42' })
    expect(await rejection(other)).toMatchObject({ name: 'IdempotencyError', code: 'idempotency_key_in_use' })
  })

  test('the answer of the next call is lost, also if its first try meets a 401', async () => {
    const { service, payments } = start()
    await payments.paymentIntents.list().page()
    service.revokeTokens()
    service.failNext('answer')
    const call = payments.paymentIntents.create(params, { maxRetries: 0 })
    expect(await rejection(call)).toBeInstanceOf(ConnectionError)
    expect(await payments.paymentIntents.list().toArray({ limit: 10 })).toHaveLength(1)
  })

  test('a call that gives up has the key to continue with', async () => {
    const { service, payments } = start()
    service.failNext('answer', 'connection', 'connection')
    const error = (await rejection(payments.paymentIntents.create(params))) as PaymentsError
    expect(error).toBeInstanceOf(ConnectionError)
    await payments.paymentIntents.create(params, { idempotencyKey: error.idempotencyKey })
    expect(await payments.paymentIntents.list().toArray({ limit: 10 })).toHaveLength(1)
  })
})
