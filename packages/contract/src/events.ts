import { z } from 'zod'

/** Spec 6.1: closed at fifteen; nothing else can be written. */
export const eventTypes = [
  'payment_intent.created',
  'payment_intent.processing',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'charge.refunded',
  'charge.refund.updated',
  'checkout.session.expired',
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'invoice.created',
  'invoice.finalized',
  'invoice.paid',
  'invoice.voided',
] as const

export type EventType = (typeof eventTypes)[number]

/** Spec 6.1: in the vocabulary, and written by nothing. */
export type UnwrittenEventType = 'payment_intent.created' | 'payment_intent.processing'

/** What a state change may write: the unwritten two do not compile. */
export type WrittenEventType = Exclude<EventType, UnwrittenEventType>

/** Spec 2.3: six keys; the same rendering serves GET /v1/events and webhook bodies. */
export const Event = z.strictObject({
  id: z.string().regex(/^evt_[0-9a-f]{32}$/),
  object: z.literal('event'),
  type: z.enum(eventTypes),
  created: z.int(),
  livemode: z.boolean(),
  data: z.strictObject({ object: z.record(z.string(), z.unknown()) }),
})
export type Event = z.infer<typeof Event>
