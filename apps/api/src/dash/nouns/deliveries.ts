import {
  type EventId,
  getStaffDelivery,
  getStaffEvent,
  listFanouts,
  listStaffDeliveries,
  listStaffEvents,
  parseStaffPage,
  replayDelivery,
  retryFanout,
} from '@merchant-payments/core'
import { type HandlerDeps, handlers } from '../handlers.ts'

export const deliveries = (deps: HandlerDeps) =>
  handlers({
    listStaffDeliveries: ({ query }) =>
      listStaffDeliveries(deps, parseStaffPage(query), {
        status: query.status ?? null,
        endpoint: query.endpoint ?? null,
        eventId: (query.event ?? null) as EventId | null,
        eventType: query.event_type ?? null,
      }),
    retrieveStaffDelivery: ({ by, params, logged }) => logged(getStaffDelivery(deps, by, params.id)),
    replayDelivery: ({ request, params }) => replayDelivery(deps, request, params.id),
    listStaffEvents: ({ query }) => listStaffEvents(deps, parseStaffPage(query), query.type ?? null),
    retrieveStaffEvent: ({ by, params, logged }) => logged(getStaffEvent(deps, by, params.id)),
    listFanouts: ({ query }) => listFanouts(deps, parseStaffPage(query), query.state ?? null),
    retryFanout: ({ request, params }) => retryFanout(deps, request, params.id),
  })
