import {
  listStaffCharges,
  parseStaffPage,
  queryCharge,
  resolveCharge,
  returnCharge,
  totalStaffCharges,
} from '@merchant-payments/core'
import { type HandlerDeps, handlers } from '../handlers.ts'
import { wholeList } from './whole-list.ts'

export const charges = (deps: HandlerDeps) =>
  handlers({
    listStaffCharges: ({ query }) =>
      listStaffCharges(deps, parseStaffPage(query), {
        state: query.state ?? null,
        rail: query.rail ?? null,
        amount: query.amount ?? null,
        currency: query.currency ?? null,
      }),
    totalStaffCharges: ({ query }) =>
      totalStaffCharges(deps, wholeList(query), {
        state: query.state ?? null,
        rail: query.rail ?? null,
        amount: query.amount ?? null,
        currency: query.currency ?? null,
      }),
    queryCharge: ({ request, params }) => queryCharge(deps, request, params.id),
    resolveCharge: ({ request, params, body }) =>
      resolveCharge(deps, request, params.id, {
        outcome: body.outcome,
        statement: body.statement ?? null,
      }),
    returnCharge: ({ request, params, body }) => returnCharge(deps, request, params.id, body.msisdn ?? null),
  })
