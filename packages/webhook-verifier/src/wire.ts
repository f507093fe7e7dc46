// Generated from packages/contract by `npx pnpm@12 openapi`. Do not edit: change the declaration.

/** Key-value pairs that the merchant stored. */
export type Metadata = Record<string, string>

/** A payment: created, confirmed on a rail, then settled by the service. */
export interface PaymentIntent {
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
  last_payment_error: PaymentError | null
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
}

/**
 * Currency of the amounts, in upper case. Amounts are integers in its minor unit: XAF has none, so 1000 XAF
 * is 1000 francs; EUR has two digits, so 1000 EUR is 10 euros.
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
export interface NextAction {
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
export interface PaymentError {
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

/** Money promised back to a payer. The payment intent reserves its amount until the refund fails. */
export interface Refund {
  /** Identifier: `re_` and 32 hexadecimal digits. It is not a secret. */
  id: string
  /** The kind of this object: always `refund`. */
  object: 'refund'
  /** Refunded amount. In minor units of the currency. */
  amount: number
  /**
   * Currency of the amounts, in upper case. Amounts are integers in its minor unit: XAF has none, so 1000 XAF
   * is 1000 francs; EUR has two digits, so 1000 EUR is 10 euros.
   */
  currency: Currency
  /** The id of the payment intent that is refunded. */
  payment_intent: string
  /**
   * State of a refund. `pending`: it is created and its rail is instructed; the service never reports it as
   * paid. `failed`: the rail refused, and the amount can be refunded again. `requires_action` and `canceled`
   * exist for clients of the compatible API: create never makes such a refund.
   */
  status: RefundStatus
  /** Always present and always null, which is not 0. */
  fee: null
  /** Why the merchant refunds. Null if no reason was given. */
  reason: RefundReason | null
  /** Why the refund failed. Null unless the status is `failed`. */
  failure_reason: RefundFailure | null
  /** The rail that pays. The paid phone number is never shown. */
  destination_details: {
    /** The rail that pays. */
    type: string
  }
  /** The key-value pairs that the merchant stored with the object. Empty if there are none. */
  metadata: Record<string, string>
  /** When the object was created, in Unix seconds. */
  created: number
  /** True on a deployment that moves real money, and false in test mode. */
  livemode: boolean
}

/**
 * State of a refund. `pending`: it is created and its rail is instructed; the service never reports it as
 * paid. `failed`: the rail refused, and the amount can be refunded again. `requires_action` and `canceled`
 * exist for clients of the compatible API: create never makes such a refund.
 */
type RefundStatus = 'requires_action' | 'pending' | 'failed' | 'canceled'

/** Why the merchant refunds. */
type RefundReason = 'duplicate' | 'fraudulent' | 'requested_by_customer'

/**
 * Why the refund failed: a code as in `last_payment_error.code` if the rail refused; `not_supported` if the
 * rail has no refunds; `customer_erased` if the customer was erased before the rail was instructed.
 */
type RefundFailure =
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
  | 'not_supported'
  | 'customer_erased'

/**
 * A payment that a payer makes on a page. It belongs to one payment intent, whose events report the outcome.
 */
export interface CheckoutSession {
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
  /** The id of the payment intent that the session collects. Its events report the outcome. */
  payment_intent: string
  /** Amount that the payer pays. In minor units of the currency. */
  amount: number
  /**
   * Currency of the amounts, in upper case. Amounts are integers in its minor unit: XAF has none, so 1000 XAF
   * is 1000 francs; EUR has two digits, so 1000 EUR is 10 euros.
   */
  currency: Currency
  /** Codes of the rails that the payer may use. */
  payment_method_types: string[]
  /** The id of the intent’s customer when the session was created. Null if it had none. */
  customer: string | null
  /**
   * `hosted`: a page of the service. `embedded`: a part of the merchant’s own page. Read this field to tell
   * them apart: `url` is also null on a hosted session that has ended.
   */
  ui_mode: CheckoutUiMode
  /** Always null in a webhook body, for every `ui_mode`. */
  url: null
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
  /** The merchant’s own reference, at most 200 characters. Null if there is none. */
  client_reference_id: string | null
  /** The key-value pairs that the merchant stored with the object. Empty if there are none. */
  metadata: Record<string, string>
  /** When the session ends: after this instant it accepts no payment. In Unix seconds. */
  expires_at: number
  /** When the object was created, in Unix seconds. */
  created: number
  /** True on a deployment that moves real money, and false in test mode. */
  livemode: boolean
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

/** A person who pays the merchant. Neither phone nor email is unique. */
export interface Customer {
  /** Identifier: `cus_` and 32 hexadecimal digits. It is not a secret. */
  id: string
  /** The kind of this object: always `customer`. */
  object: 'customer'
  /** Name, at most 256 characters. Null if there is none, `[redacted]` once the customer is erased. */
  name: string | null
  /**
   * Email address, at most 512 characters. Its format is not checked, and it is not unique. Null if there is
   * none, `[redacted]` once the customer is erased.
   */
  email: string | null
  /**
   * Phone number: twelve digits with the country code and no plus sign, whatever spelling was sent. It is not
   * unique. Null if there is none, `[redacted]` once the customer is erased.
   */
  phone: string | null
  /**
   * The customer’s address. Null if no address is known. An erased customer always has one, whose texts are
   * `[redacted]`.
   */
  address: Address | null
  /**
   * The key-value pairs that the merchant stored with the customer. Empty if there are none. An erasure does
   * not change them.
   */
  metadata: Record<string, string>
  /** When the object was created, in Unix seconds. */
  created: number
  /** True on a deployment that moves real money, and false in test mode. */
  livemode: boolean
  /**
   * Present, and true, only on an erased customer, whose identifiers are all `[redacted]`. Otherwise the key
   * is absent.
   */
  deleted?: true | undefined
}

/**
 * A customer’s address: exactly eight components, each of which can be null. Coordinates are integers in
 * microdegrees.
 */
export interface Address {
  /** First line: street, building. Null if there is none. */
  line1: string | null
  /** Second line. Null if there is none. */
  line2: string | null
  /** Town or city. Null if there is none. */
  city: string | null
  /** Region or state. Null if there is none. */
  state: string | null
  /** Postal code. Null if there is none. */
  postal_code: string | null
  /**
   * Country as two letters in upper case (ISO 3166-1 alpha-2). Only the format is checked. Null if there is
   * none.
   */
  country: string | null
  /**
   * Latitude in microdegrees, within ±90 000 000: 4.05 degrees are 4050000. Send both coordinates or neither.
   * Null if there is none.
   */
  latitude_microdeg: number | null
  /**
   * Longitude in microdegrees, within ±180 000 000: 9.7 degrees are 9700000. Send both coordinates or
   * neither. Null if there is none.
   */
  longitude_microdeg: number | null
}

/** A bill for one customer. Amounts are in minor units of its currency. */
export interface Invoice {
  /** Identifier: `in_` and 32 hexadecimal digits. It is not a secret. */
  id: string
  /** The kind of this object: always `invoice`. */
  object: 'invoice'
  /**
   * State of an invoice. A `draft` takes lines; finalizing makes it `open`. An open invoice becomes paid
   * (`paid`), voided (`void`) or written off (`uncollectible`). An uncollectible one can still be paid or
   * voided.
   */
  status: InvoiceStatus
  /** The invoice’s number: from 1 in order of finalization, without gaps. Null on a draft. */
  number: string | null
  /** The id of the customer who is billed. */
  customer: string
  /**
   * Currency of the amounts, in upper case. Amounts are integers in its minor unit: XAF has none, so 1000 XAF
   * is 1000 francs; EUR has two digits, so 1000 EUR is 10 euros.
   */
  currency: Currency
  /** The sum of the lines. In minor units of the currency. */
  subtotal: number
  /** Billed amount: the sum of the lines. It can be negative on a draft. In minor units of the currency. */
  total: number
  /** Amount to pay: the total, or 0 if the total is negative. In minor units of the currency. */
  amount_due: number
  /** Paid amount: the total if the invoice is paid, otherwise 0. In minor units of the currency. */
  amount_paid: number
  /** Amount still to pay: `amount_due` less `amount_paid`. In minor units of the currency. */
  amount_remaining: number
  /** The merchant’s own text, at most 1000 characters. Null if there is none. */
  description: string | null
  /**
   * When the invoice is due, in Unix seconds. Null if it has no due date. The service does nothing at that
   * time.
   */
  due_date: number | null
  /** The id of the payment intent that pays the invoice. Null until the first `pay` call. */
  payment_intent: string | null
  /**
   * Codes of the rails on which the invoice can be paid. An empty list means every rail that settles in its
   * currency.
   */
  payment_method_types: string[]
  /** The key-value pairs that the merchant stored with the object. Empty if there are none. */
  metadata: Record<string, string>
  /** Always empty in a webhook body: read the lines from the invoice. */
  lines: {
    /** The kind of this object: always `list`. */
    object: 'list'
    /** The path of the list, without its query. */
    url: string
    /** Always false in a webhook body. */
    has_more: false
    /** Always empty in a webhook body. */
    data: []
  }
  /** When an invoice entered its states, in Unix seconds. */
  status_transitions: InvoiceStatusTransitions
  /** When the object was created, in Unix seconds. */
  created: number
  /** True on a deployment that moves real money, and false in test mode. */
  livemode: boolean
}

/**
 * State of an invoice. A `draft` takes lines; finalizing makes it `open`. An open invoice becomes paid
 * (`paid`), voided (`void`) or written off (`uncollectible`). An uncollectible one can still be paid or
 * voided.
 */
type InvoiceStatus = 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'

/** When an invoice entered its states, in Unix seconds. */
interface InvoiceStatusTransitions {
  /** When the invoice was finalized, in Unix seconds. Null if it was not. */
  finalized_at: number | null
  /** When the invoice was paid, in Unix seconds. Null if it was not. */
  paid_at: number | null
  /** When the invoice was voided, in Unix seconds. Null if it was not. */
  voided_at: number | null
  /** When the invoice was marked uncollectible, in Unix seconds. Null if it was not. */
  marked_uncollectible_at: number | null
}

/** The fifteen event types of the service, each with the resource that `data.object` is a snapshot of. */
export interface EventObjects {
  /** Never written: the answer to the create call already reports it. */
  'payment_intent.created': PaymentIntent
  /** Never written: the answer to the confirm call already reports it. */
  'payment_intent.processing': PaymentIntent
  /** The payment is paid, possibly late, after a cancel or a refused charge. Fulfil the order. */
  'payment_intent.succeeded': PaymentIntent
  /** The rail refused a charge: `last_payment_error` says why. The intent can be confirmed again. */
  'payment_intent.payment_failed': PaymentIntent
  /** The merchant canceled the payment. */
  'payment_intent.canceled': PaymentIntent
  /**
   * A refund was created with status `pending`. The snapshot is the refund, not the charge. Money has not
   * moved yet.
   */
  'charge.refunded': Refund
  /** The metadata of a refund changed, or the rail refused the refund (`failed`). */
  'charge.refund.updated': Refund
  /** The hourly sweep ended a session. A session that the merchant expires writes no event. */
  'checkout.session.expired': CheckoutSession
  /** A customer was created. */
  'customer.created': Customer
  /** A customer changed. */
  'customer.updated': Customer
  /** A customer was erased, by the merchant or after twelve idle months. Every identifier is `[redacted]`. */
  'customer.deleted': Customer
  /** A draft was created. */
  'invoice.created': Invoice
  /** An invoice was finalized: it has a number and can be paid. */
  'invoice.finalized': Invoice
  /** An invoice is paid. */
  'invoice.paid': Invoice
  /** An invoice was voided. */
  'invoice.voided': Invoice
}

/** A record of a state change, written in the same transaction. Webhook endpoints receive the same form. */
export interface Envelope<Type, Resource> {
  /**
   * Identifier: `evt_` and 32 hexadecimal digits. Deliveries can repeat and arrive in any order: handle each
   * id once.
   */
  id: string
  /** The kind of this object: always `event`. */
  object: 'event'
  /** When the change was made, in Unix seconds. */
  created: number
  /** True on a deployment that moves real money, and false in test mode. */
  livemode: boolean
  /** What happened. `payment_intent.created` and `payment_intent.processing` are never written. */
  type: Type
  /** The resource that changed. */
  data: {
    /**
     * The resource of the type, as a snapshot after the change. A checkout session has `url` null, an invoice
     * has `lines.data` empty, and no resource has a `client_secret`.
     */
    object: Resource
  }
}
