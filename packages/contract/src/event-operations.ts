import { z } from 'zod'
import { Event, type EventType, eventTypes } from './events.ts'
import { createdFilter, formArray, idParam, listQuery, wireShapes } from './form.ts'
import { listOf } from './list.ts'
import { operation } from './operation.ts'

const TYPES_MAX = 20

/** A name of none is no fault, and matches nothing: clients written for the compatible API ask for types it has. */
const typesLike = (name: string): EventType[] =>
  eventTypes.filter((type) => type === name || (name.endsWith('.*') && type.startsWith(name.slice(0, -1))))

const typeName = z.string('must be the name of an event type').min(1, 'must not be empty')
const shapeOfName = { type: 'string', examples: ['invoice.paid', 'invoice.*'] }

/** docs/spec-gaps.md, filters: one type, or a group of them as `invoice.*`; or a list of types. */
const typeFilters = {
  type: typeName
    .transform(typesLike)
    .optional()
    .register(wireShapes, { shape: () => shapeOfName }),
  types: formArray(typeName)
    .refine((names) => names.length <= TYPES_MAX, `must have at most ${TYPES_MAX} types`)
    .transform((names) => names.flatMap(typesLike))
    .optional()
    .register(wireShapes, { shape: () => ({ type: 'array', maxItems: TYPES_MAX, items: shapeOfName }) }),
}

export const listEvents = operation({
  id: 'events.list',
  surface: 'v1',
  method: 'GET',
  path: '/v1/events',
  query: z
    .strictObject({ ...listQuery('evt'), ...typeFilters, created: createdFilter })
    .refine(({ type, types }) => type === undefined || types === undefined, {
      message: 'cannot be combined with type',
      path: ['types'],
    }),
  ok: { status: 200, schema: listOf(Event) },
})

export const retrieveEvent = operation({
  id: 'events.retrieve',
  surface: 'v1',
  method: 'GET',
  path: '/v1/events/{id}',
  params: z.object({ id: idParam('evt') }),
  ok: { status: 200, schema: Event },
})
