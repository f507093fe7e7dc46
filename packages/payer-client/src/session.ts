import { type BrowserIntent, type Currency, parseIntent } from './intent.ts'

/**
 * A text in both languages of the service.
 *
 * @example
 * ```ts
 * const nameOf = (rail: RailOffer, locale: 'fr' | 'en') => rail.name[locale]
 * ```
 */
export interface LocalizedText {
  fr: string
  en: string
}

/**
 * A way to pay that a session offers.
 *
 * @example
 * ```ts
 * const asksForNumber = (rail: RailOffer) => rail.instrument === 'msisdn'
 * ```
 */
export interface RailOffer {
  code: string
  /** A push rail prompts the payer's handset; a redirect rail has a page of its own. */
  flow: 'push' | 'redirect'
  name: LocalizedText
  /** What the payer has to enter. */
  instrument: 'msisdn' | null
  prompt: {
    /** `manual`: no prompt appears by itself, so show at once how to approve. */
    mode: 'automatic' | 'manual'
    window_sec: number
    /** The code to dial if no prompt appears, such as `*126#`. */
    dial: string | null
    payee_name: string | null
    hint: LocalizedText | null
  } | null
}

/**
 * A checkout session as its payer sees it, spelled as on the wire.
 *
 * @example
 * ```ts
 * const isOver = (session: BrowserSession) => session.status !== 'open'
 * ```
 */
export interface BrowserSession {
  id: string
  object: 'checkout.session'
  status: 'open' | 'complete' | 'expired'
  payment_status: 'unpaid' | 'paid'
  ui_mode: 'hosted' | 'embedded'
  amount: number
  currency: Currency
  livemode: boolean
  locale: 'fr' | 'en' | null
  /** Unix seconds. */
  expires_at: number
  success_url: string | null
  cancel_url: string | null
  return_url: string | null
  merchant: { name: string }
  payment_intent: BrowserIntent
  rails: RailOffer[]
}

export function parseSession(body: unknown, id: string): BrowserSession | null {
  const session = body as BrowserSession | null
  return session?.id === id &&
    session.object === 'checkout.session' &&
    typeof session.payment_intent?.id === 'string' &&
    parseIntent(session.payment_intent, session.payment_intent.id) !== null &&
    Array.isArray(session.rails)
    ? session
    : null
}
