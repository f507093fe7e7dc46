import { createRequire } from 'node:module'
import type { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { Stripe } from 'stripe'
import { describe, expect, test } from 'vitest'
import { createTokenSource } from '../src/index-node.ts'
import { stripeConfig, type StripeHttpClient } from '../src/stripe.ts'
import { type Answer, apiError, intent, privateKey, rejection, startApi } from './api-server.ts'

// Their types declare the module `stripe` once more, and would change those of the newest version.
const require = createRequire(import.meta.url)

const versions: [string, typeof Stripe][] = [
  ['17', require('stripe-17') as typeof Stripe],
  ['20', require('stripe-20') as typeof Stripe],
  ['23', Stripe],
]
const found: Answer = { body: intent }
const refused = apiError(401, 'authentication_error', 'false')
const inFlight: Answer = {
  status: 400,
  headers: { 'compat-should-retry': 'true' },
  body: { error: { type: 'idempotency_error', code: 'idempotency_key_in_flight', message: 'still running' } },
}

/** Ends the connection within the body. */
const cut =
  (status: number): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': 100 })
    response.write('{"id":', () => response.destroy())
  }
/** Sends no more than the headers and the start of the body. */
const stalled: Answer = (response) => void response.writeHead(200).write('{"id":')

describe.each(versions)('stripe-node %s', (version, Client) => {
  async function start(script: Parameters<typeof startApi>[0]) {
    const api = await startApi(script)
    const tokens = createTokenSource({
      baseUrl: api.baseUrl,
      clientId: 'shop',
      privateKey,
      sleep: () => Promise.resolve(),
    })
    const stripe = new Client('', stripeConfig({ tokens, httpClient: Client.createNodeHttpClient() }))
    const onFetch = new Client('', stripeConfig({ tokens, httpClient: Client.createFetchHttpClient() }))
    return { ...api, stripe, onFetch, tokens }
  }

  test('sends the token, and leaves the form as it is [§9.4]', async () => {
    const { stripe, requests, tokenRequests } = await start({
      answers: [{ status: 201, body: intent }, found],
    })
    const created = await stripe.paymentIntents.create({
      amount: 5000,
      currency: 'XAF',
      metadata: { order: '42' },
    })
    expect(created).toMatchObject({ id: intent.id, status: 'requires_payment_method' })
    await stripe.paymentIntents.retrieve(intent.id)
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: '/v1/payment_intents',
        headers: { authorization: 'Bearer token-1' },
        body: 'amount=5000&currency=XAF&metadata[order]=42',
      },
      { method: 'GET', headers: { authorization: 'Bearer token-1' } },
    ])
    expect(tokenRequests).toHaveLength(1)
    expect(requests[1]?.headers).not.toHaveProperty('x-stripe-client-telemetry')
  })

  test('mints a token again after a 401, and repeats the request with its key [§5.4]', async () => {
    const { stripe, requests } = await start({ answers: [refused, found] })
    const options = { idempotencyKey: 'order-42' }
    expect(await stripe.paymentIntents.cancel(intent.id, {}, options)).toMatchObject({ id: intent.id })
    expect(requests.map(({ headers }) => [headers.authorization, headers['idempotency-key']])).toEqual([
      ['Bearer token-1', 'order-42'],
      ['Bearer token-2', 'order-42'],
    ])
  })

  test('repeats a request whose answer was cut, under its key', async () => {
    const { stripe, onFetch, requests } = await start({ answers: [cut(201), found, cut(201), found] })
    for (const client of [stripe, onFetch]) {
      const created = await client.paymentIntents.create({ amount: 5000, currency: 'XAF' })
      expect(created).toMatchObject({ id: intent.id })
    }
    const keys = requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual([keys[0], keys[0], keys[2], keys[2]])
    expect(keys[0]).toMatch(/./)
  })

  test('without retries does not repeat a request whose answer was cut: it may have no key', async () => {
    const { stripe, requests } = await start({ answers: [cut(201), found] })
    const terms = { amount: 5000, currency: 'XAF' }
    const error = await rejection(stripe.paymentIntents.create(terms, { maxNetworkRetries: 0 }))
    expect(error).toMatchObject({ type: 'StripeConnectionError' })
    expect(requests).toHaveLength(1)
  })

  test('mints a token again after a 401 that was cut', async () => {
    const { stripe, requests } = await start({ answers: [cut(401), found] })
    expect(await stripe.paymentIntents.retrieve(intent.id)).toMatchObject({ id: intent.id })
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2'])
  })

  test('waits for the rest of a body no longer than the time-out of the call', async () => {
    const { stripe, onFetch } = await start({ answers: [stalled, stalled] })
    const limits = { timeout: 100, maxNetworkRetries: 0 }
    for (const client of [stripe, onFetch]) {
      const error = await rejection(client.paymentIntents.retrieve(intent.id, {}, limits))
      expect(error).toMatchObject({ type: 'StripeConnectionError' })
    }
  })

  test('leaves to the client what it says of a body that is no JSON', async () => {
    const { stripe } = await start({ answers: [{ body: '<html>' }] })
    const error = await rejection(stripe.paymentIntents.retrieve(intent.id))
    expect(error).toMatchObject({ type: 'StripeAPIError', message: expect.stringMatching(/^Invalid JSON/) })
  })

  test('honours compat-should-retry [§7.2]', async () => {
    const conflict = apiError(409, 'charge_in_progress', 'false')
    const { stripe, requests } = await start({ answers: [inFlight, found, conflict, found] })
    await stripe.paymentIntents.cancel(intent.id, {}, { idempotencyKey: 'order-42' })
    expect(requests).toHaveLength(2)
    const error = await rejection(stripe.paymentIntents.cancel(intent.id, {}, { idempotencyKey: 'order-43' }))
    expect(error).toMatchObject({ statusCode: 409, code: 'charge_in_progress' })
    expect(requests).toHaveLength(3)
  })

  test('fails, and does not hang, while no token is to be had', async () => {
    const tokenAnswers = Array.from({ length: 20 }, () => ({ status: 503, body: '' }))
    const { stripe, requests, tokenRequests } = await start({ tokenAnswers })
    const error = await rejection(stripe.paymentIntents.retrieve(intent.id, {}, { maxNetworkRetries: 2 }))
    expect(error).toMatchObject({ type: 'StripeConnectionError' })
    expect([requests.length, tokenRequests.length]).toEqual([0, 3])
  })

  test('says what is wrong with the key, and does not retry', async () => {
    const tokenAnswers = [{ status: 401, body: { error: 'invalid_client', error_description: 'no' } }]
    const { stripe, requests, tokenRequests } = await start({ tokenAnswers })
    const error = await rejection(stripe.paymentIntents.retrieve(intent.id))
    expect(error).toMatchObject({
      type: 'StripeAuthenticationError',
      statusCode: 401,
      code: 'invalid_client',
      message: expect.stringMatching(/^invalid_client: no \(see hints\)\n- Is clientId registered/),
    })
    expect([requests.length, tokenRequests.length]).toEqual([0, 1])
  })

  test('waits for a token no longer than the time-out of the call', async () => {
    const { stripe, tokens, tokenRequests } = await start({ tokenAnswers: [() => {}] })
    const source = tokens.get().catch(() => null)
    const limits = { timeout: 300, maxNetworkRetries: 0 }
    const startedAtMs = performance.now()
    const error = await rejection(stripe.paymentIntents.retrieve(intent.id, {}, limits))
    expect(error).toMatchObject({ type: 'StripeConnectionError' })
    expect(performance.now() - startedAtMs).toBeLessThan(15_000)
    expect(tokenRequests).toHaveLength(1)
    await tokens.get()
    await source
  })

  test('reaches invoice items', async () => {
    const item = { id: 'ii_1', object: 'invoiceitem' }
    const { stripe, requests } = await start({ answers: [{ body: item }, { body: item }] })
    await stripe.invoiceItems.create({ customer: 'cus_1', amount: 100, currency: 'xaf' })
    await stripe.invoiceItems.retrieve('ii_1')
    expect(requests.map(({ path }) => path)).toEqual(['/v1/invoice_items', '/v1/invoice_items/ii_1'])
  })

  test('sends nothing to a host that is not the service’s', async () => {
    const { stripe, requests, tokenRequests } = await start({
      answers: [apiError(404, 'unknown_route', 'false')],
    })
    // Versions before 23 have a host of another service for it.
    const called = version === '23' ? 1 : 0
    const error = await rejection(stripe.quotes.pdf('qt_1'))
    expect(error).toMatchObject({ statusCode: 404, code: 'unknown_route' })
    expect([requests.length, tokenRequests.length]).toEqual([called, called])
  })

  test('without a wrapped HTTP client gets a 401 instead of a rejection that would hang it', async () => {
    const tokenAnswers = Array.from({ length: 20 }, () => ({
      status: 401,
      body: { error: 'invalid_client' },
    }))
    const { tokens, requests } = await start({ answers: [refused], tokenAnswers })
    const stripe = new Client('', stripeConfig({ tokens }))
    const error = await rejection(stripe.paymentIntents.retrieve(intent.id))
    expect(error).toMatchObject({ type: 'StripeAuthenticationError', statusCode: 401 })
    expect(requests).toMatchObject([{ headers: { authorization: 'Bearer token-unavailable' } }])
  })
})

test.each([
  ['node', Stripe.createNodeHttpClient()],
  ['fetch', Stripe.createFetchHttpClient()],
])('the HTTP client %s streams an answer', async (_name, httpClient) => {
  const { baseUrl } = await startApi({ answers: [found] })
  const tokens = createTokenSource({ baseUrl, clientId: 'shop', privateKey })
  const stripe = new Stripe('', stripeConfig({ tokens, httpClient }))
  const stream = await stripe.rawRequest('GET', '/v1/payment_intents/pi_1', undefined, { streaming: true })
  expect(await json(stream as unknown as Readable)).toEqual(intent)
})

test('without a wrapped HTTP client the token goes to the service alone', async () => {
  const { baseUrl } = await startApi({})
  const { authenticator, host } = stripeConfig({
    tokens: createTokenSource({ baseUrl, clientId: 'shop', privateKey }),
  })
  const tokenFor = async (called: string) => {
    const request = { host: called, headers: {} }
    await authenticator(request)
    return request.headers
  }
  expect(await tokenFor(host)).toEqual({ Authorization: 'Bearer token-1' })
  expect(await tokenFor('files.example')).toEqual({ Authorization: 'Bearer token-unavailable' })
})

test('an address with a path is refused, because such a client has none', () => {
  const tokens = createTokenSource({ baseUrl: 'https://a.example/pay', clientId: 'shop', privateKey })
  expect(() => stripeConfig({ tokens })).toThrow(/must have no path/)
})

test.each([
  ['node', '::1'],
  ['fetch', '[::1]'],
])('an IPv6 address has the form that the HTTP client %s takes', async (name, host) => {
  const tokens = { baseUrl: 'http://[::1]:8080', get: () => Promise.resolve('token-1'), invalidate: () => {} }
  const hosts: string[] = []
  const httpClient: StripeHttpClient = {
    getClientName: () => name,
    makeRequest: (given) => {
      hosts.push(given)
      return Promise.reject(new Error('the connection failed'))
    },
  }
  const config = stripeConfig({ tokens, httpClient })
  await rejection(
    config.httpClient?.makeRequest(config.host, config.port, '/v1/events', 'GET', {}, '', 'http', 80_000) ??
      Promise.resolve(),
  )
  expect(hosts).toEqual([host])
})

test.each([
  ['https://a.example', { host: 'a.example', port: '443', protocol: 'https' }],
  ['http://localhost', { host: 'localhost', port: '80', protocol: 'http' }],
  ['http://[::1]:8080', { host: '::1', port: '8080', protocol: 'http' }],
  ['https://a.example:8443', { host: 'a.example', port: '8443', protocol: 'https' }],
])('the address %s is given in parts', (baseUrl, parts) => {
  const tokens = createTokenSource({ baseUrl, clientId: 'shop', privateKey })
  expect(stripeConfig({ tokens })).toMatchObject({ ...parts, telemetry: false })
})
