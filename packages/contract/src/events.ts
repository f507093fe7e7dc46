import { z } from 'zod'
import { exampleIds } from './examples.ts'
import { idField, livemode, objectField } from './fields.ts'
import { eventTypes } from './words.ts'

export type EventType = (typeof eventTypes)[number]

/** Limit for an event's JSON, which is the body of a webhook. Characters that JSON escapes take six bytes. */
export const EVENT_BYTES_MAX = 204_800

/** The resource in an event's snapshot, and when the service writes the event (spec 6.1). */
interface EventKind {
  readonly object: 'PaymentIntent' | 'Refund' | 'CheckoutSession' | 'Customer' | 'Invoice'
  readonly description: string
}

export const eventKinds: Readonly<Record<EventType, EventKind>> = {
  'payment_intent.created': {
    object: 'PaymentIntent',
    description: 'Never written: the answer to the create call already reports it.',
  },
  'payment_intent.processing': {
    object: 'PaymentIntent',
    description: 'Never written: the answer to the confirm call already reports it.',
  },
  'payment_intent.succeeded': {
    object: 'PaymentIntent',
    description: 'The payment is paid, possibly late, after a cancel or a refused charge. Fulfil the order.',
  },
  'payment_intent.payment_failed': {
    object: 'PaymentIntent',
    description:
      'The rail refused a charge: `last_payment_error` says why. The intent can be confirmed again.',
  },
  'payment_intent.canceled': { object: 'PaymentIntent', description: 'The merchant canceled the payment.' },
  'charge.refunded': {
    object: 'Refund',
    description:
      'A refund was created with status `pending`. The snapshot is the refund, not the charge. Money has not moved yet.',
  },
  'charge.refund.updated': {
    object: 'Refund',
    description: 'The metadata of a refund changed, or the rail refused the refund (`failed`).',
  },
  'checkout.session.expired': {
    object: 'CheckoutSession',
    description: 'The hourly sweep ended a session. A session that the merchant expires writes no event.',
  },
  'customer.created': { object: 'Customer', description: 'A customer was created.' },
  'customer.updated': { object: 'Customer', description: 'A customer changed.' },
  'customer.deleted': {
    object: 'Customer',
    description:
      'A customer was erased, by the merchant or after twelve idle months. Every identifier is `[redacted]`.',
  },
  'invoice.created': { object: 'Invoice', description: 'A draft was created.' },
  'invoice.finalized': {
    object: 'Invoice',
    description: 'An invoice was finalized: it has a number and can be paid.',
  },
  'invoice.paid': { object: 'Invoice', description: 'An invoice is paid.' },
  'invoice.voided': { object: 'Invoice', description: 'An invoice was voided.' },
}

/** Listed in spec 6.1, but never written. */
export type UnwrittenEventType = 'payment_intent.created' | 'payment_intent.processing'

/** Types that a state change may write. The unwritten two do not compile. */
export type WrittenEventType = Exclude<EventType, UnwrittenEventType>

export const eventType = z.enum(eventTypes).meta({
  id: 'EventType',
  description:
    'What happened (spec 6.1). `payment_intent.created` and `payment_intent.processing` are never written.',
})

/** Spec 2.3: six keys. GET /v1/events and webhook bodies have the same form. */
export const Event = z
  .strictObject({
    id: idField('evt', exampleIds.event).describe(
      'Identifier: `evt_` and 32 hexadecimal digits. Deliveries can repeat and arrive in any order: handle each id once.',
    ),
    object: objectField('event'),
    type: eventType,
    created: z.int().describe('When the change was made, in Unix seconds.'),
    livemode,
    data: z
      .strictObject({
        object: z
          .record(z.string(), z.unknown())
          .describe(
            'The resource of the type, as a snapshot after the change. A checkout session has `url` null, an invoice has `lines.data` empty, and no resource has a `client_secret` (spec 6.2).',
          ),
      })
      .describe('The resource that changed.'),
  })
  .meta({
    id: 'Event',
    description:
      'A record of a state change, written in the same transaction (spec 2.3). Webhook endpoints receive the same form.',
  })
export type Event = z.infer<typeof Event>
