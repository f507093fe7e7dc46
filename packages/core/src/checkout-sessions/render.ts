import type { CheckoutSession } from '@merchant-payments/contract'
import { secondsOf } from '../base/clock.ts'
import type { Deployment } from '../deps.ts'
import { createdOf } from '../base/ids.ts'
import { hasEnded } from './lifecycle.ts'
import type { Session } from './session.ts'

/** Spec 2.5 and 6.2. Holds neither the secret nor the address that carries it: forgetting them is safe. */
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

/** The session with the page's address, while there is something to do there. */
export function withUrl(
  wire: CheckoutSession,
  session: Session,
  deployment: Shown,
  nowMs: number,
): CheckoutSession {
  if (session.uiMode !== 'hosted' || hasEnded(session, nowMs)) return wire
  // In the fragment, which browsers send nowhere.
  const url = `${deployment.checkoutBaseUrl}/c/${session.id}#${sessionSecretOf(session, deployment)}`
  return { ...wire, url }
}

/** On create and retrieve, and nowhere else. */
export const withSessionSecret = (
  wire: CheckoutSession,
  session: Session,
  deployment: Shown,
): CheckoutSession => ({ ...wire, client_secret: sessionSecretOf(session, deployment) })

type Secretive = Pick<Session, 'merchantId' | 'id' | 'storedSecret'>
type Keys = Pick<Deployment, 'merchants' | 'clientSecrets'>

const sessionSecretOf = (session: Secretive, deployment: Keys): string =>
  withKey(session, session.storedSecret ?? deployment.clientSecrets.of(session.id), deployment)

/** What a payer must have given, who gave this. */
export const expectedSessionSecret = (session: Secretive, deployment: Keys, given: string): string =>
  withKey(session, session.storedSecret ?? deployment.clientSecrets.expected(session.id, given), deployment)

/** One hosted page serves every merchant, and its fragment is all that it is given: hence the key in the secret. */
function withKey({ merchantId }: Secretive, secret: string, { merchants }: Keys): string {
  const merchant = merchants.find(merchantId)
  // Spec 5.1.4: another replica has registered it meanwhile, and a retry may find that one.
  if (merchant === undefined) throw new Error('a merchant that this replica does not know')
  return `${secret}.${merchant.publishableKey}`
}
