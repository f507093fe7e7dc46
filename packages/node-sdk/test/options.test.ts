import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  allowBrowserGlobals,
  allowInsecureBaseUrl,
  createMerchantPayments,
  type MerchantPayments,
  type MerchantPaymentsOptions,
} from '../src/index-node.ts'
import { createFakeService } from '../src/testing.ts'
import { privateKey } from './api-server.ts'

const options = { baseUrl: 'https://payments.example.com', clientId: 'shop', privateKey }

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a client', () => {
  test('consists of resources, webhooks and request()', () => {
    const payments = createMerchantPayments({ ...options, timeoutMs: 1, maxRetries: 0 })
    expect(Object.keys(payments)).toEqual([
      'paymentIntents',
      'checkout',
      'customers',
      'refunds',
      'accountHolders',
      'invoices',
      'invoiceItems',
      'events',
      'webhooks',
      'request',
    ])
  })

  test.each<[string, Partial<MerchantPaymentsOptions>, string]>([
    [
      'no private key',
      { privateKey: undefined as never },
      'privateKey must be an RSA private key: a JWK, PKCS#8 PEM, a CryptoKey, a KeyObject or a function that signs',
    ],
    [
      'no base URL',
      { baseUrl: undefined as never },
      'baseUrl must be a URL, such as https://payments.example.com',
    ],
    ['no client id', { clientId: undefined as never }, 'clientId must be a non-empty string'],
    ['an empty client id', { clientId: '' }, 'clientId must be a non-empty string'],
    ['an empty scope', { scope: '' }, 'scope must be a non-empty string'],
    ['no scope', { scope: null as never }, 'scope must be a non-empty string'],
    ['a list of scopes', { scope: ['payments:read'] as never }, 'scope must be a non-empty string'],
    ['an empty key id', { keyId: '' }, 'keyId must be a non-empty string'],
    ['an empty issuer', { issuer: '' }, 'issuer must be a non-empty string'],
    [
      'a URL as issuer',
      { issuer: new URL('https://a.example') as never },
      'issuer must be a non-empty string',
    ],
    ['a time-out of 0', { timeoutMs: 0 }, 'timeoutMs must be an integer from 1 to 2147483647'],
    [
      'a time-out beyond a timer',
      { timeoutMs: 2 ** 31 },
      'timeoutMs must be an integer from 1 to 2147483647',
    ],
    ['half a retry', { maxRetries: 0.5 }, 'maxRetries must be an integer from 0 to 10'],
    [
      'endless retries',
      { maxRetries: Number.POSITIVE_INFINITY },
      'maxRetries must be an integer from 0 to 10',
    ],
  ])('is not created with %s', (_what, wrong, message) => {
    expect(() => createMerchantPayments({ ...options, ...wrong })).toThrow(new TypeError(message))
  })

  test.each([undefined, null, 'https://payments.example.com'])(
    'is not created with %s as options',
    (none) => {
      expect(() => createMerchantPayments(none as never)).toThrow(
        new TypeError('createMerchantPayments needs an object with baseUrl, clientId and privateKey'),
      )
    },
  )

  test.each(['maxRetry', 'apiKey', 'toString'])('is not created with the unknown option %s', (name) => {
    const misspelt = { ...options, [name]: 1 }
    expect(() => createMerchantPayments(misspelt)).toThrow(
      new RegExp(`^${name} is not an option; the options are baseUrl, clientId, privateKey, `),
    )
  })

  test.each(['idempotencykey', 'idempotency_key', 'timeout'])(
    'refuses the unknown option %s of a call before it sends anything',
    async (name) => {
      const payments = createMerchantPayments(options)
      const call = payments.paymentIntents.cancel('pi_1', {}, { [name]: 'order-42' })
      await expect(call).rejects.toThrow(new RegExp(`^${name} is not an option of a call; `))
    },
  )

  /** The calls of a resource, as JavaScript sees them. */
  type Untyped = Readonly<Record<string, (...args: unknown[]) => Promise<object>>>
  const key = { idempotencyKey: 'order-42' }

  test.each<[string, (payments: MerchantPayments) => object, unknown[]]>([
    ['expire', ({ checkout }) => checkout.sessions, ['cs_1', {}, key]],
    ['cancel', ({ refunds }) => refunds, ['re_1', undefined, key]],
    ['pay', ({ invoices }) => invoices, ['in_1', {}, key]],
    ['retrieve', ({ customers }) => customers, ['cus_1', {}, key]],
    ['create', ({ customers }) => customers, [{ name: 'a' }, {}, key]],
  ])('refuses a surplus argument of %s, which may hold the key', async (name, callsOf, args) => {
    const service = createFakeService()
    const calls = callsOf(createMerchantPayments(service.options)) as Untyped
    await expect(calls[name]?.(...args)).rejects.toThrow(
      new TypeError('a call has one argument too many: its options are the last one'),
    )
    expect(service.requests).toEqual([])
  })

  const order = { amount: 5000, currency: 'XAF', payment_method_types: ['mtn_momo_cm'] }

  test.each<[string, (payments: MerchantPayments) => PromiseLike<unknown>]>([
    ['idempotencyKey', ({ paymentIntents }) => paymentIntents.create({ ...order, ...key } as never)],
    ['idempotencyKey', ({ paymentIntents }) => paymentIntents.cancel('pi_1', key as never)],
    ['timeoutMs', ({ events }) => events.list({ timeoutMs: 1 } as never).toArray({ limit: 1 })],
    [
      'maxRetries',
      (payments) => payments.request({ method: 'GET', path: '/v1/a', params: { maxRetries: 0 } }),
    ],
    ['headers', ({ customers }) => customers.create({ name: 'a', headers: {} } as never)],
    ['signal', ({ customers }) => customers.create({ name: 'a', signal: undefined } as never)],
  ])('refuses the option %s among the parameters, where it would have no effect', async (name, call) => {
    const service = createFakeService()
    const payments = createMerchantPayments(service.options)
    await expect(Promise.resolve(call(payments))).rejects.toThrow(
      new TypeError(`${name} is an option and no parameter: give it in the argument after the parameters`),
    )
    expect(service.requests).toEqual([])
  })

  test('sends metadata that is named as an option', async () => {
    const service = createFakeService()
    const { customers } = createMerchantPayments(service.options)
    expect(await customers.create({ name: 'a', metadata: key })).toMatchObject({ metadata: key })
  })

  test('takes a surplus argument that is undefined', async () => {
    const service = createFakeService()
    const customers: object = createMerchantPayments(service.options).customers
    await (customers as Untyped)['create']?.({ name: 'a' }, key, undefined)
    expect(service.requests).toMatchObject([{ idempotencyKey: 'order-42' }])
  })

  test.each(['\ud800', '', '..', 7])('refuses %j as an id before it sends anything', async (id) => {
    const call = createMerchantPayments(options).customers.retrieve(id as never)
    await expect(call).rejects.toThrow(new TypeError('id must be the id of an object'))
  })

  test('sends a token over plain http only with a symbol, which no configuration file can hold', () => {
    const insecure = { ...options, baseUrl: 'http://api.internal:3000' }
    const named = { ...insecure, allowInsecureBaseUrl: true }
    expect(() => createMerchantPayments(named)).toThrow(/^baseUrl must be https/)
    expect(() => createMerchantPayments({ ...insecure, [allowInsecureBaseUrl]: true })).not.toThrow()
  })

  test('is not created in a browser, where the private key would be public', () => {
    vi.stubGlobal('window', {})
    expect(() => createMerchantPayments(options)).not.toThrow()
    vi.stubGlobal('document', {})
    expect(() => createMerchantPayments(options)).toThrow(/does not run in a browser/)
    expect(() => createMerchantPayments({ ...options, [allowBrowserGlobals]: true })).not.toThrow()
  })
})
