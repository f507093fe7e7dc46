import { describe, expectTypeOf, test } from 'vitest'
import { type Charge, moveCharge } from './charges/charge.ts'
import type { ChargeLifecycle } from './charges/lifecycle.ts'
import { type Invoice, moveInvoice } from './invoices/invoice.ts'
import type { InvoiceLifecycle } from './invoices/lifecycle.ts'
import { lifecycle, type MoveFrom, type Target } from './base/lifecycle.ts'
import { type Intent, moveIntent, type PaymentError } from './payment-intents/intent.ts'
import type { IntentLifecycle } from './payment-intents/lifecycle.ts'
import type { RefundLifecycle } from './refunds/lifecycle.ts'
import { instructRefund, moveRefund, type Refund } from './refunds/refund.ts'

declare const waiting: Intent<'requires_payment_method'>
declare const paid: Intent<'succeeded'>
declare const canceled: Intent<'canceled'>
declare const anyIntent: Intent
declare const live: Charge<'live'>
declare const failed: Charge<'failed'>
declare const collected: Charge<'succeeded'>
declare const anyCharge: Charge
declare const pendingRefund: Refund<'pending'>
declare const failedRefund: Refund<'failed'>
declare const anyRefund: Refund
declare const draft: Invoice<'draft'>
declare const voided: Invoice<'void'>
declare const anyInvoice: Invoice
declare const decline: Parameters<typeof moveCharge<'live', 'fail'>>[2]

describe('an illegal move does not compile', () => {
  test('of an intent', () => {
    expectTypeOf<MoveFrom<IntentLifecycle, 'succeeded'>>().toBeNever()
    expectTypeOf<MoveFrom<IntentLifecycle, 'canceled'>>().toEqualTypeOf<'succeed'>()
    // @ts-expect-error a paid intent has no moves
    moveIntent(paid, 'cancel', { reason: null }, 0)
    // @ts-expect-error a canceled intent cannot be accepted
    moveIntent(canceled, 'accept', { redirectUrl: null, returnUrl: null }, 0)
    // @ts-expect-error no such move
    moveIntent(waiting, 'fail', {}, 0)
  })

  test('of a charge', () => {
    expectTypeOf<MoveFrom<ChargeLifecycle, 'succeeded' | 'duplicate'>>().toBeNever()
    expectTypeOf<MoveFrom<ChargeLifecycle, 'failed'>>().toEqualTypeOf<'succeed' | 'duplicate'>()
    // @ts-expect-error money that arrived stays
    moveCharge(collected, 'fail', decline, 0)
    // @ts-expect-error a failed charge does not come alive
    moveCharge(failed, 'acknowledge', { firstQueryAfterMs: 0 }, 0)
    // @ts-expect-error what the rail has was not abandoned
    moveCharge(live, 'abandon', { watched: false }, 0)
  })

  test('of a refund', () => {
    expectTypeOf<MoveFrom<RefundLifecycle, 'failed' | 'canceled'>>().toEqualTypeOf<'update'>()
    // @ts-expect-error its rail was instructed
    moveRefund(pendingRefund, 'cancel', {}, 0)
    // @ts-expect-error it has failed already
    moveRefund(failedRefund, 'fail', { reason: 'declined' }, 0)
    // @ts-expect-error nothing settles a refund
    moveRefund(pendingRefund, 'succeed', {}, 0)
    // @ts-expect-error a refund that has failed is not instructed
    instructRefund(failedRefund, { kind: 'accept' }, 0)
    // @ts-expect-error a refusal has a reason
    instructRefund(pendingRefund, { kind: 'refuse' }, 0)
    // @ts-expect-error it may be anything
    moveRefund(anyRefund, 'fail', { reason: 'declined' }, 0)
  })

  test('of an invoice', () => {
    expectTypeOf<MoveFrom<InvoiceLifecycle, 'paid' | 'void'>>().toBeNever()
    expectTypeOf<MoveFrom<InvoiceLifecycle, 'draft'>>().toEqualTypeOf<'finalize'>()
    // @ts-expect-error a draft is not paid
    moveInvoice(draft, 'settle', { intentId: waiting.id }, 0)
    // @ts-expect-error a void invoice stays void
    moveInvoice(voided, 'finalize', {}, 0)
    // @ts-expect-error it may be paid already
    moveInvoice(anyInvoice, 'void', {}, 0)
  })

  test('without the facts of its move', () => {
    expectTypeOf(moveIntent<'processing', 'decline'>)
      .parameter(2)
      .toEqualTypeOf<{ error: PaymentError }>()
    // @ts-expect-error a decline has an error
    moveIntent(waiting, 'decline', {}, 0)
    // @ts-expect-error a success has the rail's transaction, or null
    moveCharge(live, 'succeed', {}, 0)
  })
})

describe('a row of unknown state must be narrowed first', () => {
  test('except a move that all of its states have', () => {
    expectTypeOf<MoveFrom<IntentLifecycle, Intent['status']>>().toBeNever()
    expectTypeOf<MoveFrom<ChargeLifecycle, 'submitting' | 'live' | 'unconfirmed'>>().toEqualTypeOf<
      'fail' | 'succeed' | 'duplicate'
    >()
    // @ts-expect-error it may be paid already
    moveIntent(anyIntent, 'cancel', { reason: null }, 0)
    // @ts-expect-error it may be collected already
    moveCharge(anyCharge, 'fail', decline, 0)
  })

  test('and is, by its status', () => {
    if (anyIntent.status !== 'processing') return
    expectTypeOf(anyIntent).toEqualTypeOf<Intent<'processing'>>()
    expectTypeOf(moveIntent(anyIntent, 'cancel', { reason: null }, 0).after).toEqualTypeOf<
      Intent<'canceled'>
    >()
  })
})

test('a move knows where it leads', () => {
  expectTypeOf<Target<IntentLifecycle, 'processing', 'decline'>>().toEqualTypeOf<'requires_payment_method'>()
  expectTypeOf(moveIntent(waiting, 'succeed', {}, 0).after).toEqualTypeOf<Intent<'succeeded'>>()
  expectTypeOf(moveCharge(live, 'fail', decline, 0).after).toEqualTypeOf<Charge<'failed'>>()
})

test('a lifecycle leads to its own states only', () => {
  expectTypeOf(lifecycle({ open: { close: 'closed' }, closed: {} })).toEqualTypeOf<{
    readonly open: { readonly close: 'closed' }
    readonly closed: {}
  }>()
  // @ts-expect-error no such state
  lifecycle({ open: { close: 'closd' }, closed: {} })
})
