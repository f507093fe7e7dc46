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

/** An event on its way to becoming deliveries. */
export const StaffFanout = z
  .strictObject({
    id: idField('evt', exampleIds.fanout),
    object: objectField('fanout'),
    merchant: merchantField,
    type: eventType,
    state: z
      .enum(fanoutStates)
      .describe(
        'State of the fan-out (spec 3.4). `failed`: five passes failed; only staff lead it out of this state.',
      ),
    failures: z.int().describe('Passes that have failed, 0 to 5.'),
    next_pass_at: instantOrNull('When the next pass takes the event.', 'once it is fanned out'),
    request_id: textOrNull('The `request-id` of the request that wrote the event.', 'if the worker wrote it'),
    created: instant('When the event was written.'),
  })
  .meta({ id: 'StaffFanout', description: 'An event on its way to becoming one delivery for each endpoint.' })
export type StaffFanout = z.infer<typeof StaffFanout>

/** Those that are not done; `state` asks for one kind of them. */
export const listFanouts = staffRead({
  id: 'fanouts.list',
  path: '/fanouts',
  summary: 'List events that are not fanned out yet',
  description: ['Pages through the events whose deliveries are not made yet, newest first.'],
  query: z.strictObject({
    ...staffListQuery('evt'),
    state: z
      .enum(unfinished, `must be one of ${unfinished.join(', ')}`)
      .optional()
      .describe('Shows fan-outs in this state. Both if it is not sent.'),
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
  description: ['Makes a failed fan-out pending again, with five passes of its own.'],
  errors: ['fanout_not_failed'],
  example: {
    id: exampleIds.fanout,
    params: { reason: 'The fault is mended.' },
    answer: { object: 'audit_entry', action: 'fanout.retry', target: exampleIds.fanout },
  },
})
