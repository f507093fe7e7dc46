import type * as contract from '@merchant-payments/contract'
import { describe, expectTypeOf, test } from 'vitest'
import {
  type BrowserIntent,
  type BrowserSession,
  createPayerClient,
  type PaymentOrder,
  type PaymentResult,
} from '../src/index.ts'

describe('the types of the client are those of the wire', () => {
  test('intent and session', () => {
    expectTypeOf<BrowserIntent>().toEqualTypeOf<contract.BrowserIntent>()
    expectTypeOf<BrowserSession>().toEqualTypeOf<contract.BrowserSession>()
  })

  test('the names of all parameters', () => {
    type Confirm = Exclude<typeof contract.confirmIntentInBrowser.body, undefined>['_zod']['input']
    type Refused = 'capture_method' | 'application_fee_amount' | 'transfer_data' | 'on_behalf_of'
    expectTypeOf<Exclude<keyof Confirm, Refused>>().toEqualTypeOf<
      'payment_method_data' | 'return_url' | 'locale'
    >()
  })
})

test('a result narrows by its outcome, and only a refusal has a code', () => {
  const result = {} as PaymentResult
  if (result.outcome === 'failed') expectTypeOf(result.code).toEqualTypeOf<contract.DeclineCode>()
  else expectTypeOf(result).not.toHaveProperty('code')
  if (result.outcome !== 'unresolved') expectTypeOf(result.intent).toEqualTypeOf<BrowserIntent>()
  expectTypeOf(result.outcome).toEqualTypeOf<'succeeded' | 'failed' | 'canceled' | 'pending' | 'unresolved'>()
})

test('an order on a page requires navigation', () => {
  expectTypeOf<{ rail: string; returnUrl: string }>().not.toExtend<PaymentOrder>()
  expectTypeOf<{ rail: string; returnUrl: string; redirect: () => void }>().toExtend<PaymentOrder>()
})

test('a client does not accept a merchant’s token, key or header', () => {
  const options = { baseUrl: '', clientSecret: '', publishableKey: '' }
  const wrong = { ...options, headers: { Authorization: 'Bearer token' } }
  // @ts-expect-error -- spec 4.6
  void (() => createPayerClient(wrong))
  // @ts-expect-error -- spec 4.6
  void (() => createPayerClient({ ...options, accessToken: 'token' }))
})
