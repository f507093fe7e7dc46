import {
  type CustomerId,
  listStaffRefunds,
  parseStaffPage,
  type PaymentIntentId,
} from '@merchant-payments/core'
import { type HandlerDeps, handlers } from '../handlers.ts'

export const refunds = (deps: HandlerDeps) =>
  handlers({
    listStaffRefunds: ({ query }) =>
      listStaffRefunds(deps, parseStaffPage(query), {
        status: query.status ?? null,
        instruction: query.instruction ?? null,
        queue: query.queue ?? null,
        rail: query.rail ?? null,
        intentId: (query.payment_intent ?? null) as PaymentIntentId | null,
        customerId: (query.customer ?? null) as CustomerId | null,
      }),
  })
