import {
  type CheckoutSessionId,
  createSession,
  type CustomerId,
  type Deps,
  expireSession,
  getSession,
  listCheckoutSessions,
  newMetadata,
  parsePage,
  type PaymentIntentId,
} from '@merchant-payments/core'
import { handlers } from './handlers.ts'

export const checkoutSessions = (deps: Deps) =>
  handlers({
    createCheckoutSession: ({ claim, body }) =>
      createSession(deps, claim, {
        paymentIntent: body.payment_intent,
        amountMinor: body.amount ?? null,
        currency: body.currency ?? null,
        paymentMethodTypes: body.payment_method_types ?? null,
        description: body.description,
        customer: body.customer,
        uiMode: body.ui_mode,
        successUrl: body.success_url,
        cancelUrl: body.cancel_url,
        returnUrl: body.return_url,
        clientReferenceId: body.client_reference_id,
        expiresAtSec: body.expires_at ?? null,
        locale: body.locale ?? null,
        metadata: newMetadata(body.metadata),
      }),
    listCheckoutSessions: ({ merchantId, query }) =>
      listCheckoutSessions(deps, merchantId, parsePage<CheckoutSessionId>(query), {
        intentId: (query.payment_intent ?? null) as PaymentIntentId | null,
        customerId: (query.customer ?? null) as CustomerId | null,
        status: query.status ?? null,
      }),
    retrieveCheckoutSession: ({ merchantId, params }) => getSession(deps, merchantId, params.id),
    expireCheckoutSession: ({ claim, params }) => expireSession(deps, claim, params.id),
  })
