import type { CheckoutSession, Customer, Invoice, PaymentIntent, Refund } from './resources.ts'

/** The fifteen event types of the service, each with the resource that `data.object` is a snapshot of. */
export interface EventObjects {
  /** In the vocabulary, never written: the answer to the create call says it. */
  'payment_intent.created': PaymentIntent
  /** In the vocabulary, never written: the answer to the confirm call says it. */
  'payment_intent.processing': PaymentIntent
  'payment_intent.succeeded': PaymentIntent
  'payment_intent.payment_failed': PaymentIntent
  'payment_intent.canceled': PaymentIntent
  /** The refund, pending, not the charge: it was written, money has not moved yet. */
  'charge.refunded': Refund
  'charge.refund.updated': Refund
  'checkout.session.expired': CheckoutSession
  'customer.created': Customer
  'customer.updated': Customer
  /** Every identifier reads `[redacted]`. */
  'customer.deleted': Customer
  'invoice.created': Invoice
  'invoice.finalized': Invoice
  'invoice.paid': Invoice
  'invoice.voided': Invoice
}

export type EventType = keyof EventObjects

interface Envelope<Type, Resource> {
  /** `evt_…`. Deliveries repeat and arrive in any order: handle each id once. */
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

// A pattern that none of the fifteen matches: comparing `type` then rules this arm out, as plain `string` would not.
type UnknownEventType = `(unknown to this version) ${string}`

/** An event of a type that is younger than this package. Its `type` is the wire's; take it as an opaque string. */
export type UnknownEvent = Envelope<UnknownEventType, Record<string, unknown>>

/**
 * A verified event. Comparing `type` narrows `data.object`; what is left after the types you handle may be an
 * event of a type that this version does not know.
 *
 * @example
 * if (event.type === 'payment_intent.succeeded') fulfil(event.data.object.id, event.data.object.amount)
 */
export type Event = { [T in EventType]: EventOf<T> }[EventType] | UnknownEvent
