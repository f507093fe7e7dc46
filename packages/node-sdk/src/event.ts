import type { CheckoutSession } from './checkout-session.ts'
import type { Customer } from './customer.ts'
import type { Invoice } from './invoice.ts'
import type { PaymentIntent } from './payment-intent.ts'
import type { Refund } from './refund.ts'

/**
 * Closed at fifteen. `payment_intent.created` and `payment_intent.processing` are never written.
 *
 * @example
 * ```ts
 * const fulfilOn: EventType = 'payment_intent.succeeded'
 * ```
 */
export type EventType =
  | 'payment_intent.created'
  | 'payment_intent.processing'
  | 'payment_intent.succeeded'
  | 'payment_intent.payment_failed'
  | 'payment_intent.canceled'
  | 'charge.refunded'
  | 'charge.refund.updated'
  | 'checkout.session.expired'
  | 'customer.created'
  | 'customer.updated'
  | 'customer.deleted'
  | 'invoice.created'
  | 'invoice.finalized'
  | 'invoice.paid'
  | 'invoice.voided'

/** The snapshot in an event: the resource that the type names. */
type EventObject<T extends EventType> = T extends `payment_intent.${string}`
  ? PaymentIntent
  : T extends `charge.${string}`
    ? Refund
    : T extends `checkout.session.${string}`
      ? CheckoutSession
      : T extends `customer.${string}`
        ? Customer
        : Invoice

/**
 * A state change. `data.object` is the resource as the change left it, not as it is now.
 *
 * @example
 * ```ts
 * const fulfil = (event: Event) => {
 *   if (event.type === 'payment_intent.succeeded') ship(event.data.object.metadata['order'])
 * }
 * ```
 */
export type Event = {
  [T in EventType]: {
    id: string
    object: 'event'
    type: T
    /** Unix seconds. */
    created: number
    livemode: boolean
    data: { object: EventObject<T> }
  }
}[EventType]
