import type { listStaffIntents as listed, totalStaffIntents as totaled } from '@merchant-payments/contract'
import {
  cancelStaffIntent,
  type CustomerId,
  getStaffIntent,
  listStaffIntents,
  parseStaffPage,
  refundStaffIntent,
  totalStaffIntents,
} from '@merchant-payments/core'
import type { Parsed } from '../../http/operations.ts'
import { type HandlerDeps, handlers } from '../handlers.ts'
import { wholeList } from './whole-list.ts'

type Query = Omit<Parsed<(typeof listed)['query']>, 'limit'> | Parsed<(typeof totaled)['query']>

const filterOf = (query: Query) => ({
  status: query.status ?? null,
  rail: query.rail ?? null,
  customerId: (query.customer ?? null) as CustomerId | null,
  payer: query.payer ?? null,
  amount: query.amount ?? null,
  currency: query.currency ?? null,
  charge: query.charge ?? null,
  decline: query.decline ?? null,
  metadata: query.metadata ?? null,
})

export const paymentIntents = (deps: HandlerDeps) =>
  handlers({
    listStaffIntents: ({ by, query, logged }) =>
      logged(listStaffIntents(deps, by, parseStaffPage(query), filterOf(query))),
    totalStaffIntents: ({ by, query, logged }) =>
      logged(totalStaffIntents(deps, by, wholeList(query), filterOf(query))),
    retrieveStaffIntent: ({ by, params }) => getStaffIntent(deps, by, params.id),
    cancelStaffIntent: ({ request, params }) => cancelStaffIntent(deps, request, params.id),
    refundStaffIntent: ({ request, params, body }) =>
      refundStaffIntent(deps, request, params.id, {
        amountMinor: body.amount ?? null,
        msisdn: body.msisdn ?? null,
        seenReservedMinor: body.seen_refund_reserved ?? null,
      }),
  })
