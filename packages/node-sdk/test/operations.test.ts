import * as contract from '@merchant-payments/contract'
import { describe, expect, test } from 'vitest'
import type { MerchantPayments, PendingCall, Result } from '../src/index.ts'
import { apiError, intent, rejection, startApi } from './api-server.ts'

const { id } = intent
const customerId = 'cus_0190b2c4e8f97d3ab6c51e2f40718293'
const refundId = 're_0190b2c4e8f97d3ab6c51e2f40718293'
const eventId = 'evt_0190b2c4e8f97d3ab6c51e2f40718293'
const headers = { 'request-id': 'req_7' }
const emptyPage = { headers, body: { object: 'list', url: '/', has_more: false, data: [] } }

/** One call of every method, by the id of its operation. */
const calls: Record<string, (payments: MerchantPayments) => PendingCall<Result<object>>> = {
  'paymentIntents.create': ({ paymentIntents }) =>
    paymentIntents.create({ amount: 5000, currency: 'XAF', payment_method_types: ['mtn_momo_cm'] }),
  'paymentIntents.list': ({ paymentIntents }) => paymentIntents.list().page(),
  'paymentIntents.retrieve': ({ paymentIntents }) => paymentIntents.retrieve(id),
  'paymentIntents.confirm': ({ paymentIntents }) =>
    paymentIntents.confirm(id, { payment_method_data: { mtn_momo_cm: { msisdn: '237670000001' } } }),
  'paymentIntents.cancel': ({ paymentIntents }) => paymentIntents.cancel(id),
  'checkout.sessions.create': ({ checkout }) =>
    checkout.sessions.create({ payment_intent: id, success_url: 'https://shop.example/thanks' }),
  'checkout.sessions.list': ({ checkout }) => checkout.sessions.list().page(),
  'checkout.sessions.retrieve': ({ checkout }) => checkout.sessions.retrieve(id),
  'checkout.sessions.expire': ({ checkout }) => checkout.sessions.expire(id),
  'customers.create': ({ customers }) => customers.create({ phone: '237670000001' }),
  'customers.list': ({ customers }) => customers.list().page(),
  'customers.retrieve': ({ customers }) => customers.retrieve(customerId),
  'customers.update': ({ customers }) => customers.update(customerId, { name: 'Awa' }),
  'customers.del': ({ customers }) => customers.del(customerId),
  'refunds.create': ({ refunds }) =>
    refunds.create({ payment_intent: id, destination: { mtn_momo_cm: { msisdn: '237670000001' } } }),
  'refunds.list': ({ refunds }) => refunds.list({ payment_intent: id }).page(),
  'refunds.retrieve': ({ refunds }) => refunds.retrieve(refundId),
  'refunds.update': ({ refunds }) => refunds.update(refundId, { metadata: { ticket: '' } }),
  'refunds.cancel': ({ refunds }) => refunds.cancel(refundId),
  'accountHolders.retrieve': ({ accountHolders }) =>
    accountHolders.retrieve({ payment_method_type: 'mtn_momo_cm', msisdn: '237670000001' }),
  'invoices.create': ({ invoices }) => invoices.create({ customer: 'cus_1', currency: 'XAF' }),
  'invoices.list': ({ invoices }) => invoices.list().page(),
  'invoices.retrieve': ({ invoices }) => invoices.retrieve(id),
  'invoices.update': ({ invoices }) => invoices.update(id, { description: null }),
  'invoices.del': ({ invoices }) => invoices.del(id),
  'invoices.finalizeInvoice': ({ invoices }) => invoices.finalizeInvoice(id),
  'invoices.voidInvoice': ({ invoices }) => invoices.voidInvoice(id),
  'invoices.markUncollectible': ({ invoices }) => invoices.markUncollectible(id),
  'invoices.pay': ({ invoices }) => invoices.pay(id),
  'invoiceItems.create': ({ invoiceItems }) => invoiceItems.create({ invoice: 'in_1', amount: -5 }),
  'invoiceItems.retrieve': ({ invoiceItems }) => invoiceItems.retrieve(id),
  'invoiceItems.update': ({ invoiceItems }) => invoiceItems.update(id, { quantity: 2 }),
  'invoiceItems.del': ({ invoiceItems }) => invoiceItems.del(id),
  'events.list': ({ events }) => events.list().page(),
  'events.retrieve': ({ events }) => events.retrieve(eventId),
}

const isOperation = (value: unknown): value is contract.Operation =>
  typeof value === 'object' && value !== null && 'surface' in value && 'method' in value

/** Lists methods at any depth, such as `checkout.sessions.create`. */
const methodsOf = (path: string, members: object): string[] =>
  Object.entries(members).flatMap(([name, member]: [string, object]) =>
    typeof member === 'function' ? [`${path}.${name}`] : methodsOf(`${path}.${name}`, member),
  )

const exported: unknown[] = Object.values(contract)
const operations = exported.filter(isOperation).filter(({ surface }) => surface === 'v1')

describe('the SDK and the contract', () => {
  test('have the same operations', async () => {
    // Webhooks are verified without a call.
    const { webhooks: _webhooks, ...client } = (await startApi()).client()
    const methods = Object.entries(client).flatMap(([resource, members]) =>
      typeof members === 'function' ? [] : methodsOf(resource, members as object),
    )
    const ids = new Set(operations.map((operation) => operation.id))
    expect(new Set(methods)).toEqual(ids)
    expect(new Set(Object.keys(calls))).toEqual(ids)
  })

  test.each(operations.map((operation) => [operation.id, operation] as const))(
    '%s sends the method and the path of its operation, and gives the response with the result',
    async (operationId, { method, path }) => {
      const answer = path.endsWith('s') && method === 'GET' ? emptyPage : { headers, body: intent }
      const { client, requests } = await startApi({ answers: [answer] })
      const answered = await calls[operationId]?.(client()).withResponse()
      const [, collection = ''] = /^\/v1\/(\w+)/.exec(path) ?? []
      const ids: Record<string, string> = { customers: customerId, refunds: refundId, events: eventId }
      const sentPath = path.replace('{id}', ids[collection] ?? id)
      const sent = requests.map((seen) => [seen.method, seen.path.replace(/\?.*/, '')])
      expect(sent).toEqual([[method, sentPath]])
      expect(answered?.data).toEqual(answer.body)
      expect(answered?.response).toMatchObject({ status: 200, requestId: 'req_7', headers })
      expect(answered?.response).toBe(answered?.data.lastResponse)
    },
  )
})

describe('a call', () => {
  test('sends the form, the key and no identifying headers beyond the client [§9.4]', async () => {
    const { client, requests } = await startApi({ answers: [{ status: 201, body: intent }] })
    const params = {
      amount: 5000,
      currency: 'XAF',
      payment_method_types: ['mtn_momo_cm'],
      customer: null,
      description: undefined,
      metadata: { sum: '1+1' },
    } as const
    await client().paymentIntents.create(params, {
      idempotencyKey: 'order-42',
      headers: { 'X-Trace': 'abc' },
    })
    expect(requests).toEqual([
      {
        method: 'POST',
        path: '/v1/payment_intents',
        headers: {
          'x-trace': 'abc',
          accept: 'application/json',
          'user-agent': expect.stringMatching(/^merchant-payments-node-sdk\/\d+\.\d+\.\d+$/),
          'content-type': 'application/x-www-form-urlencoded',
          'idempotency-key': 'order-42',
          authorization: 'Bearer token-1',
          host: expect.any(String),
          connection: 'keep-alive',
          'content-length': '90',
        },
        body: 'amount=5000&currency=XAF&customer=&metadata[sum]=1%2B1&payment_method_types[0]=mtn_momo_cm',
      },
    ])
  })

  test('returns the object, with its response in a non-enumerable property', async () => {
    const headers = { 'request-id': 'req_7', 'idempotent-replayed': 'true', 'set-cookie': 'a=b' }
    const { client } = await startApi({ answers: [{ status: 201, headers, body: intent }] })
    const result = await client().paymentIntents.cancel(intent.id)
    expect(result).toEqual(intent)
    expect(Object.keys(result)).not.toContain('lastResponse')
    expect(result.lastResponse).toEqual({
      status: 201,
      headers: expect.objectContaining({ 'request-id': 'req_7', 'content-type': 'application/json' }),
      requestId: 'req_7',
      idempotentReplayed: true,
    })
    expect(result.lastResponse.headers).not.toHaveProperty('set-cookie')
  })

  test('is sent once, whether its result, its response or both are awaited', async () => {
    const { client, requests } = await startApi({ answers: [{ status: 201, headers, body: intent }] })
    const call = client().paymentIntents.cancel(intent.id)
    const [result, { data, response }] = await Promise.all([call, call.withResponse()])
    expect(data).toBe(result)
    expect(response).toMatchObject({ status: 201, requestId: 'req_7', idempotentReplayed: false })
    expect(requests).toHaveLength(1)
  })

  test('rejects with the same error when its response is awaited', async () => {
    const { client } = await startApi({ answers: [apiError(409, 'charge_in_progress')] })
    const call = client().paymentIntents.cancel(intent.id)
    const error = await rejection(call.withResponse())
    expect(error).toMatchObject({ name: 'ConflictError', status: 409, requestId: 'req_1' })
    expect(await rejection(call)).toBe(error)
  })

  test('that reads sends its parameters as a query, without key and body', async () => {
    const { client, requests } = await startApi({ answers: [{ body: { id: 'cus_1' } }] })
    const call = { method: 'GET', path: '/v1/customers', params: { limit: 3, types: ['a+b'] } } as const
    const { lastResponse, ...customer } = await client().request<{ id: string }>(call)
    expect(customer).toEqual({ id: 'cus_1' })
    expect(lastResponse.idempotentReplayed).toBe(false)
    expect(requests[0]).toMatchObject({ path: '/v1/customers?limit=3&types[0]=a%2Bb', body: '' })
    expect(requests[0]?.headers).not.toHaveProperty('idempotency-key')
    expect(requests[0]?.headers).not.toHaveProperty('content-type')
  })

  test('that writes without parameters sends an empty body and its own key', async () => {
    const { client, requests } = await startApi({ answers: [{ body: intent }, { body: intent }] })
    const payments = client()
    await payments.paymentIntents.cancel(intent.id)
    await payments.paymentIntents.cancel(intent.id)
    expect(requests.map(({ body, headers }) => [body, headers['content-length']])).toEqual([
      ['', '0'],
      ['', '0'],
    ])
    const keys = requests.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(2)
    for (const key of keys) expect(key).toMatch(/^[0-9a-f-]{36}$/)
  })

  test.each([
    ['an empty id', '', 'id must be the id of an object'],
    ['an id that climbs', '..', 'id must be the id of an object'],
  ])('with %s is refused before anything is sent', async (_what, badId, message) => {
    const { client, requests } = await startApi()
    await expect(client().paymentIntents.retrieve(badId)).rejects.toThrow(new TypeError(message))
    expect(requests).toEqual([])
  })

  test('with an id of any other form stays below its collection', async () => {
    const { client, requests } = await startApi({ answers: [{ body: intent }] })
    await client().paymentIntents.retrieve('../events?a=1#b')
    expect(requests[0]?.path).toBe('/v1/payment_intents/..%2Fevents%3Fa%3D1%23b')
  })

  const badKey =
    'idempotencyKey must have 1 to 255 printable ASCII characters, and no space at its start or end'
  test.each([
    ['@evil.example/v1/x', {}, 'path must begin with /v1/ and have no query'],
    ['/v1/customers?limit=3', {}, 'path must begin with /v1/ and have no query'],
    ['/v1/x', { idempotencyKey: '' }, badKey],
    ['/v1/x', { idempotencyKey: 'é' }, badKey],
    ['/v1/x', { idempotencyKey: ' order-42' }, badKey],
    ['/v1/x', { idempotencyKey: 'order-42 ' }, badKey],
    ['/v1/x', { idempotencyKey: ' ' }, badKey],
    ['/v1/x', { idempotencyKey: 'k'.repeat(256) }, badKey],
    // As text, null would be the same key for each order without a number.
    ['/v1/x', { idempotencyKey: null as never }, badKey],
    ['/v1/x', { idempotencyKey: Number.NaN as never }, badKey],
    ['/v1/x', { headers: { Authorization: 'Bearer x' } }, 'headers must not set authorization'],
    [
      '/v1/x',
      { headers: { 'x-a': 'b\r\nc: d' } },
      'headers must have token names and printable ASCII values',
    ],
    ['/v1/x', { timeoutMs: 0 }, 'timeoutMs must be an integer from 1 to 2147483647'],
    ['/v1/x', { timeoutMs: 2 ** 31 }, 'timeoutMs must be an integer from 1 to 2147483647'],
    ['/v1/x', { maxRetries: 11 }, 'maxRetries must be an integer from 0 to 10'],
  ])('to %s with %o is refused before it sends anything', async (path, options, message) => {
    const { client, requests, tokenRequests } = await startApi()
    const call = client().request({ method: 'POST', path }, options)
    await expect(call).rejects.toThrow(new TypeError(message))
    expect([requests, tokenRequests]).toEqual([[], []])
  })
})
