import { z } from 'zod'
import { Event, eventType } from '../events.ts'
import { exampleIds } from '../examples.ts'
import { idField, objectField } from '../fields.ts'
import { idFilter, idParam } from '../form.ts'
import { listOf } from '../list.ts'
import {
  change,
  instant,
  instantOrNull,
  merchantField,
  staffListQuery,
  staffRead,
  textOrNull,
} from './common.ts'
import { deliveryStatuses, eventTypes, shownDeliveryStatuses } from '../words.ts'

export const StaffDelivery = z
  .strictObject({
    id: idField('wd', exampleIds.delivery),
    object: objectField('delivery'),
    merchant: merchantField,
    event: z.string().describe('The id of the event that is posted.'),
    event_type: eventType
      .nullable()
      .describe('The type of that event. Null if the event is no longer stored.'),
    endpoint: z.string().describe('The id of the endpoint in the deployment’s configuration.'),
    status: z
      .enum(deliveryStatuses)
      .describe(
        'State of the delivery (spec 3.3). `exhausted`: eight attempts failed, or the address was refused.',
      ),
    attempts: z.int().describe('Attempts of the current ladder, 0 to 8.'),
    attempts_before: z.int().describe('Attempts of earlier ladders, before a replay.'),
    next_attempt_at: instantOrNull('When the next attempt is due.', 'if none is'),
    dead_lettered: z
      .boolean()
      .describe('Whether its job rests because of a fault of the service. Nothing is posted until a replay.'),
    created: instant('When the delivery was created.'),
    finished_at: instantOrNull('When the delivery succeeded or was exhausted.', 'while it is pending'),
  })
  .meta({ id: 'StaffDelivery', description: 'One event on its way to one endpoint.' })
export type StaffDelivery = z.infer<typeof StaffDelivery>

const Attempt = z
  .strictObject({
    number: z.int().describe('Number of the attempt, from 1. Replays continue the count.'),
    started_at: instant('When the attempt began.'),
    duration_ms: z.int().describe('How long the attempt took, in milliseconds.'),
    status_code: z
      .int()
      .nullable()
      .describe('The HTTP status of the endpoint’s answer. Null if there was none.'),
    error: textOrNull('Why there was no answer.', 'if there was one'),
    response_excerpt: textOrNull(
      'The beginning of the endpoint’s answer. `[redacted]` after a customer in it is erased.',
      'if there was none',
    ),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One POST of an event to an endpoint.' })

/** With the newest attempts, newest first, and the posted event. */
export const StaffDeliveryDetail = StaffDelivery.extend({
  event_body: Event.nullable().describe('The posted event. Null if it is no longer stored.'),
  event_text: textOrNull('The bytes that are posted and signed, as text.', 'if they are no longer stored'),
  attempt_log: z.array(Attempt).describe('The newest attempts, newest first.'),
}).meta({
  id: 'StaffDeliveryDetail',
  description: 'A delivery with its newest attempts and the posted event.',
})
export type StaffDeliveryDetail = z.infer<typeof StaffDeliveryDetail>

export const listStaffDeliveries = staffRead({
  id: 'deliveries.list',
  path: '/deliveries',
  summary: 'List webhook deliveries of all merchants',
  description: ['Pages through the deliveries of all merchants, newest first. All given filters must hold.'],
  query: z.strictObject({
    ...staffListQuery('wd'),
    status: z
      .enum(shownDeliveryStatuses, `must be one of ${shownDeliveryStatuses.join(', ')}`)
      .optional()
      .describe(
        'Shows deliveries in this state. `pending` leaves out dead letters, which `dead_lettered` shows.',
      ),
    endpoint: z
      .string('must be a single endpoint')
      .min(1, 'must not be empty')
      .optional()
      .describe('Shows deliveries to the endpoint with this id.'),
    event: idFilter('evt').describe('Shows deliveries of this event.'),
    event_type: z
      .enum(eventTypes, 'must be the name of an event type')
      .optional()
      .describe('Shows deliveries of events of this type.'),
  }),
  schema: listOf(StaffDelivery),
  ok: 'One page of deliveries.',
  example: { params: { status: 'exhausted' }, answer: { object: 'list' } },
})

export const retrieveStaffDelivery = staffRead({
  id: 'deliveries.retrieve',
  path: '/deliveries/{id}',
  summary: 'Open a delivery with its attempts',
  description: ['Reads a delivery, its newest attempts and the body that is posted.'],
  params: z.object({ id: idParam('wd') }),
  schema: StaffDeliveryDetail,
  ok: 'The delivery.',
  example: {
    id: exampleIds.delivery,
    answer: { id: exampleIds.delivery, object: 'delivery', status: 'exhausted' },
  },
})

export const replayDelivery = change({
  id: 'deliveries.replay',
  role: 'operator',
  path: '/deliveries/{id}/replay',
  prefix: 'wd',
  summary: 'Post an event to its endpoint again',
  description: ['Gives an exhausted or dead-lettered delivery a new ladder of eight attempts.'],
  errors: ['delivery_not_replayable'],
  example: {
    id: exampleIds.delivery,
    params: { reason: 'The endpoint is back.' },
    answer: { object: 'audit_entry', action: 'delivery.replay', target: exampleIds.delivery },
  },
})
