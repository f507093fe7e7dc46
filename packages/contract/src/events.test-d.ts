import { expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import { type Event, type EventType, type UnwrittenEventType, type WrittenEventType } from './events.ts'
import type { createPaymentIntent, PaymentIntent } from './payment-intents.ts'
import { eventTypes } from './words.ts'

test('the vocabulary of events is closed at fifteen, of which two are never written (spec 6.1)', () => {
  expectTypeOf(eventTypes.length).toEqualTypeOf<15>()
  expectTypeOf<Event['type']>().toEqualTypeOf<EventType>()
  expectTypeOf<Exclude<EventType, WrittenEventType>>().toEqualTypeOf<UnwrittenEventType>()
  expectTypeOf<'checkout.session.completed'>().not.toExtend<EventType>()
})

test('a payment intent has no field of the compatible API that spec 2.4 leaves out', () => {
  expectTypeOf<PaymentIntent>().not.toHaveProperty('amount_received')
  expectTypeOf<PaymentIntent>().not.toHaveProperty('capture_method')
  expectTypeOf<PaymentIntent>().not.toHaveProperty('confirmation_method')
})

test('a body is what its declaration parses to', () => {
  type Body = z.output<NonNullable<(typeof createPaymentIntent)['body']>>
  expectTypeOf<Body['amount']>().toEqualTypeOf<number>()
  expectTypeOf<Body['currency']>().toEqualTypeOf<'XAF' | 'EUR'>()
  expectTypeOf<Body['payment_method_types']>().toEqualTypeOf<string[]>()
})
