import { PaymentIntent } from '@merchant-payments/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ACME, makeIntent, PUSH, REDIRECT, refusal, T0 } from '../../test/make.ts'
import { createdOf, mintId } from '../base/ids.ts'
import type { Intent } from './intent.ts'
import { renderPaymentIntent, withClientSecret } from './render.ts'

const bare = makeIntent('requires_payment_method')

describe('a rendered payment intent', () => {
  test('has the fields of the interface and no other [§2.4]', () => {
    expect(renderPaymentIntent(bare)).toEqual({
      id: bare.id,
      object: 'payment_intent',
      amount: 1000,
      currency: 'XAF',
      status: 'requires_payment_method',
      payment_method_types: [PUSH, REDIRECT],
      customer: null,
      description: null,
      metadata: { order: '42' },
      next_action: null,
      last_payment_error: null,
      invoice: null,
      canceled_at: null,
      cancellation_reason: null,
      created: createdOf(bare.id),
      livemode: false,
    })
  })

  test('shows why it failed, when and why it was canceled, and whose it is', () => {
    const customerId = mintId('cus', T0)
    const invoiceId = mintId('in', T0)
    const canceled = { canceledAtMs: T0 + 1_999, cancellationReason: 'fraudulent' } as const
    const intent = makeIntent('canceled', { customerId, invoiceId, lastPaymentError: refusal, ...canceled })
    expect(renderPaymentIntent(intent)).toEqual({
      ...renderPaymentIntent(bare),
      id: intent.id,
      status: 'canceled',
      customer: customerId,
      invoice: invoiceId,
      canceled_at: T0 / 1000 + 1,
      cancellation_reason: 'fraudulent',
      last_payment_error: {
        type: 'rail_error',
        code: 'insufficient_funds',
        decline_code: 'NOT_ENOUGH_FUNDS',
        message: 'Not enough funds',
        payment_method_type: PUSH,
      },
    })
  })

  test('sends the payer to the rail only while the payer is awaited there [§1.4]', () => {
    const redirected = { redirectUrl: 'https://rail.example/p/1', returnUrl: null }
    expect(renderPaymentIntent(makeIntent('processing', redirected)).next_action).toEqual({
      type: 'redirect_to_url',
      redirect_to_url: { url: 'https://rail.example/p/1', return_url: null },
    })
    for (const status of ['requires_payment_method', 'succeeded', 'canceled'] as const) {
      expect(renderPaymentIntent(makeIntent(status, redirected)).next_action).toBeNull()
    }
    expect(renderPaymentIntent(makeIntent('processing')).next_action).toBeNull()
  })

  test('never holds the merchant or the secret, whatever the intent', () => {
    const intents = fc.record<Partial<Intent>>({
      amountMinor: fc.integer({ min: 1, max: 99_999_999 }),
      description: fc.option(fc.string()),
      metadata: fc.dictionary(fc.string(), fc.string()),
      redirectUrl: fc.constantFrom(null, 'https://rail.example/p/1'),
      livemode: fc.boolean(),
    })
    const statuses = fc.constantFrom('requires_payment_method', 'processing', 'succeeded', 'canceled')
    fc.assert(
      fc.property(statuses, intents, (status, fields) => {
        const storedSecret = `pi_${'0'.repeat(32)}_secret_stored`
        const intent = makeIntent(status, { ...fields, storedSecret })
        const wire = renderPaymentIntent(intent)
        expect(Object.keys(PaymentIntent.parse(wire))).not.toContain('client_secret')
        expect(JSON.stringify(wire)).not.toContain(storedSecret)
        expect(Object.values(wire)).not.toContain(ACME)
      }),
    )
  })

  test('holds the secret where it is asked to', () => {
    expect(withClientSecret(renderPaymentIntent(bare), 'a secret')).toEqual({
      ...renderPaymentIntent(bare),
      client_secret: 'a secret',
    })
  })
})
