import {
  cancelIntent,
  confirmIntent,
  createIntent,
  type Deps,
  getIntent,
  listPaymentIntents,
  newMetadata,
  parsePage,
  type PaymentIntentId,
} from '@merchant-payments/core'
import { handlers } from './handlers.ts'

export const paymentIntents = (deps: Deps) =>
  handlers({
    createPaymentIntent: ({ claim, body }) =>
      createIntent(deps, claim, {
        amountMinor: body.amount,
        currency: body.currency,
        paymentMethodTypes: body.payment_method_types,
        customer: body.customer,
        description: body.description,
        metadata: newMetadata(body.metadata),
      }),
    listPaymentIntents: ({ merchantId, query }) =>
      listPaymentIntents(deps, merchantId, parsePage<PaymentIntentId>(query)),
    retrievePaymentIntent: ({ merchantId, params }) => getIntent(deps, merchantId, params.id),
    confirmPaymentIntent: ({ claim, params, body }) =>
      confirmIntent(deps, claim, params.id, {
        paymentMethodData: body.payment_method_data,
        customer: body.customer,
        returnUrl: body.return_url,
        locale: body.locale ?? null,
      }),
    cancelPaymentIntent: ({ claim, params, body }) =>
      cancelIntent(deps, claim, params.id, body.cancellation_reason ?? null),
  })
