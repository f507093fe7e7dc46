import { listEvents as listOperation, retrieveEvent } from '@merchant-payments/contract'
import { type Deps, type EventId, getEvent, listEvents, parsePage } from '@merchant-payments/core'
import { read, type Route } from './handle.ts'

export const eventRoutes = (deps: Deps): Route[] => [
  read(listOperation, ({ merchantId, query }) =>
    listEvents(deps, merchantId, parsePage<EventId>(query), {
      types: query.type ?? query.types ?? null,
    }),
  ),
  read(retrieveEvent, ({ merchantId, params }) => getEvent(deps, merchantId, params.id)),
]
