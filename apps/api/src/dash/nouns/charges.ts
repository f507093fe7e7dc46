import type { listStaffCharges as listed, totalStaffCharges as totaled } from '@merchant-payments/contract'
import {
  listStaffCharges,
  parseStaffPage,
  queryCharge,
  resolveCharge,
  returnCharge,
  totalStaffCharges,
} from '@merchant-payments/core'
import type { Parsed } from '../../http/operations.ts'
import { type HandlerDeps, handlers } from '../handlers.ts'
import { wholeList } from './whole-list.ts'

type Query = Omit<Parsed<(typeof listed)['query']>, 'limit'> | Parsed<(typeof totaled)['query']>

const filterOf = (query: Query) => ({
  state: query.state ?? null,
  rail: query.rail ?? null,
  amount: query.amount ?? null,
  currency: query.currency ?? null,
})

interface SeenFields {
  readonly seen_reported_amount?: string | undefined
  readonly seen_reported_currency?: string | undefined
}

/** Empty values stand for what a report does not name. */
const seenReportIn = ({ seen_reported_amount: amount, seen_reported_currency: currency }: SeenFields) =>
  amount === undefined && currency === undefined
    ? null
    : { amount: amount ? Number(amount) : null, currency: currency || null }

export const charges = (deps: HandlerDeps) =>
  handlers({
    listStaffCharges: ({ query }) => listStaffCharges(deps, parseStaffPage(query), filterOf(query)),
    totalStaffCharges: ({ query }) => totalStaffCharges(deps, wholeList(query), filterOf(query)),
    queryCharge: ({ request, params }) => queryCharge(deps, request, params.id),
    resolveCharge: ({ request, params, body }) =>
      resolveCharge(deps, request, params.id, {
        outcome: body.outcome,
        statement: body.statement ?? null,
        seenReport: seenReportIn(body),
      }),
    returnCharge: ({ request, params, body }) => returnCharge(deps, request, params.id, body.msisdn ?? null),
  })
