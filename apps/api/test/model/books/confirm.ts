import { type Call, named, own, type Rule, use } from './call.ts'
import { isOpen, openCharge } from './charges.ts'
import { canonicalPhone, type Form } from './form.ts'
import type { Charge, Customer, Intent, Session } from './objects.ts'
import { refuseFields } from './payment-intents.ts'
import { type Ending, isRail, pushEndings, type RailCode, rails, redirectEndings } from './rails.ts'
import { hasEnded, renderIntent } from './render.ts'
import { bad, Refused } from './verdict.ts'

export const confirmIntent: Rule = (call) => {
  const instrument = readInstrument(call.form, 'merchant')
  const intent = own(call.shop.intents, call.id)
  confirm(call, intent, instrument, { by: 'merchant', session: null })
  return renderIntent(intent)
}

type Confirmer = 'merchant' | 'payer'

/** What the payer pays with. */
interface Instrument {
  readonly rail: RailCode
  readonly customer: string | null
  readonly returnUrl: string | null
  readonly payer: string | null
  /** What the rail will do with the submit; where it is the amount that decides, undefined. */
  readonly ending: Ending | undefined
}

/** `payment_method_data[<rail_code>][…]`, with exactly one rail. */
export function readInstrument(form: Form, by: Confirmer): Instrument {
  refuseFields(form)
  const data = form.pairs.filter(([name]) => name.startsWith('payment_method_data['))
  const [first] = data
  if (first === undefined) throw bad('payment_method_data')
  const code = /\[(\w+)\]/.exec(first[0])?.[1] ?? ''
  if (data.length > 1) throw bad('payment_method_data')
  const param = `payment_method_data[${code}]`
  if (!isRail(code)) throw bad(param)
  // A payer names no customer.
  const customer = by === 'payer' ? null : form.optional('customer')
  if (customer !== null && !customer.startsWith('⟨cus ')) throw bad('customer')
  if (rails[code].flow === 'push') {
    const number = canonicalPhone(form.required(`${param}[msisdn]`), `${param}[msisdn]`)
    return { rail: code, customer, returnUrl: null, payer: number, ending: pushEndingOf(number) }
  }
  const returnUrl = form.optional('return_url')
  if (returnUrl === null || !isWebAddress(returnUrl)) throw bad('return_url')
  return { rail: code, customer, returnUrl, payer: null, ending: undefined }
}

/** docs/spec-gaps.md: addresses are shown as sent. */
export const isWebAddress = (text: string): boolean => /^https?:\/\/[^\s\\/][^\s\\]*$/.test(text)

const pushEndingOf = (number: string): Ending => {
  const endings: Readonly<Record<string, Ending>> = pushEndings
  return endings[number.slice(-3)] ?? pushEndings['001']
}

/**
 * Spec 3.1: opens a charge unless the intent's state or what the request says of it forbids, and takes the rail's answer.
 * A repetition of a request that a 502 released continues the charge that it opened.
 *
 * @param session the one whose secret the payer shows
 */
export function confirm(
  call: Call,
  intent: Intent,
  instrument: Instrument,
  { by, session }: { readonly by: Confirmer; readonly session: Session | null },
): void {
  const linked = call.linked as Charge | undefined
  switch (linked?.state) {
    case undefined:
      break
    case 'abandoned':
      if (intent.status === 'succeeded') return
      break
    case 'live':
    case 'unconfirmed':
      throw new Refused('charge_in_progress')
    case 'failed':
    case 'succeeded':
    case 'duplicate':
      return
  }
  const { shop, nowMs } = call
  refuseUnlessInTime(intent, session, nowMs)
  const invoice = shop.invoices.find(({ id }) => id === intent.invoice)
  if (invoice?.status === 'paid') throw new Refused('invoice_paid')
  if (invoice?.status === 'void') throw new Refused('invoice_void')
  const { rail } = instrument
  const isOffered = intent.rails.includes(rail) && rails[rail].currency === intent.currency
  if (!isOffered) throw bad(`payment_method_data[${rail}]`)
  const customer = payer(call, intent, instrument)
  if (intent.charges.some(isOpen)) throw new Refused('charge_in_progress')
  if (isBeyondLimits(intent, by)) throw new Refused('too_many_attempts')
  if (customer !== null) use(customer, nowMs)
  intent.customer = customer?.id ?? null
  const ending = instrument.ending ?? redirectEndings[`${intent.amount}`.slice(-3)] ?? waits
  openCharge(call, intent, instrument, ending)
}

const CHARGES_MAX = { merchant: 25, payer: 10 } as const
const OPENINGS_MAX = 100

/** docs/spec-gaps.md: a charge that certainly never reached its rail asked nobody for anything. */
function isBeyondLimits({ charges }: Intent, by: Confirmer): boolean {
  const reached = charges.filter(({ state }) => state !== 'abandoned')
  return reached.length >= CHARGES_MAX[by] || charges.length >= OPENINGS_MAX
}

/** docs/spec-gaps.md: no intent is handed out with which its payer can never pay. */
export function refuseInVain(intent: Intent): void {
  if (!intent.rails.some((code) => isRail(code) && rails[code].currency === intent.currency)) {
    throw new Refused('intent_has_no_rail')
  }
  if (isBeyondLimits(intent, 'payer')) {
    throw new Refused(intent.charges.some(isOpen) ? 'charge_in_progress' : 'too_many_attempts')
  }
}

function refuseUnlessInTime(intent: Intent, session: Session | null, nowMs: number): void {
  if (session !== null && hasEnded(session, nowMs)) throw new Refused('session_not_open')
  if (intent.status === 'canceled') throw new Refused('intent_canceled')
  if (intent.status === 'succeeded') throw new Refused('charge_terminal')
  if (intent.status === 'processing') throw new Refused('charge_in_progress')
}

/** Why a payer cannot pay now, if so. */
export function refuseUnlessWaiting(intent: Intent, session: Session | null, nowMs: number): void {
  refuseUnlessInTime(intent, session, nowMs)
  if (intent.charges.some(isOpen)) throw new Refused('charge_in_progress')
}

const waits: Ending = { answer: 'accepted', fate: { kind: 'pending' } }

/** docs/spec-gaps.md: a customer at confirm is set where there was none, and must agree otherwise; an erased one is a 409. */
function payer({ shop }: Call, intent: Intent, { customer: id }: Instrument): Customer | null {
  const whose = intent.customer ?? id
  if (whose === null) return null
  if (id !== null && id !== whose) throw bad('customer')
  const customer = named(shop.customers, whose, 'customer')
  if (customer.erasedMs !== null) throw new Refused('customer_erased', id === null ? undefined : 'customer')
  return customer
}
