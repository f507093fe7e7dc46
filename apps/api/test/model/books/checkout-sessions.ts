import { type Call, named, own, type Rule, useById } from './call.ts'
import { isOpen } from './charges.ts'
import { isWebAddress, refuseInVain } from './confirm.ts'
import { CREATED, idIn, wasMade, wordIn } from './filters.ts'
import { type Form, merged } from './form.ts'
import type { Intent, Session } from './objects.ts'
import { page } from './pages.ts'
import { createIntent, refuseFields, wantedIntent } from './payment-intents.ts'
import { hasEnded, renderSession } from './render.ts'
import { type Books, mint, secondsOf, secretOf, type Shop, tell } from './state.ts'
import { bad, type Json, Refused } from './verdict.ts'

const CHECKOUT_BASE_URL = 'http://pay.test'
const LIFE_SEC_MIN = 30 * 60
const LIFE_SEC_MAX = 24 * 60 * 60
const LIFE_LEEWAY_SEC = 30

export const createSession: Rule = (call) => {
  const { books, shop, form, nowMs } = call
  const draft = draftOf(call)
  const id = form.optional('payment_intent')
  const intent = id === null ? minted(call) : adopted(call, id)
  const session: Session = {
    ...draft,
    id: mint(books, 'cs'),
    madeMs: nowMs,
    intent: intent.id,
    customer: intent.customer,
    status: 'open',
    paid: false,
  }
  shop.sessions.push(session)
  return shown(session, intent, nowMs)
}

type Draft = Omit<Session, 'id' | 'madeMs' | 'intent' | 'customer' | 'status' | 'paid'>

function draftOf({ form, nowMs }: Call): Draft {
  // Ignoring these would create a session that the client did not mean.
  const others = ['line_items', 'mode', 'amount_total', 'payment_intent_data']
  const refused = others.find((name) => form.text(name) !== undefined)
  if (refused !== undefined) throw bad(refused)
  refuseFields(form)
  // Faults of single parameters come before the check of the session's end.
  form.amount()
  form.currency()
  const metadata = merged({}, form.metadata())
  const mode = form.oneOf('ui_mode', ['hosted', 'hosted_page', 'embedded', 'embedded_page']) ?? 'hosted'
  const uiMode = mode.startsWith('hosted') ? 'hosted' : 'embedded'
  const locale = form.oneOf('locale', ['fr', 'en'])
  const expiresSec = form.count('expires_at', 1, 9_999_999_999) ?? secondsOf(nowMs) + LIFE_SEC_MAX
  if (form.optional('payment_intent') === null) wantedIntent(form)
  if (form.optional('success_url') === null && uiMode === 'hosted') throw bad('success_url')
  const addresses = {
    successUrl: address(form, 'success_url'),
    cancelUrl: address(form, 'cancel_url'),
    returnUrl: address(form, 'return_url'),
  }
  const lifeSec = expiresSec - secondsOf(nowMs)
  if (lifeSec < LIFE_SEC_MIN - LIFE_LEEWAY_SEC || lifeSec > LIFE_SEC_MAX + LIFE_LEEWAY_SEC) {
    throw bad('expires_at')
  }
  return {
    uiMode,
    ...addresses,
    reference: form.optional('client_reference_id'),
    locale,
    metadata,
    expiresSec,
  }
}

function address(form: Form, name: string): string | null {
  const text = form.optional(name)
  if (text !== null && !isWebAddress(text)) throw bad(name)
  return text
}

/** Its metadata is also the intent's. */
function minted(call: Call): Intent {
  createIntent(call)
  const intent = call.shop.intents.at(-1)
  if (intent === undefined) throw new Error('an intent was just made')
  intent.secretShown = false
  return intent
}

/** docs/spec-gaps.md: the merchant's own, that waits, and never had a session; what is said again of it must agree. */
function adopted(call: Call, id: string): Intent {
  const { form, shop, nowMs } = call
  const wanted = {
    amount: form.amount(),
    currency: form.currency(),
    customer: form.optional('customer') ?? undefined,
    description: form.optional('description') ?? undefined,
  }
  const intent = named(shop.intents, id, 'payment_intent')
  for (const [name, value] of Object.entries(wanted)) {
    if (value !== undefined && value !== intent[name as keyof typeof wanted]) throw bad(name)
  }
  if (intent.invoice !== null) throw new Refused('intent_has_invoice')
  if (shop.sessions.some((session) => session.intent === id)) throw new Refused('intent_has_session')
  if (intent.status === 'processing') throw new Refused('charge_in_progress')
  if (intent.status === 'succeeded') throw new Refused('charge_terminal')
  if (intent.status === 'canceled') throw new Refused('intent_canceled')
  if (shop.customers.some((customer) => customer.id === intent.customer && customer.erasedMs !== null)) {
    throw new Refused('customer_erased')
  }
  refuseInVain(intent)
  useById({ shop, nowMs }, intent.customer)
  return intent
}

export const intentOf = ({ intents }: Shop, { intent: id }: Session): Intent => {
  const intent = intents.find((one) => one.id === id)
  if (intent === undefined) throw new Error('a session has an intent')
  return intent
}

const withUrl = (session: Session, intent: Intent, nowMs: number) => ({
  ...renderSession(session, intent),
  url:
    session.uiMode === 'hosted' && !hasEnded(session, nowMs)
      ? `${CHECKOUT_BASE_URL}/c/${session.id}#${secretOf(session.id)}`
      : null,
})

/** Only create and retrieve show the secret. */
const shown = (session: Session, intent: Intent, nowMs: number): Json => ({
  ...withUrl(session, intent, nowMs),
  client_secret: secretOf(session.id),
})

export const retrieveSession: Rule = ({ shop, id, nowMs }) => {
  const session = own(shop.sessions, id)
  return shown(session, intentOf(shop, session), nowMs)
}

export const listSessions: Rule = (call) => {
  const { shop, form, nowMs } = call
  const isOfIntent = idIn(form, 'payment_intent', 'pi')
  const isOfCustomer = idIn(form, 'customer', 'cus')
  const isOfStatus = wordIn(form, 'status', ['open', 'complete', 'expired'])
  return page(call, {
    url: '/v1/checkout/sessions',
    kind: 'cs',
    rows: shop.sessions
      .filter(wasMade(form))
      .filter(
        ({ intent, customer, status }) => isOfIntent(intent) && isOfCustomer(customer) && isOfStatus(status),
      ),
    render: (session) => withUrl(session, intentOf(shop, session), nowMs),
    filters: ['payment_intent', 'customer', 'status', ...CREATED],
  })
}

/** An expiry by the merchant writes no event (spec 6.1), and leaves the intent payable. */
export const expireSession: Rule = ({ shop, id }) => {
  const session = own(shop.sessions, id)
  const intent = intentOf(shop, session)
  if (session.status !== 'open') throw new Refused('session_not_open')
  if (intent.charges.some(isOpen)) throw new Refused('charge_in_progress')
  session.status = 'expired'
  return renderSession(session, intent)
}

/** The hourly sweep ends sessions after their time, except those with a live charge. */
export function lapse(books: Books, nowMs: number): void {
  for (const shop of books.shops.values()) {
    for (const session of shop.sessions) {
      const intent = intentOf(shop, session)
      if (session.status !== 'open' || !hasEnded(session, nowMs) || intent.charges.some(isOpen)) continue
      session.status = 'expired'
      tell(books, shop, 'checkout.session.expired', renderSession(session, intent), nowMs)
    }
  }
}
