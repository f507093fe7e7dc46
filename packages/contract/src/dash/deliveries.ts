import { z } from 'zod'
import { Event, eventTypes } from '../events.ts'
import { idFilter, idParam } from '../form.ts'
import { listOf } from '../list.ts'
import { change, instant, staffListQuery, staffRead } from './common.ts'

const deliveryStatuses = ['pending', 'succeeded', 'exhausted'] as const

/** One event on its way to one endpoint. */
export const StaffDelivery = z.strictObject({
  id: z.string().regex(/^wd_[0-9a-f]{32}$/),
  object: z.literal('delivery'),
  merchant: z.string(),
  event: z.string(),
  event_type: z.enum(eventTypes).nullable(),
  endpoint: z.string(),
  status: z.enum(deliveryStatuses),
  /** Of this ladder, and of those that a replay ended. */
  attempts: z.int(),
  attempts_before: z.int(),
  next_attempt_at: instant.nullable(),
  dead_lettered: z.boolean(),
  created: instant,
  finished_at: instant.nullable(),
})
export type StaffDelivery = z.infer<typeof StaffDelivery>

const Attempt = z.strictObject({
  number: z.int(),
  started_at: instant,
  duration_ms: z.int(),
  status_code: z.int().nullable(),
  error: z.string().nullable(),
  response_excerpt: z.string().nullable(),
})

/** With its newest attempts, newest first, and what is posted. */
export const StaffDeliveryDetail = StaffDelivery.extend({
  event_body: Event.nullable(),
  attempt_log: z.array(Attempt),
})
export type StaffDeliveryDetail = z.infer<typeof StaffDeliveryDetail>

export const listStaffDeliveries = staffRead({
  id: 'deliveries.list',
  path: '/deliveries',
  query: z.strictObject({
    ...staffListQuery('wd'),
    status: z.enum(deliveryStatuses, `must be one of ${deliveryStatuses.join(', ')}`).optional(),
    endpoint: z.string('must be a single endpoint').min(1, 'must not be empty').optional(),
    event: idFilter('evt'),
    event_type: z.enum(eventTypes, 'must be the name of an event type').optional(),
  }),
  schema: listOf(StaffDelivery),
})

export const retrieveStaffDelivery = staffRead({
  id: 'deliveries.retrieve',
  path: '/deliveries/{id}',
  params: z.object({ id: idParam('wd') }),
  schema: StaffDeliveryDetail,
})

export const replayDelivery = change({
  id: 'deliveries.replay',
  role: 'operator',
  path: '/deliveries/{id}/replay',
  prefix: 'wd',
})
