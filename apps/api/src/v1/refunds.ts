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
import { handlers } from './handlers.ts'

export const refunds = (deps: Deps) =>
  handlers({
    createRefund: ({ claim, body }) =>
      createRefund(deps, claim, {
        paymentIntent: body.payment_intent,
        amountMinor: body.amount ?? null,
        reason: body.reason ?? null,
        metadata: newMetadata(body.metadata),
        destination: body.destination,
      }),
    listRefunds: ({ merchantId, query }) =>
      listRefunds(deps, merchantId, parsePage<RefundId>(query), {
        intentId: (query.payment_intent ?? null) as PaymentIntentId | null,
      }),
    retrieveRefund: ({ merchantId, params }) => getRefund(deps, merchantId, params.id),
    updateRefund: ({ claim, params, body }) => updateRefund(deps, claim, params.id, body.metadata),
    cancelRefund: ({ claim, params }) => cancelRefund(deps, claim, params.id),
  })
