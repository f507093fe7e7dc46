import { expectTypeOf, test } from 'vitest'
import { type NewEvent, newEvent } from './event.ts'

declare const facts: Parameters<typeof newEvent>[2]

test('only what something writes compiles (spec 6.1)', () => {
  expectTypeOf(newEvent('payment_intent.canceled', {}, facts)).toEqualTypeOf<NewEvent>()
  // Not among the fifteen types.
  // @ts-expect-error
  newEvent('payment_intent.failed', {}, facts)
  // @ts-expect-error
  newEvent('checkout.session.completed', {}, facts)
  // @ts-expect-error
  newEvent('invoice.payment_failed', {}, facts)
  // Among them, but nothing writes it.
  // @ts-expect-error
  newEvent('payment_intent.created', {}, facts)
  // @ts-expect-error
  newEvent('payment_intent.processing', {}, facts)
})
