/**
 * Money is in integer minor units: XAF has none, so 1000 is 1000 francs; 1000 of EUR is 10 euros.
 *
 * @example
 * ```ts
 * const digits: Record<Currency, number> = { XAF: 0, EUR: 2 }
 * ```
 */
export type Currency = 'XAF' | 'EUR'

/**
 * There is no failed status: a refused charge leads back to `requires_payment_method`, with `last_payment_error` set.
 *
 * @example
 * ```ts
 * const isOver = (status: PaymentIntentStatus) => status === 'succeeded' || status === 'canceled'
 * ```
 */
export type PaymentIntentStatus = 'requires_payment_method' | 'processing' | 'succeeded' | 'canceled'

/**
 * Why the merchant stopped waiting.
 *
 * @example
 * ```ts
 * const reason: CancellationReason = 'requested_by_customer'
 * ```
 */
export type CancellationReason = 'duplicate' | 'fraudulent' | 'requested_by_customer' | 'abandoned'

/**
 * Why a rail refused a charge.
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
 * The refusal that returned an intent to `requires_payment_method`.
 *
 * @example
 * ```ts
 * const reason = (error: LastPaymentError) => error.message ?? error.code
 * ```
 */
export interface LastPaymentError {
  type: 'rail_error'
  code: DeclineCode
  /** The rail's own code. */
  decline_code: string | null
  /** The rail's own words. */
  message: string | null
  payment_method_type: string
}

/**
 * Where to send the payer of a redirect rail; null on a push rail, which prompts the payer's handset.
 *
 * @example
 * ```ts
 * const target = (action: NextAction | null) => action?.redirect_to_url.url
 * ```
 */
export interface NextAction {
  type: 'redirect_to_url'
  redirect_to_url: { url: string; return_url: string | null }
}

/**
 * A payment: created, confirmed against a rail, then settled by the service.
 *
 * @example
 * ```ts
 * const isPaid = (intent: PaymentIntent) => intent.status === 'succeeded'
 * ```
 */
export interface PaymentIntent {
  id: string
  object: 'payment_intent'
  amount: number
  currency: Currency
  status: PaymentIntentStatus
  payment_method_types: string[]
  customer: string | null
  description: string | null
  /** The payer's device reads it too. */
  metadata: Record<string, string>
  /** On create and retrieve only. It lets a payer's device read this intent: hand it to nobody else. */
  client_secret?: string | undefined
  next_action: NextAction | null
  last_payment_error: LastPaymentError | null
  invoice: string | null
  canceled_at: number | null
  cancellation_reason: CancellationReason | null
  /** Unix seconds. */
  created: number
  livemode: boolean
}

/**
 * A payment to be made.
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
  /** 1 to 99 999 999, in minor units. */
  amount: number
  currency: Currency | Lowercase<Currency>
  /** Codes of rails that the deployment enabled; at least one. */
  payment_method_types: readonly string[]
  customer?: string | null | undefined
  description?: string | null | undefined
  /** Whoever holds the client secret reads it: put nothing into it that the payer must not know. */
  metadata?: Readonly<Record<string, string>> | undefined
  /** Confirming is a call of its own. */
  confirm?: false | undefined
}

/**
 * How it is to be paid.
 *
 * @example
 * ```ts
 * const params: PaymentIntentConfirmParams = {
 *   payment_method_data: { mtn_momo_cm: { msisdn: '237670000001' } },
 * }
 * ```
 */
export interface PaymentIntentConfirmParams {
  /** One rail of the intent's `payment_method_types` and the payer's instrument on it; `type`, if given, names the same rail. */
  payment_method_data: Readonly<Record<string, string | Readonly<Record<string, unknown>>>>
  customer?: string | null | undefined
  /** Where a redirect rail sends the payer back to. */
  return_url?: string | null | undefined
  locale?: 'fr' | 'en' | undefined
}

/**
 * Why it is no longer waited for.
 *
 * @example
 * ```ts
 * const params: PaymentIntentCancelParams = { cancellation_reason: 'requested_by_customer' }
 * ```
 */
export interface PaymentIntentCancelParams {
  cancellation_reason?: CancellationReason | undefined
}
