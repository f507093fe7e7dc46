import type { CheckoutSession, Customer, Invoice, PaymentIntent, Refund } from './resources.ts'

/** The fifteen event types of the service, each with the resource in `data.object`. */
export interface EventObjects {
  /** Defined but never sent: the answer to the create call reports it. */
  'payment_intent.created': PaymentIntent
  /** Defined but never sent: the answer to the confirm call reports it. */
  'payment_intent.processing': PaymentIntent
  'payment_intent.succeeded': PaymentIntent
  'payment_intent.payment_failed': PaymentIntent
  'payment_intent.canceled': PaymentIntent
  /** The refund, which is pending, not the charge. Money has not moved yet. */
  'charge.refunded': Refund
  'charge.refund.updated': Refund
  'checkout.session.expired': CheckoutSession
  'customer.created': Customer
  'customer.updated': Customer
  /** Every identifier is `[redacted]`. */
  'customer.deleted': Customer
  'invoice.created': Invoice
  'invoice.finalized': Invoice
  'invoice.paid': Invoice
  'invoice.voided': Invoice
}

export type EventType = keyof EventObjects

interface Envelope<Type, Resource> {
  /** `evt_…`. Deliveries repeat and arrive in any order, so handle each id once. */
  id: string
  object: 'event'
  type: Type
  /** Unix seconds. */
  created: number
  livemode: boolean
  data: { object: Resource }
}

/** An event of one known type. */
export type EventOf<T extends EventType> = Envelope<T, EventObjects[T]>

// Matches none of the fifteen, so that comparing `type` excludes this member. A plain `string` would not be
// excluded.
type UnknownEventType = `(unknown to this version) ${string}`

/** An event of a type that is newer than this package. Treat its `type` as an opaque string. */
export type UnknownEvent = Envelope<UnknownEventType, Record<string, unknown>>

/**
 * A verified event. Comparing `type` narrows `data.object`. The default branch may get an event of a type
 * that this version does not know.
 *
 * @example
 * if (event.type === 'payment_intent.succeeded') fulfil(event.data.object.id, event.data.object.amount)
 */
export type Event = { [T in EventType]: EventOf<T> }[EventType] | UnknownEvent
