import { z } from 'zod'
import { eventTypes } from '../events.ts'
import { listOf } from '../list.ts'
import { change, instant, staffListQuery, staffRead } from './common.ts'

const fanoutStates = ['pending', 'done', 'failed'] as const
const unfinished = ['pending', 'failed'] as const

/** An event on its way to becoming deliveries. */
export const StaffFanout = z.strictObject({
  id: z.string().regex(/^evt_[0-9a-f]{32}$/),
  object: z.literal('fanout'),
  merchant: z.string(),
  type: z.enum(eventTypes),
  state: z.enum(fanoutStates),
  failures: z.int(),
  /** Null once the event is fanned out. */
  next_pass_at: instant.nullable(),
  request_id: z.string().nullable(),
  created: instant,
})
export type StaffFanout = z.infer<typeof StaffFanout>

/** Those that are not done; `state` asks for one kind of them. */
export const listFanouts = staffRead({
  id: 'fanouts.list',
  path: '/fanouts',
  query: z.strictObject({
    ...staffListQuery('evt'),
    state: z.enum(unfinished, `must be one of ${unfinished.join(', ')}`).optional(),
  }),
  schema: listOf(StaffFanout),
})

export const retryFanout = change({
  id: 'fanouts.retry',
  role: 'operator',
  path: '/fanouts/{id}/retry',
  prefix: 'evt',
})
