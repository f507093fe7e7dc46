/** The resources that webhook bodies contain. No body contains a `client_secret`. */

/** XAF has no minor unit (1000 is 1000 francs); EUR has two digits (1000 is 10 euros). */
export type Currency = 'XAF' | 'EUR'

export type Metadata = Record<string, string>

interface Resource<Name> {
  id: string
  object: Name
  metadata: Metadata
  /** Unix seconds. */
  created: number
  livemode: boolean
}

interface Money {
  /** In integer minor units. */
  amount: number
  currency: Currency
}

/** `pi_…` */
export interface PaymentIntent extends Resource<'payment_intent'>, Money {
  status: 'requires_payment_method' | 'processing' | 'succeeded' | 'canceled'
  /** Codes of the rails that the payer may use. */
  payment_method_types: string[]
  customer: string | null
  description: string | null
  next_action: NextAction | null
  /** Why the rail refused the last charge; null once a new charge is opened. */
  last_payment_error: PaymentError | null
  invoice: string | null
  canceled_at: number | null
  cancellation_reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | 'abandoned' | null
}

export interface NextAction {
  type: 'redirect_to_url'
  redirect_to_url: { url: string; return_url: string | null }
}

export interface PaymentError {
  type: 'rail_error'
  code: DeclineCode
  /** The rail's own code. */
  decline_code: string | null
  /** The rail's message. */
  message: string | null
  payment_method_type: string
}

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

/** `re_…` */
export interface Refund extends Resource<'refund'>, Money {
  payment_intent: string
  /** `pending` means that the rail was instructed, not that money moved. */
  status: 'requires_action' | 'pending' | 'failed' | 'canceled'
  fee: null
  reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | null
  /** Null unless it has failed. */
  failure_reason: DeclineCode | 'not_supported' | 'customer_erased' | null
  destination_details: { type: string }
}

/** `cs_…` */
export interface CheckoutSession extends Resource<'checkout.session'>, Money {
  status: 'open' | 'complete' | 'expired'
  /** `paid` also on an expired session, after a late success. */
  payment_status: 'unpaid' | 'paid'
  payment_intent: string
  payment_method_types: string[]
  customer: string | null
  ui_mode: 'hosted' | 'embedded'
  /** Always null in a webhook body, for any `ui_mode`. */
  url: null
  success_url: string | null
  cancel_url: string | null
  return_url: string | null
  client_reference_id: string | null
  expires_at: number
}

/** `cus_…` */
export interface Customer extends Resource<'customer'> {
  name: string | null
  email: string | null
  /** Twelve digits with the country code, no plus sign. */
  phone: string | null
  address: Address | null
  /** Present, and true, only on an erased customer. */
  deleted?: true
}

export interface Address {
  line1: string | null
  line2: string | null
  city: string | null
  state: string | null
  postal_code: string | null
  /** Two letters, upper case. */
  country: string | null
  latitude_microdeg: number | null
  longitude_microdeg: number | null
}

/** `in_…` */
export interface Invoice extends Resource<'invoice'> {
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'
  /** Null on a draft. */
  number: string | null
  customer: string
  currency: Currency
  subtotal: number
  total: number
  amount_due: number
  amount_paid: number
  amount_remaining: number
  description: string | null
  due_date: number | null
  payment_intent: string | null
  payment_method_types: string[]
  /** Always empty in a webhook body. Read the lines from the invoice. */
  lines: { object: 'list'; url: string; has_more: false; data: [] }
  status_transitions: {
    finalized_at: number | null
    paid_at: number | null
    voided_at: number | null
    marked_uncollectible_at: number | null
  }
}
