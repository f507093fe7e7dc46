import { z } from 'zod'
import { Event } from './events.ts'
import { idParam, listQuery } from './form.ts'
import { listOf } from './list.ts'
import { operation } from './operation.ts'

export const listEvents = operation({
  id: 'events.list',
  surface: 'v1',
  method: 'GET',
  path: '/v1/events',
  query: z.strictObject(listQuery('evt')),
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
