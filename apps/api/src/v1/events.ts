import { type Deps, type EventId, getEvent, listEvents, parsePage } from '@merchant-payments/core'
import { handlers } from './handlers.ts'

export const events = (deps: Deps) =>
  handlers({
    listEvents: ({ merchantId, query }) =>
      listEvents(deps, merchantId, parsePage<EventId>(query), { types: query.type ?? query.types ?? null }),
    retrieveEvent: ({ merchantId, params }) => getEvent(deps, merchantId, params.id),
  })
