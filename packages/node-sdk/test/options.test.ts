import { afterEach, describe, expect, test, vi } from 'vitest'
import { allowInsecureBaseUrl, createMerchantPayments, type MerchantPaymentsOptions } from '../src/index.ts'
import { privateKey } from './api-server.ts'

const options = { baseUrl: 'https://payments.example.com', clientId: 'shop', privateKey }

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a client', () => {
  test('consists of resources and request()', () => {
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
      'request',
    ])
  })

  test.each<[string, Partial<MerchantPaymentsOptions>, string]>([
    ['an empty client id', { clientId: '' }, 'clientId must be a non-empty string'],
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

  test('sends a token over plain http only with a symbol, which no configuration file can hold', () => {
    const insecure = { ...options, baseUrl: 'http://api.internal:3000', allowInsecureBaseUrl: true }
    expect(() => createMerchantPayments(insecure)).toThrow(/^baseUrl must be https/)
    expect(() => createMerchantPayments({ ...insecure, [allowInsecureBaseUrl]: true })).not.toThrow()
  })

  test('is not created in a browser, where the private key would be public', () => {
    vi.stubGlobal('window', {})
    expect(() => createMerchantPayments(options)).not.toThrow()
    vi.stubGlobal('document', {})
    expect(() => createMerchantPayments(options)).toThrow(/does not run in a browser$/)
  })
})
