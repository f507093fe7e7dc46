import type { CheckoutSession, PaymentIntent } from '../wire.ts'
import { createIntent } from './intents.ts'
import type { Form } from './parse-form.ts'
import { get, Refusal, type Store } from './store.ts'
import {
  countOf,
  customerOf,
  invalid,
  mergeMetadata,
  railsOf,
  refuseFields,
  SECONDS_MAX,
  SETTLEMENT_CURRENCY,
  textIn,
} from './values.ts'

/** docs/spec-gaps.md, expires_at. */
const LIFE_SEC_MIN = 30 * 60
const LIFE_SEC_MAX = 24 * 60 * 60
const LIFE_LEEWAY_SEC = 30

export function createSession(store: Store, form: Form): CheckoutSession {
  refuseFields(form, ['line_items', 'mode', 'amount_total', 'payment_intent_data'])
  const isHosted = !(textIn(form, 'ui_mode') ?? 'hosted').startsWith('embedded')
  const success = textIn(form, 'success_url')
  if (isHosted && success === null) throw invalid('success_url', 'is required on a hosted page')
  const wanted = {
    success_url: success,
    cancel_url: textIn(form, 'cancel_url'),
    return_url: textIn(form, 'return_url'),
    client_reference_id: textIn(form, 'client_reference_id'),
    metadata: mergeMetadata(form['metadata'], {}),
    expires_at: endOf(store, form),
  }
  // Also beside an intent, an empty list is refused.
  railsOf(form)
  const named = textIn(form, 'payment_intent')
  const intent = named === null ? createIntent(store, form) : waitingIntent(store, named)
  const id = store.mint('cs')
  const session: CheckoutSession = {
    id,
    object: 'checkout.session',
    status: 'open',
    payment_status: 'unpaid',
    payment_intent: intent.id,
    amount: intent.amount,
    currency: intent.currency,
    payment_method_types: intent.payment_method_types,
    customer: intent.customer,
    ui_mode: isHosted ? 'hosted' : 'embedded',
    url: isHosted ? `https://payments.test/c/${id}#fake` : null,
    client_secret: `${id}_secret_fake`,
    ...wanted,
    created: store.nowSec(),
    livemode: false,
  }
  store.sessions.set(id, session)
  return session
}

function endOf(store: Store, form: Form): number {
  const end = countOf(form, 'expires_at', 1, SECONDS_MAX) ?? store.nowSec() + LIFE_SEC_MAX
  const lifeSec = end - store.nowSec()
  if (lifeSec < LIFE_SEC_MIN - LIFE_LEEWAY_SEC || lifeSec > LIFE_SEC_MAX + LIFE_LEEWAY_SEC) {
    throw invalid('expires_at', 'must be 30 minutes to 24 hours ahead')
  }
  return end
}

/** An intent has at most one session, and an intent of an invoice none. */
function waitingIntent(store: Store, id: string): PaymentIntent {
  const intent = store.intents.get(id)
  if (intent === undefined) throw invalid('payment_intent', 'is no payment intent')
  if (intent.invoice !== null) {
    throw new Refusal(409, 'intent_has_invoice', 'The payment intent belongs to an invoice.')
  }
  if ([...store.sessions.values()].some((session) => session.payment_intent === id)) {
    throw new Refusal(409, 'intent_has_session', 'The payment intent has a session.')
  }
  if (intent.status === 'processing') throw new Refusal(409, 'charge_in_progress', 'A charge is in progress.')
  if (intent.status === 'succeeded') throw new Refusal(409, 'charge_terminal', 'The payment intent is paid.')
  if (intent.status === 'canceled') {
    throw new Refusal(409, 'intent_canceled', 'The payment intent is canceled.')
  }
  if (intent.customer !== null) customerOf(store, intent.customer)
  if (intent.currency !== SETTLEMENT_CURRENCY) {
    throw new Refusal(409, 'intent_has_no_rail', 'The payment intent has no rail of its currency.')
  }
  return intent
}

export function expireSession(store: Store, id: string): CheckoutSession {
  const session = get(store.sessions, id, 'checkout session')
  if (session.status !== 'open') {
    throw new Refusal(409, 'session_not_open', 'The checkout session is not open.')
  }
  if (store.openCharges.has(session.payment_intent)) {
    throw new Refusal(409, 'charge_in_progress', 'A charge is in progress.')
  }
  session.status = 'expired'
  session.url = null
  return withoutSessionSecret(session)
}

/** Only create and retrieve have the secret (spec 2.5). */
export const withoutSessionSecret = ({
  client_secret: _secret,
  ...session
}: CheckoutSession): CheckoutSession => session
