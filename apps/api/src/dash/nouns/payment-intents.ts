import {
  cancelStaffIntent,
  type CustomerId,
  getStaffIntent,
  listStaffIntents,
  parseStaffPage,
  refundStaffIntent,
} from '@merchant-payments/core'
import { type HandlerDeps, handlers } from '../handlers.ts'

export const paymentIntents = (deps: HandlerDeps) =>
  handlers({
    listStaffIntents: ({ by, query, logged }) =>
      logged(
        listStaffIntents(deps, by, parseStaffPage(query), {
          status: query.status ?? null,
          rail: query.rail ?? null,
          customerId: (query.customer ?? null) as CustomerId | null,
          payer: query.payer ?? null,
        }),
      ),
    retrieveStaffIntent: ({ params }) => getStaffIntent(deps, params.id),
    cancelStaffIntent: ({ request, params }) => cancelStaffIntent(deps, request, params.id),
    refundStaffIntent: ({ request, params, body }) =>
      refundStaffIntent(deps, request, params.id, {
        amountMinor: body.amount ?? null,
        msisdn: body.msisdn ?? null,
      }),
  })
