import { describe, expectTypeOf, test } from 'vitest'
import type {
  CheckoutSession,
  Customer,
  Event,
  EventType,
  Invoice,
  PaymentIntent,
  Refund,
  UnknownEvent,
} from './index.ts'

declare const event: Event

describe('the type of an event', () => {
  test('narrows its resource', () => {
    if (event.type === 'payment_intent.succeeded')
      expectTypeOf(event.data.object).toEqualTypeOf<PaymentIntent>()
    if (event.type === 'charge.refunded') expectTypeOf(event.data.object).toEqualTypeOf<Refund>()
    if (event.type === 'checkout.session.expired')
      expectTypeOf(event.data.object).toEqualTypeOf<CheckoutSession>()
    if (event.type === 'customer.deleted') expectTypeOf(event.data.object).toEqualTypeOf<Customer>()
    if (event.type === 'invoice.paid') expectTypeOf(event.data.object).toEqualTypeOf<Invoice>()
  })
  test('is one of fifteen, or a newer one', () => {
    switch (event.type) {
      case 'payment_intent.created':
      case 'payment_intent.processing':
      case 'payment_intent.succeeded':
      case 'payment_intent.payment_failed':
      case 'payment_intent.canceled':
      case 'charge.refunded':
      case 'charge.refund.updated':
      case 'checkout.session.expired':
      case 'customer.created':
      case 'customer.updated':
      case 'customer.deleted':
      case 'invoice.created':
      case 'invoice.finalized':
      case 'invoice.paid':
        return
      case 'invoice.voided':
        expectTypeOf(event.data.object).toEqualTypeOf<Invoice>()
        return
      default:
        expectTypeOf(event).toEqualTypeOf<UnknownEvent>()
    }
  })
  test('is text for every event', () => {
    expectTypeOf(event.type).toExtend<string>()
  })
  test('does not accept a type outside the vocabulary', () => {
    // @ts-expect-error
    if (event.type === 'payment_intent.failed') return
    expectTypeOf<'checkout.session.completed'>().not.toExtend<EventType>()
  })
})
