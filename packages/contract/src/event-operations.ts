import { z } from 'zod'
import { Event, type EventType } from './events.ts'
import { exampleIds } from './examples.ts'
import { createdFilter, formArray, idParam, listQuery, wireShapes } from './form.ts'
import { listOf } from './list.ts'
import { operation } from './operation.ts'
import { eventTypes } from './words.ts'

const TYPES_MAX = 20

/**
 * An unknown type matches nothing and is not an error, because clients of the compatible API ask for its other types.
 */
const typesLike = (name: string): EventType[] =>
  eventTypes.filter((type) => type === name || (name.endsWith('.*') && type.startsWith(name.slice(0, -1))))

const typeName = z.string('must be the name of an event type').min(1, 'must not be empty')
const shapeOfName = {
  anyOf: [{ $ref: '#/components/schemas/EventType' }, { type: 'string', pattern: String.raw`\.\*$` }],
  examples: ['invoice.paid', 'invoice.*'],
}

/** One type, a group of types such as `invoice.*`, or a list of both. docs/spec-gaps.md, filters. */
const typeFilters = {
  type: typeName
    .transform(typesLike)
    .optional()
    .register(wireShapes, { shape: () => shapeOfName })
    .describe(
      'Shows events of this type, or of a group of types such as `invoice.*`. A type that does not exist matches nothing. Not together with `types`.',
    ),
  types: formArray(typeName)
    .refine((names) => names.length <= TYPES_MAX, `must have at most ${TYPES_MAX} types`)
    .transform((names) => names.flatMap(typesLike))
    .optional()
    .register(wireShapes, {
      shape: () => ({ type: 'array', minItems: 1, maxItems: TYPES_MAX, items: shapeOfName }),
    })
    .describe(`Shows events of any of these types or groups: 1 to ${TYPES_MAX}. Not together with \`type\`.`),
}

export const listEvents = operation({
  id: 'events.list',
  surface: 'v1',
  method: 'GET',
  path: '/v1/events',
  summary: 'List events in the order of their commits',
  description: [
    'Pages through the events of the merchant, newest first. Use it to catch up after missed webhooks: set `ending_before` to the id of the last event that you handled to get the newer ones.',
    'An event is listed as soon as its change is committed, and is always newer than every event listed before it.',
  ],
  query: z
    .strictObject({ ...listQuery('evt'), ...typeFilters, created: createdFilter })
    .refine(({ type, types }) => type === undefined || types === undefined, {
      message: 'cannot be combined with type',
      path: ['types'],
    }),
  errors: [],
  ok: { status: 200, schema: listOf(Event), description: 'One page of events.' },
  example: {
    params: { types: ['payment_intent.succeeded', 'invoice.paid'], limit: 100 },
    answer: { object: 'list', url: '/v1/events' },
  },
})

export const retrieveEvent = operation({
  id: 'events.retrieve',
  surface: 'v1',
  method: 'GET',
  path: '/v1/events/{id}',
  summary: 'Read an event again',
  description: [
    'Reads an event in the form that webhook endpoints receive. Events are kept for the deployment’s `retention_days`, 400 by default.',
  ],
  params: z.object({ id: idParam('evt') }),
  errors: [],
  ok: { status: 200, schema: Event, description: 'The event.' },
  example: {
    id: exampleIds.event,
    answer: { id: exampleIds.event, object: 'event', type: 'payment_intent.canceled' },
  },
})
