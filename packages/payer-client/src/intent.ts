/**
 * Amounts are in integer minor units. XAF has none, so 1000 is 1000 francs; 1000 of EUR is 10 euros.
 *
 * @example
 * ```ts
 * const digits: Record<Currency, number> = { XAF: 0, EUR: 2 }
 * ```
 */
export type Currency = 'XAF' | 'EUR'

/**
 * Why a rail refused a charge.
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

/**
 * The payment as its payer sees it, spelled as on the wire. It includes the merchant's `metadata`.
 *
 * @example
 * ```ts
 * const isUnderWay = (intent: BrowserIntent) => intent.status === 'processing' || intent.live_charge !== null
 * ```
 */
export interface BrowserIntent {
  id: string
  object: 'payment_intent'
  amount: number
  currency: Currency
  status: 'requires_payment_method' | 'processing' | 'succeeded' | 'canceled'
  payment_method_types: string[]
  customer: string | null
  description: string | null
  /** The data that the merchant's server stored with the payment. */
  metadata: Record<string, string>
  /** The page to which a redirect rail sends the payer; null on a push rail, which prompts the payer's handset. */
  next_action: {
    type: 'redirect_to_url'
    redirect_to_url: { url: string; return_url: string | null }
  } | null
  /** The refusal that returned the intent to `requires_payment_method`. */
  last_payment_error: {
    type: 'rail_error'
    code: DeclineCode
    /** The rail's own code. */
    decline_code: string | null
    /** The rail's message. Show it as text, never as markup. */
    message: string | null
    payment_method_type: string
  } | null
  invoice: string | null
  canceled_at: number | null
  cancellation_reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | 'abandoned' | null
  /** Unix seconds. */
  created: number
  livemode: boolean
  /** The charge under way, whose outcome is open. */
  live_charge: {
    payment_method_type: string
    /** The end of the payer's time to approve, in Unix seconds. */
    approve_by: number
  } | null
  /** The charge that paid, for a receipt. */
  succeeded_charge: {
    payment_method_type: string
    /** When the rail's confirmation reached the service, in Unix seconds. */
    succeeded_at: number
  } | null
}

const statuses: BrowserIntent['status'][] = ['requires_payment_method', 'processing', 'succeeded', 'canceled']

/**
 * Returns null if the body is not this intent, such as the login page of a hotel's network. Such a body must
 * not decide anything.
 */
export function parseIntent(body: unknown, id: string): BrowserIntent | null {
  const intent = body as BrowserIntent | null
  return intent?.id === id &&
    intent.object === 'payment_intent' &&
    statuses.includes(intent.status) &&
    isRecordOrNull(intent.last_payment_error) &&
    isRecordOrNull(intent.live_charge) &&
    (intent.next_action === null || isWebAddress(intent.next_action?.redirect_to_url?.url))
    ? intent
    : null
}

const isRecordOrNull = (value: unknown): boolean => typeof value === 'object'

/** The payer is sent to this URL, so `javascript:` must not pass. */
const isWebAddress = (url: unknown): boolean => typeof url === 'string' && /^https?:\/\//i.test(url)
