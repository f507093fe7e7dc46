// Generated from packages/contract by `npx pnpm@12 openapi`. Do not edit: change the declaration.

/**
 * A payment intent as its payer reads it: with the merchant’s `metadata` and without its secret.
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
  /** Amount that the payer pays, 1 to 99 999 999. In minor units of the currency. */
  amount: number
  /**
   * Currency of the amounts, in upper case. Amounts are integers in its minor unit: XAF has none, so 1000 XAF
   * is 1000 francs; EUR has two digits, so 1000 EUR is 10 euros.
   */
  currency: Currency
  /**
   * State of a payment intent. `requires_payment_method`: it waits for a confirm. `processing`: the rail has
   * a charge whose outcome is open. `succeeded`: it is paid. `canceled`: the merchant stopped waiting; only a
   * late success of a charge changes this state. There is no failed status: a refused charge returns the
   * intent to `requires_payment_method` with `last_payment_error` set.
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
   * device can read them: do not store secrets in them.
   */
  metadata: Record<string, string>
  /** The payer’s next step while the intent is `processing` on a redirect rail. Otherwise null. */
  next_action: NextAction | null
  /**
   * Why the rail refused the last charge. Null before a refusal, and again when the next charge opens or a
   * charge succeeds.
   */
  last_payment_error: LastPaymentError | null
  /** The id of the invoice that this intent pays. Null if it belongs to no invoice. */
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
    /**
     * The payer’s number, masked: `6 •• •• •• 27`. Null on a rail that asks for none, in the answer of a
     * confirm, and after an erasure.
     */
    payer_number: string | null
  } | null
  /** The charge that paid, for a receipt. Null until one has paid. */
  succeeded_charge: {
    /** The rail of the charge. */
    payment_method_type: string
    /** When the rail reported the charge as paid. In Unix seconds. */
    succeeded_at: number
    /**
     * The operator’s number of the transaction, as its messages to the payer show it. Null if it gave none.
     */
    rail_txn_id: string | null
    /**
     * The payer’s number, masked: `6 •• •• •• 27`. Null on a rail that asks for none, in the answer of a
     * confirm, and after an erasure.
     */
    payer_number: string | null
    /** The number of the account that was paid, masked in the same way. Null if the deployment names none. */
    payee_number: string | null
  } | null
}

/**
 * Currency of the amounts, in upper case. Amounts are integers in its minor unit: XAF has none, so 1000 XAF
 * is 1000 francs; EUR has two digits, so 1000 EUR is 10 euros.
 *
 * @example
 * ```ts
 * const digits: Record<Currency, number> = { XAF: 0, EUR: 2 }
 * ```
 */
export type Currency = 'XAF' | 'EUR'

/**
 * State of a payment intent. `requires_payment_method`: it waits for a confirm. `processing`: the rail has a
 * charge whose outcome is open. `succeeded`: it is paid. `canceled`: the merchant stopped waiting; only a
 * late success of a charge changes this state. There is no failed status: a refused charge returns the intent
 * to `requires_payment_method` with `last_payment_error` set.
 */
type PaymentIntentStatus = 'requires_payment_method' | 'processing' | 'succeeded' | 'canceled'

/** The payer’s next step on a redirect rail. A push rail has none, because it prompts the payer’s handset. */
interface NextAction {
  /** The kind of action: `redirect_to_url`. */
  type: 'redirect_to_url'
  /** The addresses of the redirect. */
  redirect_to_url: {
    /** The rail’s page. Send the payer’s browser to it. */
    url: string
    /**
     * The address to which the rail returns the payer, from the confirm. A payer who returns has not
     * necessarily paid.
     */
    return_url: string | null
  }
}

/** The refusal that returned a payment intent to `requires_payment_method`. */
interface LastPaymentError {
  /** The kind of error: `rail_error`. */
  type: 'rail_error'
  /** Why the rail refused, as a code of this API. Base decisions on this field. */
  code: DeclineCode
  /**
   * The rail’s own code, at most 500 characters. Null if the rail gave none. `[redacted]` after an erasure of
   * the customer.
   */
  decline_code: string | null
  /**
   * The rail’s own message, at most 500 characters, for support. Null if the rail gave none. Show it as text,
   * never as markup.
   */
  message: string | null
  /** The rail that refused the charge. */
  payment_method_type: string
}

/**
 * Why a rail refused: the same codes for all rails. Treat one that you do not know as `declined`.
 * docs/errors.md has a sentence for payers for each code, in English and French.
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
 * A checkout session as its payer’s page reads it. After `expires_at` its status is `expired`. In its
 * addresses, the id already replaces `{CHECKOUT_SESSION_ID}`.
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
   * is over, or the merchant ended it. After `expires_at` a session accepts no payment, but stays `open` on
   * /v1 until the hourly sweep.
   */
  status: CheckoutSessionStatus
  /** Whether the session’s intent is paid. A late success makes an expired session `paid`. */
  payment_status: CheckoutPaymentStatus
  /**
   * `hosted`: a page of the service. `embedded`: a part of the merchant’s own page. Read this field to tell
   * them apart: `url` is also null on a hosted session that has ended.
   */
  ui_mode: CheckoutUiMode
  /** Amount that the payer pays. In minor units of the currency. */
  amount: number
  /**
   * Currency of the amounts, in upper case. Amounts are integers in its minor unit: XAF has none, so 1000 XAF
   * is 1000 francs; EUR has two digits, so 1000 EUR is 10 euros.
   */
  currency: Currency
  /** True on a deployment that moves real money, and false in test mode. */
  livemode: boolean
  /** When the session ends: after this instant it accepts no payment. In Unix seconds. */
  expires_at: number
  /**
   * Address of the hosted page’s link back to the shop after the payer has paid, as it was sent. Null if
   * there is none.
   */
  success_url: string | null
  /**
   * Address of the hosted page’s link back to the shop while the payment is not paid, as it was sent. Null if
   * there is none.
   */
  cancel_url: string | null
  /**
   * Address of the link back to the shop if the session has no `success_url` or `cancel_url` for it, as it
   * was sent. Null if there is none.
   */
  return_url: string | null
  /** The language that the merchant chose for the page. Null means the payer’s own language. */
  locale: Locale | null
  /** The merchant who is paid. */
  merchant: {
    /** The merchant’s name, as payers know it. */
    name: string
    /**
     * The color of the merchant’s buttons, such as `#0b5d3b`. White text on it is readable. Null if there is
     * none.
     */
    accent_color: string | null
    /** The merchant’s logo, an image as a data URI. Null if there is none. */
    logo: string | null
  }
  /** The payment of the session. */
  payment_intent: BrowserIntent
  /**
   * The rails that the payer can choose: offered by the intent, enabled by the deployment and settling in its
   * currency.
   */
  rails: RailOffer[]
}

/**
 * State of a checkout session. `open`: it can be paid. `complete`: its intent is paid. `expired`: its time is
 * over, or the merchant ended it. After `expires_at` a session accepts no payment, but stays `open` on /v1
 * until the hourly sweep.
 */
type CheckoutSessionStatus = 'open' | 'complete' | 'expired'

/** Whether the session’s intent is paid. A late success makes an expired session `paid`. */
type CheckoutPaymentStatus = 'unpaid' | 'paid'

/**
 * `hosted`: a page of the service. `embedded`: a part of the merchant’s own page. Read this field to tell
 * them apart: `url` is also null on a hosted session that has ended.
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
  /** `push`: the rail prompts the payer’s handset. `redirect`: the rail has a page of its own. */
  flow: 'push' | 'redirect'
  /** The rail’s name, as payers know it. */
  name: LocalizedText
  /** The operator’s color, such as `#ffcc00`, for a mark beside its name. Null if there is none. */
  color: string | null
  /**
   * The first digits of the operator’s numbers, each with its country code of three digits, such as `23767`.
   * Numbers are ported, so propose the rail and let the payer change it. Empty if they are not known.
   */
  number_prefixes: string[]
  /** Input that the payer must give: `msisdn`, a phone number. Null if the rail needs none. */
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
    /** The payee’s name in the prompt. Null if it is not known. */
    payee_name: string | null
    /** A hint of the deployment for the payer. Several lines are steps. Null if there is none. */
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
