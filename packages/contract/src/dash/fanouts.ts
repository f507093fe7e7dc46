import { z } from 'zod'
import { eventType } from '../events.ts'
import { exampleIds } from '../examples.ts'
import { idField, objectField } from '../fields.ts'
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

const fanoutStates = ['pending', 'done', 'failed'] as const
const unfinished = ['pending', 'failed'] as const

export const StaffFanout = z
  .strictObject({
    id: idField('evt', exampleIds.fanout),
    object: objectField('fanout'),
    merchant: merchantField,
    type: eventType,
    state: z
      .enum(fanoutStates)
      .describe('State of the fan-out (spec 3.4). `failed`: five passes failed; only staff can retry it.'),
    failures: z.int().describe('Failed passes, 0 to 5.'),
    next_pass_at: instantOrNull('When the next pass claims the event.', 'once it is fanned out'),
    request_id: textOrNull('The `request-id` of the request that wrote the event.', 'if the worker wrote it'),
    created: instant('When the event was written.'),
  })
  .meta({ id: 'StaffFanout', description: 'The fan-out of an event to one delivery per endpoint.' })
export type StaffFanout = z.infer<typeof StaffFanout>

/** Unfinished fan-outs. `state` selects pending or failed ones. */
export const listFanouts = staffRead({
  id: 'fanouts.list',
  path: '/fanouts',
  summary: 'List events that are not fanned out yet',
  description: ['Pages through the events without deliveries yet, newest first.'],
  query: z.strictObject({
    ...staffListQuery('evt'),
    state: z
      .enum(unfinished, `must be one of ${unfinished.join(', ')}`)
      .optional()
      .describe('Shows fan-outs in this state. Default: both.'),
  }),
  schema: listOf(StaffFanout),
  ok: 'One page of fan-outs.',
  example: { params: { state: 'failed' }, answer: { object: 'list' } },
})

export const retryFanout = change({
  id: 'fanouts.retry',
  role: 'operator',
  path: '/fanouts/{id}/retry',
  prefix: 'evt',
  summary: 'Fan a failed event out again',
  description: ['Makes a failed fan-out pending again, with five new passes.'],
  errors: ['fanout_not_failed'],
  example: {
    id: exampleIds.fanout,
    params: { reason: 'The fault is fixed.' },
    answer: { object: 'audit_entry', action: 'fanout.retry', target: exampleIds.fanout },
  },
})
