import { afterEach, describe, expect, test, vi } from 'vitest'
import { INTENT_ID, INTENT_SECRET, PUBLISHABLE_KEY, SESSION_SECRET } from '../test/service.ts'
import { BASE_URL, createWorld, ORDER } from '../test/world.ts'
import {
  allowInsecureBaseUrl,
  createPayerClient,
  type PayerClientOptions,
  type PaymentOrder,
} from './index.ts'

const options: PayerClientOptions = {
  baseUrl: BASE_URL,
  publishableKey: PUBLISHABLE_KEY,
  clientSecret: INTENT_SECRET,
}

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a client', () => {
  test('has six methods', () => {
    expect(Object.keys(createPayerClient(options))).toEqual([
      'pay',
      'resume',
      'watch',
      'checkNow',
      'retrieve',
      'retrieveSession',
    ])
  })

  const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzaG9wIn0.c2lnbmF0dXJl'
  const isNoSecret = 'clientSecret must be the one of a payment intent or a session'
  const isNoKey = 'publishableKey must be the merchant’s pk_…'
  test.each<[string, object, string]>([
    ['a merchant’s token for a secret', { clientSecret: jwt }, isNoSecret],
    ['a private key for a secret', { clientSecret: '-----BEGIN PRIVATE KEY-----' }, isNoSecret],
    ['an id for a secret', { clientSecret: INTENT_ID }, isNoSecret],
    ['no secret', { clientSecret: undefined }, isNoSecret],
    ['a token for a publishable key', { publishableKey: jwt }, isNoKey],
    ['no publishable key', { publishableKey: undefined }, isNoKey],
    [
      'an Authorization header',
      { authorization: `Bearer ${jwt}` },
      'authorization is not an option of a payer client',
    ],
    ['a token', { accessToken: jwt }, 'accessToken is not an option of a payer client'],
    ['a private key', { privateKey: 'k' }, 'privateKey is not an option of a payer client'],
    ['headers', { headers: {} }, 'headers is not an option of a payer client'],
  ])('is not created with %s', (_what, wrong, message) => {
    expect(() => createPayerClient({ ...options, ...wrong })).toThrow(new TypeError(message))
  })

  test.each([
    'http://payments.example.com',
    'http://localhost:8080',
    'http://127.0.0.1:8080',
    'HTTP://payments.example.com',
  ])('sends nothing to %s without a symbol, which no configuration file can hold [§4.6]', (baseUrl) => {
    const insecure = { ...options, baseUrl }
    const message = 'baseUrl must be https, without [allowInsecureBaseUrl]'
    expect(() => createPayerClient(insecure)).toThrow(new TypeError(message))
    const named = { ...insecure, allowInsecureBaseUrl: true } as PayerClientOptions
    expect(() => createPayerClient(named)).toThrow(TypeError)
    expect(() => createPayerClient({ ...insecure, [allowInsecureBaseUrl]: true })).not.toThrow()
  })

  test.each([
    '',
    'payments.example.com',
    '//payments.example.com',
    'ftp://payments.example.com',
    'https://',
    'https://user:pass@payments.example.com',
    'https://payments.example.com?key=1',
    'https://payments.example.com#secret',
    'https:\\\\payments.example.com',
    'javascript:alert(1)',
    `${BASE_URL}/v1`,
    `${BASE_URL}/pay/v1/`,
  ])('does not accept %j as base URL', (baseUrl) => {
    expect(() => createPayerClient({ ...options, baseUrl, [allowInsecureBaseUrl]: true })).toThrow(
      new TypeError('baseUrl must be a URL like https://a.example, without /v1'),
    )
  })
})

test.each<[string, object, string]>([
  ['no rail', { rail: '' }, 'rail must be the code of a rail'],
  ['a rail that breaks the form', { rail: 'a][b' }, 'rail must be the code of a rail'],
  ['neither number nor page', { msisdn: undefined }, 'an order needs an msisdn, or returnUrl and redirect'],
])('an order with %s is a TypeError, and nothing is sent', async (_what, wrong, message) => {
  const { client, network } = createWorld()
  const order = { ...ORDER, ...wrong } as PaymentOrder
  await expect(client().pay(order)).rejects.toThrow(new TypeError(message))
  expect(network.sent).toEqual([])
})

test.each<[string, object]>([
  ['the way to its page', { returnUrl: 'https://shop.example/thanks' }],
  ['the way back', { redirect: () => undefined }],
])('an order for a rail’s page without %s is a TypeError, and nothing is sent', async (_what, part) => {
  const { client, network } = createWorld()
  const order = { rail: 'orange_money_cm', ...part } as PaymentOrder
  await expect(client().pay(order)).rejects.toThrow(TypeError)
  expect(network.sent).toEqual([])
})

test.each([Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY, 86_400_001])(
  'a budget of %s would make a timer fire at once, and is refused',
  async (ms) => {
    const { client, network } = createWorld()
    const payer = client()
    await expect(payer.pay(ORDER, { budgetMs: ms })).rejects.toThrow(/^budgetMs must be an integer from 0 to/)
    expect(() => payer.watch({ everyMs: ms })).toThrow(/^everyMs must be an integer from 1000 to/)
    expect(() => payer.watch({ forMs: ms })).toThrow(/^forMs must be an integer from 0 to/)
    expect(network.sent).toEqual([])
  },
)

describe('a read', () => {
  test('of the intent returns it as the service has it', async () => {
    const { clock, client, service } = createWorld()
    expect(await clock.settle(client().retrieve())).toEqual(service.intent)
    const byPass = client({ clientSecret: SESSION_SECRET })
    expect(await clock.settle(byPass.retrieve())).toEqual(service.intent)
  })

  test('of the session returns its intent, its rails and its merchant', async () => {
    const { clock, client, service } = createWorld()
    const payer = client({ clientSecret: SESSION_SECRET })
    expect(await clock.settle(payer.retrieveSession())).toMatchObject({
      object: 'checkout.session',
      merchant: { name: 'Shop', accent_color: null, logo: null },
      payment_intent: service.intent,
      rails: [],
    })
  })

  test('of the session requires a session’s secret', async () => {
    await expect(createPayerClient(options).retrieveSession()).rejects.toThrow(TypeError)
  })

  test('is attempted three times', async () => {
    const { clock, client } = createWorld({ faults: [{ kind: 'offline' }, { kind: 'error_before' }] })
    expect(await clock.settle(client().retrieve())).toMatchObject({ id: INTENT_ID })
  })

  test.each([
    ['offline', 'network'],
    ['error_before', 'server'],
    ['error_after', 'server'],
    ['foreign_page', 'protocol'],
  ] as const)('that always meets %s fails with reason %s', async (kind, reason) => {
    const { clock, client, network } = createWorld({ nextFault: () => ({ kind }) })
    await expect(clock.settle(client().retrieve())).rejects.toMatchObject({
      name: 'PayerClientError',
      reason,
    })
    expect(network.sent.length).toBe(3)
  })

  test('with a wrong secret is not_found', async () => {
    const { clock, client } = createWorld()
    const other = client({ clientSecret: `${INTENT_ID}_secret_other` })
    await expect(clock.settle(other.retrieve())).rejects.toMatchObject({ reason: 'not_found' })
  })

  test('ends with its signal', async () => {
    const { clock, client } = createWorld({ nextFault: () => ({ kind: 'hang' }) })
    const work = client().retrieve({ signal: AbortSignal.abort() })
    await expect(clock.settle(work)).rejects.toMatchObject({ reason: 'aborted' })
  })

  test.each([
    ['another intent', { id: 'pi_other' }],
    ['an unknown status', { status: 'odd' }],
    ['an object of another kind', { object: 'charge' }],
    ['no live_charge', { live_charge: undefined }],
    ['no last_payment_error', { last_payment_error: undefined }],
  ])('of %s decides nothing', async (_what, wrong) => {
    const { clock, client, network } = createWorld()
    const payer = client({
      fetch: async (url, init) => {
        const response = await network.fetch(url, init)
        const body = { ...(JSON.parse(await response.text()) as object), ...wrong }
        return { ...response, text: async () => JSON.stringify(body) }
      },
    })
    await expect(clock.settle(payer.retrieve())).rejects.toMatchObject({ reason: 'protocol' })
  })
})

test('without randomUUID, as in React Native, keys are still unique', async () => {
  vi.stubGlobal('crypto', undefined)
  const { clock, client, network } = createWorld({ rail: [{ submit: 'declined' }] })
  const payer = client({ random: () => Math.random() })
  await clock.settle(payer.pay(ORDER))
  await clock.settle(payer.pay(ORDER))
  const keys = network.confirms().map(({ headers }) => headers['idempotency-key'] ?? '')
  expect(new Set(keys).size).toBe(2)
  for (const key of keys) expect(key).toMatch(/^[\da-z-]{20,}$/)
})
