import { retrieveAccountHolder } from './account-holders.ts'
import { type Call, own } from './call.ts'
import { isOpen } from './charges.ts'
import { intentOf } from './checkout-sessions.ts'
import { confirm, readInstrument, refuseUnlessWaiting } from './confirm.ts'
import { canonicalPhone } from './form.ts'
import type { Charge, Intent, Session } from './objects.ts'
import { displays, rails, type RailCode } from './rails.ts'
import { hasEnded, renderIntent } from './render.ts'
import { secondsOf, secretOf, type Shop } from './state.ts'
import { bad, type Json, Refused } from './verdict.ts'

/** The surface of spec 4.6: a rule that is also given the secret which the payer shows. */
export type PayerRule = (call: Call, secret: string) => Json

/** An intent, to whoever shows its own secret or its session's. */
export function access(shop: Shop, id: string, secret: string): { intent: Intent; session: Session | null } {
  const intent = own(shop.intents, id)
  const session = shop.sessions.find((one) => one.intent === id && secretOf(one.id) === secret) ?? null
  if (session === null && secret !== secretOf(intent.id)) throw new Refused('resource_missing')
  return { intent, session }
}

export const retrieveIntentAsPayer: PayerRule = ({ shop, id }, secret) => {
  const { intent } = access(shop, id, secret)
  return withCharges(intent, intent.charges)
}

/**
 * The answer tells of the charge that counts when it is written: a repeated request may find its own decided. It is kept,
 * so it has no number.
 */
export const confirmIntentAsPayer: PayerRule = (call, secret) => {
  const { intent, session } = access(call.shop, call.id, secret)
  confirm(call, intent, readInstrument(call.form, 'payer'), { by: 'payer', session })
  const counts = intent.status === 'succeeded' ? hasPaid : isOpen
  return withCharges(
    intent,
    intent.charges.filter(counts).map((charge) => ({ ...charge, payer: null })),
  )
}

const hasPaid = ({ state }: Charge): boolean => state === 'succeeded'

/** The charge whose outcome is open, with the end of the payer's time on the rail, and the one that has paid. */
function withCharges(intent: Intent, charges: readonly Charge[]): Json {
  const live = charges.find(isOpen)
  const paid = charges.find(hasPaid)
  return {
    ...renderIntent(intent),
    live_charge: live
      ? {
          payment_method_type: live.rail,
          approve_by: secondsOf(live.openedMs) + rails[live.rail].windowSec,
          payer_number: masked(live.payer),
        }
      : null,
    succeeded_charge: paid
      ? {
          payment_method_type: paid.rail,
          succeeded_at: secondsOf(paid.paidMs ?? 0),
          rail_txn_id: paid.txn,
          payer_number: masked(paid.payer),
          payee_number: masked(displays[paid.rail].payeeNumber),
        }
      : null,
  }
}

/** The first national digit and the last two. */
const masked = (number: string | null): string | null =>
  number?.replace(/^\d{3}(\d)\d{6}(\d\d)$/, '$1 •• •• •• $2') ?? null

const LOOK_UPS_MAX = 5

/** For the rails of the payment that the secret opens, while it can be paid; of a name the initials alone. */
export const retrieveAccountHolderAsPayer: PayerRule = (call, secret) => {
  const { shop, form, nowMs } = call
  const intent = shop.intents.find((one) => isOpenedBy(shop, one, secret))
  if (intent === undefined) throw new Refused('resource_missing')
  const { session } = access(shop, intent.id, secret)
  const code = form.required('payment_method_type')
  const msisdn = form.required('msisdn')
  refuseUnlessWaiting(intent, session, nowMs)
  if (!intent.rails.includes(code)) throw bad('payment_method_type')
  canonicalPhone(msisdn, 'msisdn')
  if (intent.lookUps >= LOOK_UPS_MAX) throw new Refused('lookups_spent')
  intent.lookUps += 1
  const holder = retrieveAccountHolder(call) as { readonly name: string | null }
  return { ...holder, name: holder.name?.replaceAll(/(\S)\S*/g, '$1•••') ?? null }
}

const isOpenedBy = (shop: Shop, { id }: Intent, secret: string): boolean =>
  secret === secretOf(id) ||
  shop.sessions.some((session) => session.intent === id && secret === secretOf(session.id))

export const retrieveSessionAsPayer: PayerRule = ({ shop, id, nowMs }, secret) => {
  const session = own(shop.sessions, id)
  if (secret !== secretOf(id)) throw new Refused('resource_missing')
  const intent = intentOf(shop, session)
  const withId = (url: string | null) => url?.replaceAll('{CHECKOUT_SESSION_ID}', id) ?? null
  return {
    id,
    object: 'checkout.session',
    status: session.status === 'open' && hasEnded(session, nowMs) ? 'expired' : session.status,
    payment_status: session.paid ? 'paid' : 'unpaid',
    ui_mode: session.uiMode,
    amount: intent.amount,
    currency: intent.currency,
    livemode: false,
    locale: session.locale,
    expires_at: session.expiresSec,
    success_url: withId(session.successUrl),
    cancel_url: withId(session.cancelUrl),
    return_url: withId(session.returnUrl),
    merchant: { name: `The shop of ${shop.name}`, accent_color: null, logo: null },
    payment_intent: withCharges(intent, intent.charges),
    rails: intent.rails.flatMap((code) => offered(code as RailCode, intent)),
  }
}

/** A rail as a page sees it. One that cannot settle the intent is not offered. */
function offered(code: RailCode, intent: Intent): Json[] {
  const { currency, flow, windowSec } = rails[code]
  if (currency !== intent.currency) return []
  const { name, color, numberPrefixes, prompt } = displays[code]
  return [
    {
      code,
      flow,
      name,
      color,
      number_prefixes: numberPrefixes,
      instrument: flow === 'push' ? 'msisdn' : null,
      prompt: prompt && { ...prompt, window_sec: windowSec },
    },
  ]
}
