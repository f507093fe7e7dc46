import {
  listStaffCharges,
  parseStaffPage,
  queryCharge,
  resolveCharge,
  returnCharge,
} from '@merchant-payments/core'
import { type HandlerDeps, handlers } from '../handlers.ts'

export const charges = (deps: HandlerDeps) =>
  handlers({
    listStaffCharges: ({ query }) =>
      listStaffCharges(deps, parseStaffPage(query), {
        state: query.state ?? null,
        rail: query.rail ?? null,
      }),
    queryCharge: ({ request, params }) => queryCharge(deps, request, params.id),
    resolveCharge: ({ request, params, body }) =>
      resolveCharge(deps, request, params.id, {
        outcome: body.outcome,
        statement: body.statement ?? null,
      }),
    returnCharge: ({ request, params, body }) => returnCharge(deps, request, params.id, body.msisdn ?? null),
  })
