import { type Call, namedCustomer, own, type Rule, use } from './call.ts'
import { type Form, merged } from './form.ts'
import type { Customer, Intent, Metadata } from './objects.ts'
import { page } from './pages.ts'
import { isRail } from './rails.ts'
import { renderIntent } from './render.ts'
import { mint, secretOf, tell } from './state.ts'
import { bad, type Json, Refused } from './verdict.ts'

export const createIntent: Rule = (call) => {
  const { form, shop } = call
  const wanted = wantedIntent(form)
  const { customer: id } = wanted
  const customer = id === null ? null : namedCustomer(call, id)
  const intent = newIntent(call, { ...wanted, customer, invoice: null })
  shop.intents.push(intent)
  return shown(intent)
}

interface Wanted {
  readonly amount: number
  readonly currency: string
  readonly rails: readonly string[]
  readonly customer: string | null
  readonly description: string | null
  readonly metadata: Metadata
}

/** Refuses everything but an unknown or erased customer, which only the statement of the create finds. */
export function wantedIntent(form: Form): Wanted {
  refuseFields(form)
  // Spec 4.3.2.
  form.oneOf('confirm', ['false'])
  const amount = form.amount()
  if (amount === undefined) throw bad('amount')
  const currency = form.currency()
  if (currency === undefined) throw bad('currency')
  const sent = form.list('payment_method_types')
  if (sent === undefined) throw bad('payment_method_types')
  const rails = [...new Set(sent)]
  refuseUnknownRail(rails)
  const customer = form.optional('customer')
  if (customer !== null && !customer.startsWith('⟨cus ')) throw bad('customer')
  return {
    amount,
    currency,
    rails,
    customer,
    description: form.optional('description'),
    metadata: merged({}, form.metadata()),
  }
}

/** Spec 4.3.3, on create and confirm: before any other fault. */
export function refuseFields(form: Form): void {
  form.oneOf('capture_method', ['automatic'])
  const refused = ['application_fee_amount', 'transfer_data', 'on_behalf_of']
  const sent = refused.find((name) => form.text(name) !== undefined)
  if (sent !== undefined) throw bad(sent)
}

/** Spec 2.4: each a rail that the deployment enabled. */
export function refuseUnknownRail(codes: readonly string[]): void {
  const unknown = codes.findIndex((code) => !isRail(code))
  if (unknown >= 0) throw bad(`payment_method_types[${unknown}]`)
}

/** An intent that waits for a payment method. To name a customer is to use it. */
export function newIntent(
  { books, nowMs }: Call,
  wanted: Omit<Wanted, 'customer'> & { readonly customer: Customer | null; readonly invoice: string | null },
): Intent {
  const { customer, amount, currency, rails, description, metadata, invoice } = wanted
  if (customer !== null) use(customer, nowMs)
  return {
    id: mint(books, 'pi'),
    madeMs: nowMs,
    amount,
    currency,
    rails,
    description,
    metadata,
    invoice,
    charges: [],
    secretShown: false,
    lookUps: 0,
    customer: customer?.id ?? null,
    status: 'requires_payment_method',
    page: null,
    error: null,
    canceledMs: null,
    reason: null,
  }
}

/** Spec 2.4: the secret is on create and retrieve only. */
function shown(intent: Intent): Json {
  intent.secretShown = true
  return { ...renderIntent(intent), client_secret: secretOf(intent.id) }
}

export const retrieveIntent: Rule = ({ shop, id }) => shown(own(shop.intents, id))

export const listIntents: Rule = (call) =>
  page(call, { url: '/v1/payment_intents', kind: 'pi', rows: call.shop.intents, render: renderIntent })

/** Spec 3.1: from every state that is not terminal, with or without a live charge. */
export const cancelIntent: Rule = ({ books, shop, id, form, nowMs }) => {
  const reasons = ['duplicate', 'fraudulent', 'requested_by_customer', 'abandoned']
  const reason = form.oneOf('cancellation_reason', reasons)
  const intent = own(shop.intents, id)
  if (intent.status === 'canceled') throw new Refused('intent_canceled')
  if (intent.status === 'succeeded') throw new Refused('charge_terminal')
  Object.assign(intent, { status: 'canceled', canceledMs: nowMs, reason, page: null })
  tell(books, shop, 'payment_intent.canceled', renderIntent(intent), nowMs)
  return renderIntent(intent)
}
