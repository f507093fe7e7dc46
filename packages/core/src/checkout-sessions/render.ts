import type { CheckoutSession } from '@merchant-payments/contract'
import { secondsOf } from '../base/clock.ts'
import type { Deployment } from '../deps.ts'
import { createdOf } from '../base/ids.ts'
import { hasEnded } from './lifecycle.ts'
import type { Session } from './session.ts'

/** Spec 2.5 and 6.2. Leaves out the secret and the address that carries it. Only create and retrieve add the secret. */
export const renderSession = (session: Session): CheckoutSession => ({
  id: session.id,
  object: 'checkout.session',
  status: session.status,
  payment_status: session.paymentStatus,
  payment_intent: session.intentId,
  amount: session.amountMinor,
  currency: session.currency,
  payment_method_types: [...session.paymentMethodTypes],
  customer: session.customerId,
  ui_mode: session.uiMode,
  url: null,
  success_url: session.successUrl,
  cancel_url: session.cancelUrl,
  return_url: session.returnUrl,
  client_reference_id: session.clientReferenceId,
  metadata: session.metadata,
  expires_at: secondsOf(session.expiresAtMs),
  created: createdOf(session.id),
  livemode: session.livemode,
})

type Shown = Pick<Deployment, 'checkoutBaseUrl' | 'merchants' | 'clientSecrets'>

export function withUrl(
  wire: CheckoutSession,
  session: Session,
  deployment: Shown,
  nowMs: number,
): CheckoutSession {
  if (session.uiMode !== 'hosted' || hasEnded(session, nowMs)) return wire
  // The secret is in the fragment, which browsers do not send to servers.
  const url = `${deployment.checkoutBaseUrl}/c/${session.id}#${sessionSecretOf(session, deployment)}`
  return { ...wire, url }
}

export const withSessionSecret = (
  wire: CheckoutSession,
  session: Session,
  deployment: Shown,
): CheckoutSession => ({ ...wire, client_secret: sessionSecretOf(session, deployment) })

type Secretive = Pick<Session, 'merchantId' | 'id' | 'storedSecret'>
type Keys = Pick<Deployment, 'merchants' | 'clientSecrets'>

const sessionSecretOf = (session: Secretive, deployment: Keys): string =>
  withKey(session, session.storedSecret ?? deployment.clientSecrets.of(session.id), deployment)

export const expectedSessionSecret = (session: Secretive, deployment: Keys, given: string): string =>
  withKey(session, session.storedSecret ?? deployment.clientSecrets.expected(session.id, given), deployment)

/** One hosted page serves every merchant and receives only the fragment, so the secret carries the publishable key. */
function withKey({ merchantId }: Secretive, secret: string, { merchants }: Keys): string {
  const merchant = merchants.find(merchantId)
  // Spec 5.1.4: another replica has registered the merchant, and a retry may reach it.
  if (merchant === undefined) throw new Error('a merchant that this replica does not know')
  return `${secret}.${merchant.publishableKey}`
}
