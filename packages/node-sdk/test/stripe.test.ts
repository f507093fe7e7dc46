import { createRequire } from 'node:module'
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

describe.each(versions)('stripe-node %s', (_version, Client) => {
  async function start(script: Parameters<typeof startApi>[0]) {
    const api = await startApi(script)
    const tokens = createTokenSource({
      baseUrl: api.baseUrl,
      clientId: 'shop',
      privateKey,
      sleep: () => Promise.resolve(),
    })
    const stripe = new Client('', stripeConfig({ tokens, httpClient: Client.createNodeHttpClient() }))
    return { ...api, stripe, tokens }
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
