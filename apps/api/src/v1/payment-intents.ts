import {
  cancelPaymentIntent,
  confirmPaymentIntent,
  createPaymentIntent,
  listPaymentIntents as listOperation,
  retrievePaymentIntent,
} from '@merchant-payments/contract'
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
import { command, read, type Route } from './handle.ts'

export const paymentIntentRoutes = (deps: Deps): Route[] => [
  command(createPaymentIntent, ({ claim, body }) =>
    createIntent(deps, claim, {
      amountMinor: body.amount,
      currency: body.currency,
      paymentMethodTypes: body.payment_method_types,
      customer: body.customer,
      description: body.description,
      metadata: newMetadata(body.metadata),
    }),
  ),
  read(listOperation, async ({ merchantId, query }) =>
    JSON.stringify(await listPaymentIntents(deps, merchantId, parsePage<PaymentIntentId>(query))),
  ),
  read(retrievePaymentIntent, async ({ merchantId, params }) =>
    JSON.stringify(await getIntent(deps, merchantId, params.id)),
  ),
  command(confirmPaymentIntent, ({ claim, params, body }) =>
    confirmIntent(deps, claim, params.id, {
      paymentMethodData: body.payment_method_data,
      customer: body.customer,
      returnUrl: body.return_url,
      locale: body.locale ?? null,
    }),
  ),
  command(cancelPaymentIntent, ({ claim, params, body }) =>
    cancelIntent(deps, claim, params.id, body.cancellation_reason ?? null),
  ),
]
