import { z } from 'zod'
import { eventType } from '../events.ts'
import { exampleIds } from '../examples.ts'
import { idField, objectField } from '../fields.ts'
import { idParam } from '../form.ts'
import { listOf } from '../list.ts'
import { instant, merchantField, staffListQuery, staffRead, textOrNull } from './common.ts'
import { StaffDelivery } from './deliveries.ts'
import { eventTypes } from '../words.ts'

export const StaffEvent = z
  .strictObject({
    id: idField('evt', exampleIds.event),
    object: objectField('event'),
    merchant: merchantField,
    type: eventType,
    state: z
      .enum(['pending', 'done', 'failed'])
      .describe('State of its fan-out (spec 3.4). `done`: each endpoint has a delivery.'),
    request_id: textOrNull('The `request-id` of the request that wrote the event.', 'if the worker wrote it'),
    created: instant('When the event was written.'),
  })
  .meta({ id: 'StaffEvent', description: 'An event of a merchant, without its body.' })
export type StaffEvent = z.infer<typeof StaffEvent>

export const StaffEventDetail = StaffEvent.extend({
  body: z.string().describe('The bytes that are posted and signed, as text.'),
  deliveries: z.array(StaffDelivery).describe('Its deliveries, newest first: at most 100.'),
}).meta({ id: 'StaffEventDetail', description: 'An event with its body and its deliveries.' })
export type StaffEventDetail = z.infer<typeof StaffEventDetail>

export const listStaffEvents = staffRead({
  id: 'events.list',
  path: '/events',
  summary: 'List events of all merchants',
  description: ['Pages through the events of all merchants, newest first. All given filters must hold.'],
  query: z.strictObject({
    ...staffListQuery('evt'),
    type: z
      .enum(eventTypes, 'must be the name of an event type')
      .optional()
      .describe('Shows events of this type.'),
  }),
  schema: listOf(StaffEvent),
  ok: 'One page of events.',
  example: { params: { type: 'payment_intent.canceled' }, answer: { object: 'list' } },
})

export const retrieveStaffEvent = staffRead({
  id: 'events.retrieve',
  path: '/events/{id}',
  summary: 'Open an event with its deliveries',
  description: ['Reads an event, the bytes that are posted, and its deliveries.'],
  params: z.object({ id: idParam('evt') }),
  schema: StaffEventDetail,
  ok: 'The event.',
  example: { id: exampleIds.event, answer: { id: exampleIds.event, object: 'event' } },
})
