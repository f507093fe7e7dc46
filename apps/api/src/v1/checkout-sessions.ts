import {
  createCheckoutSession,
  expireCheckoutSession,
  listCheckoutSessions as listOperation,
  retrieveCheckoutSession,
} from '@merchant-payments/contract'
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
import { command, read, type Route } from './handle.ts'

export const checkoutSessionRoutes = (deps: Deps): Route[] => [
  command(createCheckoutSession, ({ claim, body }) =>
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
  ),
  read(listOperation, async ({ merchantId, query }) => {
    const filter = {
      intentId: (query.payment_intent ?? null) as PaymentIntentId | null,
      customerId: (query.customer ?? null) as CustomerId | null,
      status: query.status ?? null,
    }
    const page = parsePage<CheckoutSessionId>(query)
    return JSON.stringify(await listCheckoutSessions(deps, merchantId, page, filter))
  }),
  read(retrieveCheckoutSession, async ({ merchantId, params }) =>
    JSON.stringify(await getSession(deps, merchantId, params.id)),
  ),
  command(expireCheckoutSession, ({ claim, params }) => expireSession(deps, claim, params.id)),
]
