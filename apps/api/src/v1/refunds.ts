import {
  cancelRefund as cancelOperation,
  createRefund as createOperation,
  listRefunds as listOperation,
  retrieveRefund,
  updateRefund as updateOperation,
} from '@merchant-payments/contract'
import {
  cancelRefund,
  createRefund,
  type Deps,
  getRefund,
  listRefunds,
  newMetadata,
  parsePage,
  type PaymentIntentId,
  type RefundId,
  updateRefund,
} from '@merchant-payments/core'
import { command, read, type Route } from './handle.ts'

export const refundRoutes = (deps: Deps): Route[] => [
  command(createOperation, ({ claim, body }) =>
    createRefund(deps, claim, {
      paymentIntent: body.payment_intent,
      amountMinor: body.amount ?? null,
      reason: body.reason ?? null,
      metadata: newMetadata(body.metadata),
      destination: body.destination,
    }),
  ),
  read(listOperation, async ({ merchantId, query }) => {
    const filter = { intentId: (query.payment_intent ?? null) as PaymentIntentId | null }
    return JSON.stringify(await listRefunds(deps, merchantId, parsePage<RefundId>(query), filter))
  }),
  read(retrieveRefund, async ({ merchantId, params }) =>
    JSON.stringify(await getRefund(deps, merchantId, params.id)),
  ),
  command(updateOperation, ({ claim, params, body }) => updateRefund(deps, claim, params.id, body.metadata)),
  command(cancelOperation, ({ claim, params }) => cancelRefund(deps, claim, params.id)),
]
