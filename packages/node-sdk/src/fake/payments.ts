import type {
  CancellationReason,
  CheckoutSession,
  Currency,
  DeclineCode,
  PaymentIntent,
  Refund,
} from '../wire.ts'
import { type Form, mergeMetadata, textOf, valuesOf } from './parse-form.ts'
import { get, record, Refusal, type Store } from './store.ts'

const SESSION_LIFETIME_SEC = 86_400

const invalid = (param: string, message: string): Refusal =>
  new Refusal(400, 'invalid_request', message, param)

/** Spec 8: 1 to 99 999 999. */
const AMOUNT_MAX = 99_999_999

function amountOf(form: Form): number {
  const amount = Number(form['amount'])
  if (!Number.isInteger(amount) || amount < 1 || amount > AMOUNT_MAX) {
    throw invalid('amount', `must be an integer from 1 to ${AMOUNT_MAX}`)
  }
  return amount
}

function currencyOf(form: Form): Currency {
  const currency = textOf(form['currency'])?.toUpperCase()
  if (currency !== 'XAF' && currency !== 'EUR') throw invalid('currency', 'must be XAF or EUR')
  return currency
}

function railsOf(form: Form): string[] {
  const rails = valuesOf(form['payment_method_types'])
  if (rails.length === 0) throw invalid('payment_method_types', 'is required and must be a list')
  return rails
}

export function createIntent(store: Store, form: Form): PaymentIntent {
  if (form['confirm'] === 'true') throw invalid('confirm', 'must not be true')
  const customer = textOf(form['customer'])
  if (customer !== null && !store.customers.has(customer)) throw invalid('customer', 'is no customer')
  const id = store.mint('pi')
  const intent: PaymentIntent = {
    id,
    object: 'payment_intent',
    amount: amountOf(form),
    currency: currencyOf(form),
    status: 'requires_payment_method',
    payment_method_types: railsOf(form),
    customer,
    description: textOf(form['description']),
    metadata: mergeMetadata(form['metadata'], {}),
    client_secret: `${id}_secret_fake`,
    next_action: null,
    last_payment_error: null,
    invoice: null,
    canceled_at: null,
    cancellation_reason: null,
    created: store.nowSec(),
    livemode: false,
  }
  store.intents.set(id, intent)
  return intent
}

/** Answers as the service does: only create and retrieve have the secret (spec 2.4). */
export const withoutSecret = ({ client_secret: _secret, ...intent }: PaymentIntent): PaymentIntent => intent

export function confirmIntent(store: Store, id: string, form: Form): PaymentIntent {
  const intent = get(store.intents, id, 'payment intent')
  const data = form['payment_method_data']
  const named = typeof data === 'object' ? Object.keys(data).filter((key) => key !== 'type') : []
  const rail = named[0] ?? (typeof data === 'object' ? textOf(data['type']) : null)
  if (rail === null || named.length > 1) throw invalid('payment_method_data', 'must name exactly one rail')
  if (!intent.payment_method_types.includes(rail)) {
    throw invalid(`payment_method_data[${rail}]`, 'is not a rail of this payment intent')
  }
  if (intent.status === 'processing') throw new Refusal(409, 'charge_in_progress', 'A charge is in progress.')
  if (intent.status === 'succeeded') throw new Refusal(409, 'charge_terminal', 'The payment intent is paid.')
  if (intent.status === 'canceled')
    throw new Refusal(409, 'intent_canceled', 'The payment intent is canceled.')
  intent.status = 'processing'
  intent.last_payment_error = null
  const url = textOf(form['return_url'])
  if (url !== null) {
    const redirect = { url: `https://rail.test/pay/${id}`, return_url: url }
    intent.next_action = { type: 'redirect_to_url', redirect_to_url: redirect }
  }
  return withoutSecret(intent)
}

export function cancelIntent(store: Store, id: string, form: Form): PaymentIntent {
  const intent = get(store.intents, id, 'payment intent')
  if (intent.status === 'processing') throw new Refusal(409, 'charge_in_progress', 'A charge is in progress.')
  if (intent.status === 'succeeded') throw new Refusal(409, 'charge_terminal', 'The payment intent is paid.')
  if (intent.status !== 'canceled') {
    intent.status = 'canceled'
    intent.canceled_at = store.nowSec()
    intent.cancellation_reason = textOf(form['cancellation_reason']) as CancellationReason | null
    record(store, 'payment_intent.canceled', intent)
  }
  return withoutSecret(intent)
}

/** The rail's answer to an open charge. */
export function settleIntent(store: Store, id: string, outcome: 'succeeded' | DeclineCode): void {
  const intent = store.intents.get(id)
  if (intent?.status !== 'processing')
    throw new Error(`the fake has no open charge of ${id}: confirm it first`)
  intent.next_action = null
  if (outcome === 'succeeded') {
    intent.status = 'succeeded'
    record(store, 'payment_intent.succeeded', intent)
    for (const session of store.sessions.values()) {
      if (session.payment_intent === id)
        Object.assign(session, { status: 'complete', payment_status: 'paid' })
    }
    return
  }
  const [rail = ''] = intent.payment_method_types
  intent.status = 'requires_payment_method'
  intent.last_payment_error = {
    type: 'rail_error',
    code: outcome,
    decline_code: outcome.toUpperCase(),
    message: `The rail refused: ${outcome}.`,
    payment_method_type: rail,
  }
  record(store, 'payment_intent.payment_failed', intent)
}

export function createRefund(store: Store, form: Form): Refund {
  const intentId = textOf(form['payment_intent']) ?? ''
  const intent = get(store.intents, intentId, 'payment intent')
  const { destination } = form
  const [rail] = typeof destination === 'object' ? Object.keys(destination) : []
  if (rail === undefined) throw invalid('destination', 'is required and must be a map')
  if (intent.status !== 'succeeded') {
    throw new Refusal(409, 'intent_not_succeeded', 'The payment intent is not paid.')
  }
  const refunded = [...store.refunds.values()]
    .filter((refund) => refund.payment_intent === intentId && refund.status !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0)
  const rest = intent.amount - refunded
  const amount = form['amount'] === undefined ? rest : amountOf(form)
  if (amount < 1 || amount > rest) throw invalid('amount', `must be at most ${rest}, the unrefunded rest`)
  const refund: Refund = {
    id: store.mint('re'),
    object: 'refund',
    amount,
    currency: intent.currency,
    payment_intent: intentId,
    status: 'pending',
    fee: null,
    reason: textOf(form['reason']) as Refund['reason'],
    failure_reason: null,
    destination_details: { type: rail },
    metadata: mergeMetadata(form['metadata'], {}),
    created: store.nowSec(),
    livemode: false,
  }
  store.refunds.set(refund.id, refund)
  record(store, 'charge.refunded', refund)
  return refund
}

export function updateRefund(store: Store, id: string, form: Form): Refund {
  const refund = get(store.refunds, id, 'refund')
  refund.metadata = mergeMetadata(form['metadata'], refund.metadata)
  record(store, 'charge.refund.updated', refund)
  return refund
}

export function createSession(store: Store, form: Form): CheckoutSession {
  const isHosted = form['ui_mode'] !== 'embedded'
  const success = textOf(form['success_url'])
  if (isHosted && success === null) throw invalid('success_url', 'is required on a hosted page')
  const intent = createIntent(store, form)
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
    success_url: success,
    cancel_url: textOf(form['cancel_url']),
    return_url: textOf(form['return_url']),
    client_reference_id: textOf(form['client_reference_id']),
    metadata: mergeMetadata(form['metadata'], {}),
    expires_at: store.nowSec() + SESSION_LIFETIME_SEC,
    created: store.nowSec(),
    livemode: false,
  }
  store.sessions.set(id, session)
  return session
}

export function expireSession(store: Store, id: string): CheckoutSession {
  const session = get(store.sessions, id, 'checkout session')
  if (session.status !== 'open')
    throw new Refusal(409, 'session_not_open', 'The checkout session is not open.')
  session.status = 'expired'
  session.url = null
  return session
}
