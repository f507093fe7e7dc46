// Generated from packages/contract by `npx pnpm@12 openapi`. Do not edit: change the declaration.

/** French or English. */
type Locale = 'fr' | 'en'

/**
 * Why the merchant stopped waiting for a payment.
 *
 * @example
 * ```ts
 * const reason: CancellationReason = 'requested_by_customer'
 * ```
 */
export type CancellationReason = 'duplicate' | 'fraudulent' | 'requested_by_customer' | 'abandoned'

/**
 * Why the merchant refunds.
 *
 * @example
 * ```ts
 * const reason: RefundReason = 'requested_by_customer'
 * ```
 */
export type RefundReason = 'duplicate' | 'fraudulent' | 'requested_by_customer'

/**
 * The holder of a mobile-money account, as the operator reports it. The service does not store it.
 *
 * @example
 * ```ts
 * const greet = (holder: AccountHolder) => (holder.registered ? `Pay ${holder.name ?? holder.msisdn}?` : 'No such account.')
 * ```
 */
export interface AccountHolder {
  /** The kind of this object: always `account_holder`. */
  object: 'account_holder'
  /** The rail whose operator was asked. */
  payment_method_type: string
  /**
   * The number that was looked up: twelve digits with the country code and no plus sign, whatever spelling
   * was sent.
   */
  msisdn: string
  /** Whether the operator has an active account with this number. False also for an inactive account. */
  registered: boolean
  /** The name of the account’s holder. Null if the operator does not give it, or if `registered` is false. */
  name: string | null
  /** True on a deployment that moves real money, and false in test mode. */
  livemode: boolean
}

/**
 * A payment that a payer makes on a page. It belongs to one payment intent, whose events report the outcome.
 *
 * @example
 * ```ts
 * const pageOf = (session: CheckoutSession) => (session.ui_mode === 'hosted' ? session.url : null)
 * ```
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
  /**
   * The page to send the payer to while a hosted session is open. Otherwise null, also in webhook bodies. Its
   * fragment holds the session’s secret: do not log it.
   */
  url: string | null
  /**
   * Lets the payer’s device read this session, and read and confirm its intent, on /v1/browser. Present only
   * in the answers to create and retrieve. Give it only to the payer.
   */
  client_secret?: string | undefined
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
 *
 * @example
 * ```ts
 * const canBePaid = (status: CheckoutSessionStatus) => status === 'open'
 * ```
 */
export type CheckoutSessionStatus = 'open' | 'complete' | 'expired'

/**
 * Whether the session’s intent is paid. A late success makes an expired session `paid`.
 *
 * @example
 * ```ts
 * const isSettled = (status: CheckoutPaymentStatus) => status === 'paid'
 * ```
 */
export type CheckoutPaymentStatus = 'unpaid' | 'paid'

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
 * `hosted`: a page of the service. `embedded`: a part of the merchant’s own page. Read this field to tell
 * them apart: `url` is also null on a hosted session that has ended.
 *
 * @example
 * ```ts
 * const mode: CheckoutUiMode = 'hosted'
 * ```
 */
export type CheckoutUiMode = 'hosted' | 'embedded'

/**
 * A person who pays the merchant. Neither phone nor email is unique.
 *
 * @example
 * ```ts
 * const isErased = (customer: Customer) => customer.deleted === true
 * ```
 */
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
 *
 * @example
 * ```ts
 * const degrees = ({ latitude_microdeg }: Address) => (latitude_microdeg ?? 0) / 1_000_000
 * ```
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

/**
 * The answer to the deletion of a customer.
 *
 * @example
 * ```ts
 * const isGone = ({ deleted }: DeletedCustomer) => deleted
 * ```
 */
export interface DeletedCustomer {
  /** Identifier: `cus_` and 32 hexadecimal digits. It is not a secret. */
  id: string
  /** The kind of this object: always `customer`. */
  object: 'customer'
  /** Always true. */
  deleted: true
}

/**
 * What happened. `payment_intent.created` and `payment_intent.processing` are never written.
 *
 * @example
 * ```ts
 * const fulfilOn: EventType = 'payment_intent.succeeded'
 * ```
 */
export type EventType =
  | 'payment_intent.created'
  | 'payment_intent.processing'
  | 'payment_intent.succeeded'
  | 'payment_intent.payment_failed'
  | 'payment_intent.canceled'
  | 'charge.refunded'
  | 'charge.refund.updated'
  | 'checkout.session.expired'
  | 'customer.created'
  | 'customer.updated'
  | 'customer.deleted'
  | 'invoice.created'
  | 'invoice.finalized'
  | 'invoice.paid'
  | 'invoice.voided'

/**
 * A line of an invoice. It can change while the invoice is a draft.
 *
 * @example
 * ```ts
 * const isCredit = (item: InvoiceItem) => item.amount < 0
 * ```
 */
export interface InvoiceItem {
  /** Identifier: `ii_` and 32 hexadecimal digits. It is not a secret. */
  id: string
  /** The kind of this object: always `invoiceitem`. */
  object: 'invoiceitem'
  /** The id of the invoice that the line belongs to. */
  invoice: string
  /** The id of the invoice’s customer. */
  customer: string
  /**
   * Currency of the amounts, in upper case. Amounts are integers in its minor unit: XAF has none, so 1000 XAF
   * is 1000 francs; EUR has two digits, so 1000 EUR is 10 euros.
   */
  currency: Currency
  /**
   * Amount of the line: `unit_amount` times `quantity`, within ±99 999 999 and not 0. Negative for a credit.
   * In minor units of the currency.
   */
  amount: number
  /** Price of one unit. Negative for a credit. In minor units of the currency. */
  unit_amount: number
  /** Number of units: 1 to 999 999. */
  quantity: number
  /** Description of the line, at most 1000 characters. Null if there is none. */
  description: string | null
  /** The key-value pairs that the merchant stored with the object. Empty if there are none. */
  metadata: Record<string, string>
  /** When the object was created, in Unix seconds. */
  created: number
  /** True on a deployment that moves real money, and false in test mode. */
  livemode: boolean
}

/**
 * A line that was deleted from its draft, in its last state.
 *
 * @example
 * ```ts
 * const { deleted }: DeletedInvoiceItem = await payments.invoiceItems.del(item.id)
 * ```
 */
export interface DeletedInvoiceItem {
  /** Identifier: `ii_` and 32 hexadecimal digits. It is not a secret. */
  id: string
  /** The kind of this object: always `invoiceitem`. */
  object: 'invoiceitem'
  /** The id of the invoice that the line belongs to. */
  invoice: string
  /** The id of the invoice’s customer. */
  customer: string
  /**
   * Currency of the amounts, in upper case. Amounts are integers in its minor unit: XAF has none, so 1000 XAF
   * is 1000 francs; EUR has two digits, so 1000 EUR is 10 euros.
   */
  currency: Currency
  /**
   * Amount of the line: `unit_amount` times `quantity`, within ±99 999 999 and not 0. Negative for a credit.
   * In minor units of the currency.
   */
  amount: number
  /** Price of one unit. Negative for a credit. In minor units of the currency. */
  unit_amount: number
  /** Number of units: 1 to 999 999. */
  quantity: number
  /** Description of the line, at most 1000 characters. Null if there is none. */
  description: string | null
  /** The key-value pairs that the merchant stored with the object. Empty if there are none. */
  metadata: Record<string, string>
  /** When the object was created, in Unix seconds. */
  created: number
  /** True on a deployment that moves real money, and false in test mode. */
  livemode: boolean
  /** Always true. */
  deleted: true
}

/**
 * A bill for one customer. Amounts are in minor units of its currency.
 *
 * @example
 * ```ts
 * const isOverdue = ({ status, due_date }: Invoice, nowSec: number) =>
 *   status === 'open' && due_date !== null && due_date < nowSec
 * ```
 */
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
  /** All lines of the invoice, also in lists. `lines.data` is empty in events. */
  lines: {
    /** The kind of this object: always `list`. */
    object: 'list'
    /** The path of the list, without its query. */
    url: string
    /**
     * Whether more objects follow in the direction of paging: newer ones with `ending_before`, otherwise
     * older ones.
     */
    has_more: boolean
    /** The lines, in the order in which they were added. */
    data: InvoiceItem[]
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
 *
 * @example
 * ```ts
 * const canBePaid = (status: InvoiceStatus) => status === 'open' || status === 'uncollectible'
 * ```
 */
export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'

/**
 * When an invoice entered its states, in Unix seconds.
 *
 * @example
 * ```ts
 * const paidOn = ({ paid_at }: InvoiceStatusTransitions) => (paid_at === null ? null : new Date(paid_at * 1000))
 * ```
 */
export interface InvoiceStatusTransitions {
  /** When the invoice was finalized, in Unix seconds. Null if it was not. */
  finalized_at: number | null
  /** When the invoice was paid, in Unix seconds. Null if it was not. */
  paid_at: number | null
  /** When the invoice was voided, in Unix seconds. Null if it was not. */
  voided_at: number | null
  /** When the invoice was marked uncollectible, in Unix seconds. Null if it was not. */
  marked_uncollectible_at: number | null
}

/**
 * A deleted draft, in its last state.
 *
 * @example
 * ```ts
 * const { deleted }: DeletedInvoice = await payments.invoices.del(invoice.id)
 * ```
 */
export interface DeletedInvoice {
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
  /** All lines of the invoice, also in lists. `lines.data` is empty in events. */
  lines: {
    /** The kind of this object: always `list`. */
    object: 'list'
    /** The path of the list, without its query. */
    url: string
    /**
     * Whether more objects follow in the direction of paging: newer ones with `ending_before`, otherwise
     * older ones.
     */
    has_more: boolean
    /** The lines, in the order in which they were added. */
    data: InvoiceItem[]
  }
  /** When an invoice entered its states, in Unix seconds. */
  status_transitions: InvoiceStatusTransitions
  /** When the object was created, in Unix seconds. */
  created: number
  /** True on a deployment that moves real money, and false in test mode. */
  livemode: boolean
  /** Always true. */
  deleted: true
}

/**
 * A payment: created, confirmed on a rail, then settled by the service.
 *
 * @example
 * ```ts
 * const isPaid = (intent: PaymentIntent) => intent.status === 'succeeded'
 * ```
 */
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
  /**
   * Lets the payer’s device read and confirm this intent on /v1/browser. Present only in the answers to
   * create and retrieve. Give it only to the payer, and do not log it.
   */
  client_secret?: string | undefined
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
}

/**
 * State of a payment intent. `requires_payment_method`: it waits for a confirm. `processing`: the rail has a
 * charge whose outcome is open. `succeeded`: it is paid. `canceled`: the merchant stopped waiting; only a
 * late success of a charge changes this state. There is no failed status: a refused charge returns the intent
 * to `requires_payment_method` with `last_payment_error` set.
 *
 * @example
 * ```ts
 * const isOver = (status: PaymentIntentStatus) => status === 'succeeded' || status === 'canceled'
 * ```
 */
export type PaymentIntentStatus = 'requires_payment_method' | 'processing' | 'succeeded' | 'canceled'

/**
 * The payer’s next step on a redirect rail. A push rail has none, because it prompts the payer’s handset.
 *
 * @example
 * ```ts
 * const target = (action: NextAction | null) => action?.redirect_to_url.url
 * ```
 */
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

/**
 * The refusal that returned a payment intent to `requires_payment_method`.
 *
 * @example
 * ```ts
 * const reason = (error: LastPaymentError) => error.message ?? error.code
 * ```
 */
export interface LastPaymentError {
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
 * const worthAnotherTry: readonly DeclineCode[] = ['approval_timeout', 'insufficient_funds', 'rail_unavailable']
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

/**
 * Money promised back to a payer. The payment intent reserves its amount until the refund fails.
 *
 * @example
 * ```ts
 * const describe = (refund: Refund) => `${refund.amount} ${refund.currency} of ${refund.payment_intent}: ${refund.status}`
 * ```
 */
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
 *
 * @example
 * ```ts
 * const isUnderWay = (status: RefundStatus) => status === 'pending'
 * ```
 */
export type RefundStatus = 'requires_action' | 'pending' | 'failed' | 'canceled'

/**
 * Why the refund failed: a code as in `last_payment_error.code` if the rail refused; `not_supported` if the
 * rail has no refunds; `customer_erased` if the customer was erased before the rail was instructed.
 *
 * @example
 * ```ts
 * const isOurs = (failure: RefundFailure) => failure === 'rail_misconfigured'
 * ```
 */
export type RefundFailure =
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
 * Every `code` that the API renders. A later version of the service may add one.
 *
 * @example
 * ```ts
 * const settled: readonly ErrorCode[] = ['charge_terminal', 'intent_canceled']
 * ```
 */
export type ErrorCode =
  | 'authentication_error'
  | 'forbidden'
  | 'resource_missing'
  | 'unknown_route'
  | 'invalid_request'
  | 'idempotency_key_in_use'
  | 'idempotency_key_in_flight'
  | 'charge_in_progress'
  | 'charge_terminal'
  | 'intent_canceled'
  | 'too_many_attempts'
  | 'intent_has_no_rail'
  | 'customer_erased'
  | 'session_not_open'
  | 'intent_has_session'
  | 'intent_has_invoice'
  | 'lookups_spent'
  | 'intent_not_succeeded'
  | 'charge_unproven'
  | 'refund_not_cancelable'
  | 'invoice_not_draft'
  | 'invoice_draft'
  | 'invoice_paid'
  | 'invoice_void'
  | 'invoice_uncollectible'
  | 'not_supported'
  | 'provider_unavailable'
  | 'service_unavailable'
  | 'internal_error'

/** The `type` of an error that the service renders. */
export type ApiErrorType =
  | 'authentication_error'
  | 'invalid_request_error'
  | 'idempotency_error'
  | 'api_error'

/** The payer’s instrument on a push rail. */
export interface PushInstrument {
  /** The payer’s phone number, in any spelling. */
  readonly msisdn: string
}

/** The payer’s instrument on a redirect rail: none is needed. */
export type RedirectInstrument = Partial<PushInstrument> | null

/** The payer’s instrument by the code of its rail, for the rails that this version knows. */
export interface RailInstruments {
  /** MTN MoMo in Cameroon, a push rail: the operator prompts this handset. */
  readonly mtn_momo_cm: PushInstrument
  /**
   * Orange Money in Cameroon, a redirect rail: the payer names the account on the rail’s page. Pass `null`.
   */
  readonly orange_money_cm: RedirectInstrument
}

/**
 * One rail and the payer’s instrument on it. A rail that this version does not know takes any of the
 * instruments. `type` alone also names a redirect rail.
 *
 * @example
 * ```ts
 * const push: PaymentMethodData = { mtn_momo_cm: { msisdn: '237670000001' } }
 * const redirect: PaymentMethodData = { orange_money_cm: null }
 * ```
 */
export type PaymentMethodData =
  | (Partial<RailInstruments> & Readonly<Record<string, RailInstruments[keyof RailInstruments]>>)
  | (Partial<RailInstruments> & {
    /** The code of the rail. It must agree with the rail that is named beside it. */
    readonly type: string
  })

/** A `PaymentIntent` as it is in an event: without secret, page address and lines. */
export interface PaymentIntentSnapshot {
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
}

/** A `CheckoutSession` as it is in an event: without secret, page address and lines. */
export interface CheckoutSessionSnapshot {
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

/** A `Invoice` as it is in an event: without secret, page address and lines. */
export interface InvoiceSnapshot {
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

/** The fifteen event types of the service, each with the resource that `data.object` is a snapshot of. */
export interface EventObjects {
  /** Never written: the answer to the create call already reports it. */
  'payment_intent.created': PaymentIntentSnapshot
  /** Never written: the answer to the confirm call already reports it. */
  'payment_intent.processing': PaymentIntentSnapshot
  /** The payment is paid, possibly late, after a cancel or a refused charge. Fulfil the order. */
  'payment_intent.succeeded': PaymentIntentSnapshot
  /** The rail refused a charge: `last_payment_error` says why. The intent can be confirmed again. */
  'payment_intent.payment_failed': PaymentIntentSnapshot
  /** The merchant canceled the payment. */
  'payment_intent.canceled': PaymentIntentSnapshot
  /**
   * A refund was created with status `pending`. The snapshot is the refund, not the charge. Money has not
   * moved yet.
   */
  'charge.refunded': Refund
  /** The metadata of a refund changed, or the rail refused the refund (`failed`). */
  'charge.refund.updated': Refund
  /** The hourly sweep ended a session. A session that the merchant expires writes no event. */
  'checkout.session.expired': CheckoutSessionSnapshot
  /** A customer was created. */
  'customer.created': Customer
  /** A customer changed. */
  'customer.updated': Customer
  /** A customer was erased, by the merchant or after twelve idle months. Every identifier is `[redacted]`. */
  'customer.deleted': Customer
  /** A draft was created. */
  'invoice.created': InvoiceSnapshot
  /** An invoice was finalized: it has a number and can be paid. */
  'invoice.finalized': InvoiceSnapshot
  /** An invoice is paid. */
  'invoice.paid': InvoiceSnapshot
  /** An invoice was voided. */
  'invoice.voided': InvoiceSnapshot
}

/** A record of a state change, written in the same transaction. Webhook endpoints receive the same form. */
interface Envelope<Type, Resource> {
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

/** An event of one known type. */
export type EventOf<T extends EventType> = Envelope<T, EventObjects[T]>

// Matches none of the fifteen, so that comparing `type` excludes this member. A plain `string` would not be.
type UnknownEventType = `(unknown to this version) ${string}`

/** An event of a type that is newer than this package. Treat its `type` as an opaque string. */
export type UnknownEvent = Envelope<UnknownEventType, Record<string, unknown>>

/**
 * A record of a state change. Comparing `type` narrows `data.object`, the resource after the change. It is
 * the same type as that of a verified webhook, so that one handler serves both.
 *
 * @example
 * ```ts
 * const fulfil = (event: Event) => {
 *   if (event.type === 'payment_intent.succeeded') ship(event.data.object.metadata['order'])
 * }
 * ```
 */
export type Event = { [T in EventType]: EventOf<T> }[EventType] | UnknownEvent

/**
 * Paging of every list. Lists are newest first: `starting_after` pages towards older objects, `ending_before`
 * towards newer ones.
 *
 * @example
 * ```ts
 * const params: ListParams = { limit: 100, ending_before: lastSeenEventId }
 * ```
 */
export interface ListParams {
  /**
   * Maximum number of objects per page: 1 to 100, 10 by default. A page of large objects ends earlier, with
   * `has_more` true.
   */
  limit?: number | undefined
  /**
   * The id of an object of this list. The page holds the objects older than it. Not together with
   * `ending_before`.
   */
  starting_after?: string | undefined
  /**
   * The id of an object of this list. The page holds the next newer objects, and `has_more` is about newer
   * objects. Not together with `starting_after`.
   */
  ending_before?: string | undefined
}

/**
 * When an object was created: one Unix second, or bounds.
 *
 * @example
 * ```ts
 * const lastHour: CreatedFilter = { gte: Math.floor(Date.now() / 1000) - 3600 }
 * ```
 */
export type CreatedFilter = number | {
  /** Created after this Unix second. */
  gt?: number | undefined
  /** Created in this Unix second or later. */
  gte?: number | undefined
  /** Created before this Unix second. */
  lt?: number | undefined
  /** Created in this Unix second or earlier. */
  lte?: number | undefined
}

/**
 * Parameters of `accountHolders.retrieve`: look up the holder of a mobile-money account.
 *
 * @example
 * ```ts
 * const params: AccountHolderRetrieveParams = { payment_method_type: 'mtn_momo_cm', msisdn: '+237 6 70 00 00 01' }
 * ```
 */
export interface AccountHolderRetrieveParams {
  /** The code of a rail that the deployment enabled. */
  payment_method_type: string
  /**
   * The phone number, in any spelling: nine digits take the deployment’s country code, and `+` or `00` begins
   * an international number.
   */
  msisdn: string
}

/**
 * Filters of `checkout.sessions.list`. All given filters must hold.
 *
 * @example
 * ```ts
 * const params: CheckoutSessionListParams = { status: 'open', created: { gte: 1767225600 }, limit: 50 }
 * ```
 */
export interface CheckoutSessionListParams extends ListParams {
  /** Shows the session of this payment intent, if it has one. */
  payment_intent?: string | undefined
  /** Shows sessions of this customer. An unknown id matches nothing. */
  customer?: string | undefined
  /** Shows sessions in this state. A session past its `expires_at` is `open` until the hourly sweep. */
  status?: 'open' | 'complete' | 'expired' | undefined
  /**
   * Shows objects created in this Unix second, or within bounds such as `created[gte]=1767225600`. All given
   * bounds must hold.
   */
  created?: CreatedFilter | undefined
}

/**
 * Parameters of `checkout.sessions.create`: create a page on which a payer pays.
 *
 * @example
 * ```ts
 * const params: CheckoutSessionCreateParams = {
 *   amount: 5000,
 *   currency: 'XAF',
 *   payment_method_types: ['mtn_momo_cm'],
 *   success_url: 'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}',
 * }
 * ```
 */
export interface CheckoutSessionCreateParams {
  /**
   * The id of a payment intent of yours that waits for a payment method and never had a session. If you also
   * send an amount, currency, customer, description or rails, they must match the intent, or the answer is a
   * 400.
   */
  payment_intent?: string | null | undefined
  /**
   * Amount that the payer pays: 1 to 99 999 999, in minor units of the currency. Required without
   * `payment_intent`.
   */
  amount?: number | undefined
  /** Currency of the amount, in upper or lower case. Required without `payment_intent`. */
  currency?: 'XAF' | 'xaf' | 'EUR' | 'eur' | undefined
  /**
   * Codes of the rails that the payer may use, each enabled by the deployment. Required without
   * `payment_intent`.
   */
  payment_method_types?: readonly string[] | undefined
  /** Your own text for the payment, at most 1000 characters. The payer’s device can read it. */
  description?: string | null | undefined
  /** The id of a customer of yours. An unknown id, and one of another merchant, is the same 400. */
  customer?: string | null | undefined
  /**
   * Whether the payer pays on a page of the service or on a part of your own: `hosted` by default.
   * `hosted_page` and `embedded_page` are other spellings of the same modes.
   */
  ui_mode?: 'hosted' | 'hosted_page' | 'embedded' | 'embedded_page' | undefined
  /**
   * Address of the hosted page’s link back to the shop after the payer has paid. Required for a hosted
   * session: https, or http in test mode; with `https://`, and without spaces or backslashes; at most 2048
   * characters. `{CHECKOUT_SESSION_ID}` in it becomes the session’s id.
   */
  success_url?: string | null | undefined
  /**
   * Address of the hosted page’s link back to the shop while the payment is not paid: https, or http in test
   * mode; with `https://`, and without spaces or backslashes; at most 2048 characters.
   * `{CHECKOUT_SESSION_ID}` in it becomes the session’s id.
   */
  cancel_url?: string | null | undefined
  /**
   * Address of the link back to the shop if `success_url` or `cancel_url` is not sent: https, or http in test
   * mode; with `https://`, and without spaces or backslashes; at most 2048 characters.
   * `{CHECKOUT_SESSION_ID}` in it becomes the session’s id.
   */
  return_url?: string | null | undefined
  /** Your own reference, such as an order’s number, at most 200 characters. */
  client_reference_id?: string | null | undefined
  /** When the session ends, in Unix seconds: 30 minutes to 24 hours ahead. Default: 24 hours ahead. */
  expires_at?: number | undefined
  /** The language of the hosted page, `fr` or `en`. Default: the payer’s language. */
  locale?: Locale | undefined
  /**
   * Your own key-value pairs: at most 50 keys of 1 to 40 characters without brackets, and values of at most
   * 500 characters. A payment intent that is created with the session gets them too, and the payer’s device
   * can read them.
   */
  metadata?: Readonly<Record<string, string>> | undefined
}

/**
 * Parameters of `customers.create`: store a person who pays you.
 *
 * @example
 * ```ts
 * const params: CustomerCreateParams = {
 *   phone: '+237 6 70 00 00 01',
 *   address: { city: 'Douala', country: 'CM' },
 *   metadata: { tier: 'gold' },
 * }
 * ```
 */
export interface CustomerCreateParams {
  /** Name, at most 256 characters. An empty value clears it. */
  name?: string | null | undefined
  /** Email address, at most 512 characters. Its format is not checked. An empty value clears it. */
  email?: string | null | undefined
  /**
   * Phone number in any spelling, at most 64 characters. The service stores it as twelve digits with the
   * country code. An empty value clears it.
   */
  phone?: string | null | undefined
  /**
   * The customer’s address. An update replaces the whole address, coordinates included; an empty value clears
   * it.
   */
  address?: {
    /** First line: street, building. At most 200 characters. */
    line1?: string | null | undefined
    /** Second line. At most 200 characters. */
    line2?: string | null | undefined
    /** Town or city. At most 200 characters. */
    city?: string | null | undefined
    /** Region or state. At most 200 characters. */
    state?: string | null | undefined
    /** Postal code. At most 200 characters. */
    postal_code?: string | null | undefined
    /** Country as two letters, in any case (ISO 3166-1 alpha-2). Only the format is checked. */
    country?: string | null | undefined
    /**
     * Latitude in microdegrees, within ±90 000 000: 4.05 degrees are 4050000. Send both coordinates or
     * neither. A decimal fraction is a 400; it is never rounded.
     */
    latitude_microdeg?: number | null | undefined
    /**
     * Longitude in microdegrees, within ±180 000 000: 9.7 degrees are 9700000. Send both coordinates or
     * neither. A decimal fraction is a 400; it is never rounded.
     */
    longitude_microdeg?: number | null | undefined
  } | null | undefined
  /**
   * Your own key-value pairs: at most 50 keys of 1 to 40 characters without brackets, and values of at most
   * 500 characters. A key with an empty value is not stored.
   */
  metadata?: Readonly<Record<string, string>> | undefined
}

/**
 * Parameters of `customers.update`: change the data of a customer.
 *
 * @example
 * ```ts
 * const params: CustomerUpdateParams = { email: null, metadata: { tier: '' } }
 * ```
 */
export interface CustomerUpdateParams {
  /** Name, at most 256 characters. An empty value clears it. */
  name?: string | null | undefined
  /** Email address, at most 512 characters. Its format is not checked. An empty value clears it. */
  email?: string | null | undefined
  /**
   * Phone number in any spelling, at most 64 characters. The service stores it as twelve digits with the
   * country code. An empty value clears it.
   */
  phone?: string | null | undefined
  /**
   * The customer’s address. An update replaces the whole address, coordinates included; an empty value clears
   * it.
   */
  address?: {
    /** First line: street, building. At most 200 characters. */
    line1?: string | null | undefined
    /** Second line. At most 200 characters. */
    line2?: string | null | undefined
    /** Town or city. At most 200 characters. */
    city?: string | null | undefined
    /** Region or state. At most 200 characters. */
    state?: string | null | undefined
    /** Postal code. At most 200 characters. */
    postal_code?: string | null | undefined
    /** Country as two letters, in any case (ISO 3166-1 alpha-2). Only the format is checked. */
    country?: string | null | undefined
    /**
     * Latitude in microdegrees, within ±90 000 000: 4.05 degrees are 4050000. Send both coordinates or
     * neither. A decimal fraction is a 400; it is never rounded.
     */
    latitude_microdeg?: number | null | undefined
    /**
     * Longitude in microdegrees, within ±180 000 000: 9.7 degrees are 9700000. Send both coordinates or
     * neither. A decimal fraction is a 400; it is never rounded.
     */
    longitude_microdeg?: number | null | undefined
  } | null | undefined
  /**
   * Your own key-value pairs, merged key by key. A key that is not sent keeps its value, and an empty value
   * removes its key. An empty value in place of the map removes all. At most 50 keys of 1 to 40 characters
   * remain, with values of at most 500 characters.
   */
  metadata?: Readonly<Record<string, string>> | null | undefined
}

/**
 * Filters of `events.list`. All given filters must hold.
 *
 * @example
 * ```ts
 * const paid: EventListParams = { types: ['payment_intent.succeeded', 'invoice.paid'], created: { gte: 1767225600 } }
 * ```
 */
export interface EventListParams extends ListParams {
  /**
   * Shows events of this type, or of a group of types such as `invoice.*`. A type that does not exist matches
   * nothing. Not together with `types`.
   */
  type?: EventType | `${string}.*` | undefined
  /** Shows events of any of these types or groups: 1 to 20. Not together with `type`. */
  types?: readonly (EventType | `${string}.*`)[] | undefined
  /**
   * Shows objects created in this Unix second, or within bounds such as `created[gte]=1767225600`. All given
   * bounds must hold.
   */
  created?: CreatedFilter | undefined
}

/**
 * Parameters of `invoiceItems.create`: add a line to a draft.
 *
 * @example
 * ```ts
 * const params: InvoiceItemCreateParams = {
 *   invoice: 'in_0190b2c5037a7d52b8e41f6c9a30d7e2',
 *   unit_amount: 2500,
 *   quantity: 2,
 *   description: 'Bag of rice',
 * }
 * ```
 */
export interface InvoiceItemCreateParams {
  /** The id of an invoice of yours that is a draft. An unknown id is a 400 that names it. */
  invoice: string
  /** If sent, it must be the invoice’s customer. */
  customer?: string | null | undefined
  /** If sent, it must be the invoice’s currency, in upper or lower case. */
  currency?: 'XAF' | 'xaf' | 'EUR' | 'eur' | undefined
  /**
   * Amount of a line of one unit: -99 999 999 to 99 999 999 and not 0, in minor units of the currency. A
   * negative amount is a credit. Not together with `unit_amount` or `quantity`.
   */
  amount?: number | undefined
  /**
   * Price of one unit, in place of `amount`, in minor units of the currency. It has the limits of `amount`,
   * and so has its product with `quantity`.
   */
  unit_amount?: number | undefined
  /** Number of units, 1 to 999 999, with `unit_amount`. Default: 1. */
  quantity?: number | undefined
  /** Description of the line, at most 1000 characters. */
  description?: string | null | undefined
  /**
   * Your own key-value pairs: at most 50 keys of 1 to 40 characters without brackets, and values of at most
   * 500 characters. A key with an empty value is not stored.
   */
  metadata?: Readonly<Record<string, string>> | undefined
}

/**
 * Parameters of `invoiceItems.update`: change a line of a draft.
 *
 * @example
 * ```ts
 * const params: InvoiceItemUpdateParams = { quantity: 3, description: null, metadata: { sku: '' } }
 * ```
 */
export interface InvoiceItemUpdateParams {
  /**
   * Amount of a line of one unit: -99 999 999 to 99 999 999 and not 0, in minor units of the currency. A
   * negative amount is a credit. Not together with `unit_amount` or `quantity`.
   */
  amount?: number | undefined
  /**
   * Price of one unit, in place of `amount`, in minor units of the currency. It has the limits of `amount`,
   * and so has its product with `quantity`.
   */
  unit_amount?: number | undefined
  /** Number of units, 1 to 999 999, with `unit_amount`. Default: 1. */
  quantity?: number | undefined
  /** Description of the line, at most 1000 characters. An empty value clears it. */
  description?: string | null | undefined
  /**
   * Your own key-value pairs, merged key by key. A key that is not sent keeps its value, and an empty value
   * removes its key. An empty value in place of the map removes all. At most 50 keys of 1 to 40 characters
   * remain, with values of at most 500 characters.
   */
  metadata?: Readonly<Record<string, string>> | null | undefined
}

/**
 * Filters of `invoices.list`. All given filters must hold.
 *
 * @example
 * ```ts
 * const unpaid: InvoiceListParams = { customer: 'cus_0190b2c4dd3e7b1f9a2c48e6f05b7d91', status: 'open' }
 * ```
 */
export interface InvoiceListParams extends ListParams {
  /** Shows invoices of this customer. An unknown id matches nothing. */
  customer?: string | undefined
  /** Shows invoices in this state. */
  status?: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible' | undefined
  /**
   * Shows objects created in this Unix second, or within bounds such as `created[gte]=1767225600`. All given
   * bounds must hold.
   */
  created?: CreatedFilter | undefined
}

/**
 * Parameters of `invoices.create`: create a draft invoice.
 *
 * @example
 * ```ts
 * const params: InvoiceCreateParams = {
 *   customer: 'cus_0190b2c4dd3e7b1f9a2c48e6f05b7d91',
 *   currency: 'XAF',
 *   days_until_due: 30,
 * }
 * ```
 */
export interface InvoiceCreateParams {
  /** The id of the customer who is billed. An unknown id, and one of another merchant, is the same 400. */
  customer: string
  /** Currency of all amounts of the invoice, in upper or lower case. */
  currency: 'XAF' | 'xaf' | 'EUR' | 'eur'
  /** Your own text for the invoice, at most 1000 characters. */
  description?: string | null | undefined
  /**
   * When the invoice is due, in Unix seconds. Not together with `days_until_due`. A customer that no request
   * uses for 365 days is erased, and the invoice can then not be paid.
   */
  due_date?: number | undefined
  /** Due date in days from the request, in place of `due_date`: 0 to 365. */
  days_until_due?: number | undefined
  /** Codes of rails that the deployment enables. Default: every rail that settles in the currency. */
  payment_method_types?: readonly string[] | undefined
  /**
   * Your own key-value pairs: at most 50 keys of 1 to 40 characters without brackets, and values of at most
   * 500 characters. A key with an empty value is not stored.
   */
  metadata?: Readonly<Record<string, string>> | undefined
}

/**
 * Parameters of `invoices.update`: change a draft, or the description of an invoice.
 *
 * @example
 * ```ts
 * const params: InvoiceUpdateParams = { description: 'May, corrected', metadata: { order: '' } }
 * ```
 */
export interface InvoiceUpdateParams {
  /** Your own text for the invoice, at most 1000 characters. An empty value clears it. */
  description?: string | null | undefined
  /**
   * When the invoice is due, in Unix seconds. An empty value clears it. Not together with `days_until_due`.
   */
  due_date?: number | null | undefined
  /** Due date in days from the request, in place of `due_date`: 0 to 365. */
  days_until_due?: number | undefined
  /**
   * Codes of rails that the deployment enables. An empty value clears the list, which then means every rail
   * that settles in the currency.
   */
  payment_method_types?: readonly string[] | null | undefined
  /**
   * Your own key-value pairs, merged key by key. A key that is not sent keeps its value, and an empty value
   * removes its key. An empty value in place of the map removes all. At most 50 keys of 1 to 40 characters
   * remain, with values of at most 500 characters.
   */
  metadata?: Readonly<Record<string, string>> | null | undefined
}

/**
 * Parameters of `paymentIntents.create`: create a payment that waits for a confirm.
 *
 * @example
 * ```ts
 * const params: PaymentIntentCreateParams = {
 *   amount: 5000,
 *   currency: 'XAF',
 *   payment_method_types: ['mtn_momo_cm'],
 *   metadata: { order: '42' },
 * }
 * ```
 */
export interface PaymentIntentCreateParams {
  /** Only `false` is accepted: confirmation is a separate call. */
  confirm?: false | undefined
  /** Amount that the payer pays: 1 to 99 999 999, in minor units of the currency. */
  amount: number
  /** Currency of the amount, in upper or lower case. */
  currency: 'XAF' | 'xaf' | 'EUR' | 'eur'
  /** Codes of the rails that the payer may use: at least one, each enabled by the deployment. */
  payment_method_types: readonly string[]
  /** The id of a customer of yours. An unknown id, and one of another merchant, is the same 400. */
  customer?: string | null | undefined
  /** Your own text for this payment, at most 1000 characters. The payer’s device can read it. */
  description?: string | null | undefined
  /**
   * Your own key-value pairs: at most 50 keys of 1 to 40 characters without brackets, and values of at most
   * 500 characters. The payer’s device can read them: do not store secrets in them.
   */
  metadata?: Readonly<Record<string, string>> | undefined
}

/**
 * Parameters of `paymentIntents.cancel`: stop waiting for a payment.
 *
 * @example
 * ```ts
 * const params: PaymentIntentCancelParams = { cancellation_reason: 'requested_by_customer' }
 * ```
 */
export interface PaymentIntentCancelParams {
  /** Why you cancel. It is shown on the intent. */
  cancellation_reason?: CancellationReason | undefined
}

/**
 * Parameters of `paymentIntents.confirm`: charge the payer on a rail.
 *
 * @example
 * ```ts
 * const params: PaymentIntentConfirmParams = {
 *   payment_method_data: { mtn_momo_cm: { msisdn: '237670000001' } },
 * }
 * ```
 */
export interface PaymentIntentConfirmParams {
  /**
   * One rail of the intent’s `payment_method_types` and the payer’s instrument on it, as in
   * `payment_method_data[mtn_momo_cm][msisdn]=237670000001`. A push rail needs `msisdn`, the payer’s phone
   * number in any spelling. `payment_method_data[type]`, if sent, must name the same rail.
   */
  payment_method_data: PaymentMethodData
  /**
   * The id of the customer who pays. It is attached to an intent without a customer. Otherwise it must match
   * the intent’s customer, or the answer is a 400.
   */
  customer?: string | null | undefined
  /**
   * The address to which a redirect rail returns the payer. Required on a redirect rail: https, or http in
   * test mode, with `https://` and without spaces or backslashes, within the rail’s length limit. In live
   * mode some rails refuse an IP address and `localhost`. A push rail ignores it.
   */
  return_url?: string | null | undefined
  /** The language of the rail’s page, `fr` or `en`. Default: the rail’s own. */
  locale?: Locale | undefined
}

/**
 * Filters of `refunds.list`. All given filters must hold.
 *
 * @example
 * ```ts
 * const params: RefundListParams = { payment_intent: 'pi_0190b2c51d207e4c8f3a6b7d92e05c14', limit: 50 }
 * ```
 */
export interface RefundListParams extends ListParams {
  /** Shows refunds of this payment intent. An unknown id matches nothing. */
  payment_intent?: string | undefined
  /**
   * Shows objects created in this Unix second, or within bounds such as `created[gte]=1767225600`. All given
   * bounds must hold.
   */
  created?: CreatedFilter | undefined
}

/**
 * Parameters of `refunds.create`: refund a payment to a mobile-money account.
 *
 * @example
 * ```ts
 * const params: RefundCreateParams = {
 *   payment_intent: 'pi_0190b2c51d207e4c8f3a6b7d92e05c14',
 *   amount: 2000,
 *   reason: 'requested_by_customer',
 *   destination: { mtn_momo_cm: { msisdn: '237670000001' } },
 * }
 * ```
 */
export interface RefundCreateParams {
  /** The id of a payment intent that succeeded. */
  payment_intent: string
  /**
   * Amount to refund: 1 to 99 999 999, in minor units of the payment’s currency. Default: the unrefunded
   * rest.
   */
  amount?: number | undefined
  /** Why you refund. It is shown on the refund. */
  reason?: RefundReason | undefined
  /**
   * Your own key-value pairs: at most 50 keys of 1 to 40 characters without brackets, and values of at most
   * 500 characters. A key with an empty value is not stored.
   */
  metadata?: Readonly<Record<string, string>> | undefined
  /**
   * The rail that took the payment and the number to pay on it, as in
   * `destination[mtn_momo_cm][msisdn]=237670000001`. Required on every rail. It must be the payment’s rail,
   * or the answer is a 400.
   */
  destination: Readonly<Record<string, {
    /** The phone number to pay, in any spelling. */
    msisdn: string
  }>>
}

/**
 * Parameters of `refunds.update`: change the metadata of a refund.
 *
 * @example
 * ```ts
 * const params: RefundUpdateParams = { metadata: { ticket: '4711', draft: '' } }
 * ```
 */
export interface RefundUpdateParams {
  /**
   * Your own key-value pairs, merged key by key. A key that is not sent keeps its value, and an empty value
   * removes its key. An empty value in place of the map removes all. At most 50 keys of 1 to 40 characters
   * remain, with values of at most 500 characters.
   */
  metadata?: Readonly<Record<string, string>> | null | undefined
}
