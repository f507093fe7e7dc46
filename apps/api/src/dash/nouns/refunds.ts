import type { listStaffRefunds as listed, totalStaffRefunds as totaled } from '@merchant-payments/contract'
import {
  type CustomerId,
  listStaffRefunds,
  parseStaffPage,
  type PaymentIntentId,
  totalStaffRefunds,
} from '@merchant-payments/core'
import type { Parsed } from '../../http/operations.ts'
import { type HandlerDeps, handlers } from '../handlers.ts'
import { wholeList } from './whole-list.ts'

type Query = Omit<Parsed<(typeof listed)['query']>, 'limit'> | Parsed<(typeof totaled)['query']>

const filterOf = (query: Query) => ({
  status: query.status ?? null,
  instruction: query.instruction ?? null,
  queue: query.queue ?? null,
  rail: query.rail ?? null,
  intentId: (query.payment_intent ?? null) as PaymentIntentId | null,
  customerId: (query.customer ?? null) as CustomerId | null,
  amount: query.amount ?? null,
  currency: query.currency ?? null,
})

export const refunds = (deps: HandlerDeps) =>
  handlers({
    listStaffRefunds: ({ query }) => listStaffRefunds(deps, parseStaffPage(query), filterOf(query)),
    totalStaffRefunds: ({ query }) => totalStaffRefunds(deps, wholeList(query), filterOf(query)),
  })
