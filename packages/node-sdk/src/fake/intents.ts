import type { CancellationReason, PaymentIntent } from '../wire.ts'
import { isId } from './lists.ts'
import { type Form, textOf } from './parse-form.ts'
import { get, record, Refusal, type Store } from './store.ts'
import {
  amountOf,
  customerOf,
  invalid,
  mergeMetadata,
  namedCustomer,
  PUSH_RAIL,
  railsOf,
  REDIRECT_RAIL,
  refuseFields,
  requiredCurrencyOf,
  requireMsisdn,
  SETTLEMENT_CURRENCY,
  textIn,
} from './values.ts'

export function createIntent(store: Store, form: Form): PaymentIntent {
  refuseFields(form)
  if (form['confirm'] === 'true') throw invalid('confirm', 'must not be true')
  const amount = amountOf(form)
  const currency = requiredCurrencyOf(form)
  const rails = railsOf(form)
  if (rails === undefined) throw invalid('payment_method_types', 'is required and must be a list')
  const customer = textIn(form, 'customer')
  return newIntent(store, {
    amount,
    currency,
    payment_method_types: rails,
    customer: customer === null ? null : namedCustomer(store, customer).id,
    description: textIn(form, 'description'),
    metadata: mergeMetadata(form['metadata'], {}),
    invoice: null,
  })
}

type Terms = Pick<
  PaymentIntent,
  'amount' | 'currency' | 'payment_method_types' | 'customer' | 'description' | 'metadata' | 'invoice'
>

/** An intent that waits for a payment method. */
export function newIntent(store: Store, terms: Terms): PaymentIntent {
  const id = store.mint('pi')
  const intent: PaymentIntent = {
    id,
    object: 'payment_intent',
    ...terms,
    status: 'requires_payment_method',
    client_secret: `${id}_secret_fake`,
    next_action: null,
    last_payment_error: null,
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
  refuseFields(form)
  const intent = get(store.intents, id, 'payment intent')
  const data = form['payment_method_data']
  const named = typeof data === 'object' ? Object.keys(data).filter((key) => key !== 'type') : []
  const rail = named[0] ?? (typeof data === 'object' ? textOf(data['type']) : null)
  if (rail === null || named.length > 1) throw invalid('payment_method_data', 'must name exactly one rail')
  const customer = textIn(form, 'customer')
  if (rail === PUSH_RAIL) requireMsisdn('payment_method_data', rail, (data as Form)[rail])
  const url = isRedirect(rail, data) ? textIn(form, 'return_url') : null
  if (rail === REDIRECT_RAIL && url === null) throw invalid('return_url', 'is required on a redirect rail')
  if (customer !== null && !isId('cus', customer)) throw invalid('customer', 'is no customer')
  if (intent.status === 'canceled') {
    throw new Refusal(409, 'intent_canceled', 'The payment intent is canceled.')
  }
  refuseIfPaid(intent)
  if (intent.status === 'processing') throw new Refusal(409, 'charge_in_progress', 'A charge is in progress.')
  const invoice = store.invoices.get(intent.invoice ?? '')
  if (invoice?.status === 'paid') throw new Refusal(409, 'invoice_paid', 'The invoice is paid.')
  if (invoice?.status === 'void') throw new Refusal(409, 'invoice_void', 'The invoice is void.')
  if (!intent.payment_method_types.includes(rail)) {
    throw invalid(`payment_method_data[${rail}]`, 'is not a rail of this payment intent')
  }
  if (intent.currency !== SETTLEMENT_CURRENCY) {
    throw invalid(`payment_method_data[${rail}]`, `settles in ${SETTLEMENT_CURRENCY} only`)
  }
  intent.customer = payerOf(store, intent, customer)
  store.openCharges.set(id, rail)
  intent.status = 'processing'
  intent.last_payment_error = null
  if (url !== null) {
    const redirect = { url: `https://rail.test/pay/${id}`, return_url: url }
    intent.next_action = { type: 'redirect_to_url', redirect_to_url: redirect }
  }
  return withoutSecret(intent)
}

/** The customer of the intent, or the named one if it has none. */
function payerOf(store: Store, { customer }: PaymentIntent, named: string | null): string | null {
  if (customer !== null && named !== null && named !== customer) {
    throw invalid('customer', 'must be the customer of this payment intent')
  }
  if (named !== null) return namedCustomer(store, named).id
  return customer === null ? null : customerOf(store, customer).id
}

/** A push rail prompts the number of the payer, and ignores the address to return to (spec 1.4). */
function isRedirect(rail: string, data: string | Form | undefined): boolean {
  if (rail === REDIRECT_RAIL) return true
  const instrument = typeof data === 'object' ? data[rail] : undefined
  return typeof instrument !== 'object' || textOf(instrument['msisdn']) === null
}

function refuseIfPaid({ status }: PaymentIntent): void {
  if (status === 'succeeded') throw new Refusal(409, 'charge_terminal', 'The payment intent is paid.')
}

/** A live charge of a canceled intent stays open, and can still take the money (spec 3.1). */
export function cancelIntent(store: Store, id: string, form: Form): PaymentIntent {
  const reason = textIn(form, 'cancellation_reason')
  const intent = get(store.intents, id, 'payment intent')
  if (intent.status === 'canceled') {
    throw new Refusal(409, 'intent_canceled', 'The payment intent is canceled already.')
  }
  refuseIfPaid(intent)
  intent.status = 'canceled'
  intent.next_action = null
  intent.canceled_at = store.nowSec()
  intent.cancellation_reason = reason as CancellationReason | null
  record(store, 'payment_intent.canceled', intent)
  return withoutSecret(intent)
}
