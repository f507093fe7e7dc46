// Made from packages/contract by `npx pnpm@12 openapi`. Do not edit: change the declaration.

/**
 * A payment intent as its payer reads it: whole, with the merchant’s `metadata`, and without its secret (spec
 * 4.6).
 *
 * @example
 * ```ts
 * const isUnderWay = (intent: BrowserIntent) => intent.status === 'processing' || intent.live_charge !== null
 * ```
 */
export interface BrowserIntent {
  /** Identifier: `pi_` and 32 hexadecimal digits. It is not a secret. */
  id: string
  /** The kind of this object: always `payment_intent`. */
  object: 'payment_intent'
  /** What the payer pays, 1 to 99 999 999. In minor units of the currency. */
  amount: number
  /**
   * Currency of the amounts, in upper case. Amounts are integers of its minor unit: XAF has none, so 1000 XAF
   * is 1000 francs; EUR has two digits, so 1000 EUR is 10 euros (spec 1.3).
   */
  currency: Currency
  /**
   * State of a payment intent (spec 3.1). `requires_payment_method`: it waits for a confirm. `processing`:
   * the rail has a charge, whose outcome is open. `succeeded`: it is paid. `canceled`: the merchant stopped
   * waiting; only a late success of a charge leaves this state. There is no failed status: a refused charge
   * leads back to `requires_payment_method`, with `last_payment_error` set.
   */
  status: PaymentIntentStatus
  /** Codes of the rails that the payer may use. Never empty. */
  payment_method_types: string[]
  /** The id of the customer who pays. Null if the merchant named none. */
  customer: string | null
  /**
   * The merchant’s own text, at most 1000 characters. The payer’s device can read it. Null if there is none.
   */
  description: string | null
  /**
   * The key-value pairs that the merchant stored with the payment. Empty if there are none. The payer’s
   * device can read them: put nothing into them that the payer must not know.
   */
  metadata: Record<string, string>
  /**
   * What the payer has to do, while the intent is `processing` on a redirect rail. Otherwise null (spec 1.4).
   */
  next_action: NextAction | null
  /**
   * Why the rail refused the last charge. Null before a refusal, and again as soon as the next charge opens
   * or one succeeds.
   */
  last_payment_error: LastPaymentError | null
  /** The id of the invoice that this intent pays. Null if no invoice minted it. */
  invoice: string | null
  /** When the intent was canceled, in Unix seconds. Null unless its status is `canceled`. */
  canceled_at: number | null
  /** Why the merchant canceled the intent. Null if it is not canceled, or if no reason was given. */
  cancellation_reason: CancellationReason | null
  /** When the object was created, in Unix seconds. */
  created: number
  /** True on a deployment that moves real money, and false in test mode. */
  livemode: boolean
  /** The charge whose outcome is open. Null if there is none. */
  live_charge: {
    /** The rail of the charge. */
    payment_method_type: string
    /** When the payer’s time to approve ends on the rail. In Unix seconds. */
    approve_by: number
  } | null
  /** The charge that paid, for a receipt. Null until one has paid. */
  succeeded_charge: {
    /** The rail of the charge. */
    payment_method_type: string
    /** When the rail’s word that the charge is paid reached the service. In Unix seconds. */
    succeeded_at: number
  } | null
}

/**
 * Currency of the amounts, in upper case. Amounts are integers of its minor unit: XAF has none, so 1000 XAF
 * is 1000 francs; EUR has two digits, so 1000 EUR is 10 euros (spec 1.3).
 *
 * @example
 * ```ts
 * const digits: Record<Currency, number> = { XAF: 0, EUR: 2 }
 * ```
 */
export type Currency = 'XAF' | 'EUR'

/**
 * State of a payment intent (spec 3.1). `requires_payment_method`: it waits for a confirm. `processing`: the
 * rail has a charge, whose outcome is open. `succeeded`: it is paid. `canceled`: the merchant stopped
 * waiting; only a late success of a charge leaves this state. There is no failed status: a refused charge
 * leads back to `requires_payment_method`, with `last_payment_error` set.
 */
type PaymentIntentStatus = 'requires_payment_method' | 'processing' | 'succeeded' | 'canceled'

/** What the payer has to do on a redirect rail. A push rail has none: it prompts the payer’s handset. */
interface NextAction {
  /** The kind of action: always `redirect_to_url`. */
  type: 'redirect_to_url'
  /** Where to send the payer. */
  redirect_to_url: {
    /** The rail’s page. Send the payer’s browser to it. */
    url: string
    /**
     * The address that the rail sends the payer back to, as the confirm named it. A payer who comes back has
     * not necessarily paid.
     */
    return_url: string | null
  }
}

/** The refusal that returned a payment intent to `requires_payment_method`. */
interface LastPaymentError {
  /** The kind of error: always `rail_error`. */
  type: 'rail_error'
  /** Why the rail refused, as a code of this API. Decide by this field. */
  code: DeclineCode
  /**
   * The rail’s own code, at most 500 characters. Null if the rail gave none. `[redacted]` after the customer
   * was erased.
   */
  decline_code: string | null
  /**
   * The rail’s own words, at most 500 characters, for support. Null if the rail gave none. Show them as text,
   * never as markup.
   */
  message: string | null
  /** The rail that refused the charge. */
  payment_method_type: string
}

/**
 * Why a rail refused: one closed set for all rails. docs/errors.md has a sentence for each code, in English
 * and French, to show to a payer.
 *
 * @example
 * ```ts
 * const wantsOtherNumber = (code: DeclineCode) => code === 'payer_not_found' || code === 'payer_inactive'
 * ```
 */
export type DeclineCode =
  | 'insufficient_funds'
  | 'insufficient_funds_or_limit'
  | 'payer_declined'
  | 'approval_timeout'
  | 'redirect_expired'
  | 'payer_not_found'
  | 'payer_inactive'
  | 'limit_reached'
  | 'payee_refused'
  | 'rail_misconfigured'
  | 'rail_processing_error'
  | 'rail_unavailable'
  | 'not_accepted'
  | 'declined'

/** Why the merchant stopped waiting for a payment. */
type CancellationReason = 'duplicate' | 'fraudulent' | 'requested_by_customer' | 'abandoned'

/**
 * A checkout session as its payer’s page needs it. Past `expires_at` its status is `expired`, and in its
 * addresses `{CHECKOUT_SESSION_ID}` is the id already.
 *
 * @example
 * ```ts
 * const isOver = (session: BrowserSession) => session.status !== 'open'
 * ```
 */
export interface BrowserSession {
  /** Identifier: `cs_` and 32 hexadecimal digits. It is not a secret. */
  id: string
  /** The kind of this object: always `checkout.session`. */
  object: 'checkout.session'
  /**
   * State of a checkout session. `open`: it can be paid. `complete`: its intent is paid. `expired`: its time
   * is over, or the merchant ended it. A session past its `expires_at` takes no payment, and stays `open` on
   * /v1 until the hourly sweep.
   */
  status: CheckoutSessionStatus
  /** Whether the session’s intent is paid. A late success makes an expired session `paid`. */
  payment_status: CheckoutPaymentStatus
  /**
   * `hosted`: a page of the service. `embedded`: a part of the merchant’s own page. Read this field to tell
   * them apart: `url` is also null on a hosted session that has ended (spec 2.5).
   */
  ui_mode: CheckoutUiMode
  /** What the payer pays. In minor units of the currency. */
  amount: number
  /**
   * Currency of the amounts, in upper case. Amounts are integers of its minor unit: XAF has none, so 1000 XAF
   * is 1000 francs; EUR has two digits, so 1000 EUR is 10 euros (spec 1.3).
   */
  currency: Currency
  /** True on a deployment that moves real money, and false in test mode. */
  livemode: boolean
  /** When the session ends: after this instant it takes no payment. In Unix seconds. */
  expires_at: number
  /**
   * Where the hosted page’s link back to the shop leads once the payer has paid, as it was sent. Null if
   * there is none.
   */
  success_url: string | null
  /**
   * Where the hosted page’s link back to the shop leads while the payment is not paid, as it was sent. Null
   * if there is none.
   */
  cancel_url: string | null
  /**
   * Where the link back to the shop leads if the session has no `success_url` or no `cancel_url` for it, as
   * it was sent. Null if there is none.
   */
  return_url: string | null
  /** The language that the merchant chose for the page. Null: the payer’s own. */
  locale: Locale | null
  /** The merchant who is paid. */
  merchant: {
    /** The merchant’s name, as payers know it. */
    name: string
  }
  /** The payment that the session is for. */
  payment_intent: BrowserIntent
  /** The rails that the intent offers, the deployment enables and that settle in its currency. */
  rails: RailOffer[]
}

/**
 * State of a checkout session. `open`: it can be paid. `complete`: its intent is paid. `expired`: its time is
 * over, or the merchant ended it. A session past its `expires_at` takes no payment, and stays `open` on /v1
 * until the hourly sweep.
 */
type CheckoutSessionStatus = 'open' | 'complete' | 'expired'

/** Whether the session’s intent is paid. A late success makes an expired session `paid`. */
type CheckoutPaymentStatus = 'unpaid' | 'paid'

/**
 * `hosted`: a page of the service. `embedded`: a part of the merchant’s own page. Read this field to tell
 * them apart: `url` is also null on a hosted session that has ended (spec 2.5).
 */
type CheckoutUiMode = 'hosted' | 'embedded'

/** French or English. */
type Locale = 'fr' | 'en'

/**
 * A way to pay that a checkout session offers.
 *
 * @example
 * ```ts
 * const asksForNumber = (rail: RailOffer) => rail.instrument === 'msisdn'
 * ```
 */
export interface RailOffer {
  /** The code of the rail. */
  code: string
  /** `push`: the rail prompts the payer’s handset. `redirect`: the rail has a page of its own (spec 1.4). */
  flow: 'push' | 'redirect'
  /** The rail’s name, as payers know it. */
  name: LocalizedText
  /** What the payer has to give: `msisdn`, a phone number. Null if the rail needs nothing. */
  instrument: 'msisdn' | null
  /** How the payer approves on the handset. Null on a rail without a prompt. */
  prompt: {
    /**
     * `automatic`: a prompt appears on the handset. `manual`: no prompt appears by itself, so show at once
     * how to approve.
     */
    mode: 'automatic' | 'manual'
    /** How long the payer has to approve, in seconds. */
    window_sec: number
    /** What to dial if the prompt does not appear, such as `*126#`. Null if there is no such code. */
    dial: string | null
    /** The name that the prompt shows as the payee. Null if it is not known. */
    payee_name: string | null
    /** A hint of the deployment for the payer. Null if there is none. */
    hint: LocalizedText | null
  } | null
}

/**
 * A text in both languages of the service.
 *
 * @example
 * ```ts
 * const nameOf = (rail: RailOffer, locale: 'fr' | 'en') => rail.name[locale]
 * ```
 */
export interface LocalizedText {
  /** The text in French. */
  fr: string
  /** The text in English. */
  en: string
}
