import type { CreatedFilter, ListParams } from './list.ts'
import type { Currency } from './payment-intent.ts'

/**
 * `open` until it ends: `complete` once its intent is paid, `expired` by its time or by you.
 *
 * @example
 * ```ts
 * const canBePaid = (status: CheckoutSessionStatus) => status === 'open'
 * ```
 */
export type CheckoutSessionStatus = 'open' | 'complete' | 'expired'

/**
 * Whether its intent is paid. A late success makes an expired session `paid`.
 *
 * @example
 * ```ts
 * const isSettled = (status: CheckoutPaymentStatus) => status === 'paid'
 * ```
 */
export type CheckoutPaymentStatus = 'unpaid' | 'paid'

/**
 * A page of the service, or a part of your own.
 *
 * @example
 * ```ts
 * const mode: CheckoutUiMode = 'hosted'
 * ```
 */
export type CheckoutUiMode = 'hosted' | 'embedded'

/**
 * A payment that a payer makes on a page. It belongs to one payment intent, whose events tell the outcome.
 *
 * @example
 * ```ts
 * const pageOf = (session: CheckoutSession) => (session.ui_mode === 'hosted' ? session.url : null)
 * ```
 */
export interface CheckoutSession {
  id: string
  object: 'checkout.session'
  status: CheckoutSessionStatus
  payment_status: CheckoutPaymentStatus
  payment_intent: string
  /** In integer minor units. */
  amount: number
  currency: Currency
  payment_method_types: string[]
  customer: string | null
  ui_mode: CheckoutUiMode
  /** The page to send the payer to, while a hosted session is open. Its fragment holds the secret: do not log it. */
  url: string | null
  /** On create and retrieve only. It lets a payer's device read and confirm this session's intent. */
  client_secret?: string | undefined
  success_url: string | null
  cancel_url: string | null
  return_url: string | null
  client_reference_id: string | null
  metadata: Record<string, string>
  /** Unix seconds. */
  expires_at: number
  /** Unix seconds. */
  created: number
  livemode: boolean
}

/**
 * A session to be made: of `amount`, `currency` and `payment_method_types`, or for a `payment_intent` of yours.
 *
 * @example
 * ```ts
 * const params: CheckoutSessionCreateParams = {
 *   amount: 5000,
 *   currency: 'XAF',
 *   payment_method_types: ['mtn_momo_cm'],
 *   success_url: 'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}',
 *   metadata: { order: '42' },
 * }
 * ```
 */
export interface CheckoutSessionCreateParams {
  /** An intent of yours that waits for a payment method and never had a session. What is said of it besides must agree. */
  payment_intent?: string | null | undefined
  /** 1 to 99 999 999, in minor units. */
  amount?: number | undefined
  currency?: Currency | Lowercase<Currency> | undefined
  /** Codes of rails that the deployment enabled. */
  payment_method_types?: readonly string[] | undefined
  description?: string | null | undefined
  customer?: string | null | undefined
  /** Default: `hosted`. */
  ui_mode?: CheckoutUiMode | 'hosted_page' | 'embedded_page' | undefined
  /** Where the hosted page sends a payer who has paid; required there. `{CHECKOUT_SESSION_ID}` becomes the id. */
  success_url?: string | null | undefined
  /** Where the hosted page sends a payer who gives up. */
  cancel_url?: string | null | undefined
  return_url?: string | null | undefined
  /** Your own word for it, such as an order's number. At most 200 characters. */
  client_reference_id?: string | null | undefined
  /** Unix seconds, 30 minutes to 24 hours ahead. Default: 24 hours. */
  expires_at?: number | undefined
  /** The language of the page. Default: the payer's. */
  locale?: 'fr' | 'en' | undefined
  /** Also of the intent, where the session makes it: the payer's device then reads it. */
  metadata?: Readonly<Record<string, string>> | undefined
}

/**
 * Which sessions to list: those that all of these choose.
 *
 * @example
 * ```ts
 * const params: CheckoutSessionListParams = { status: 'open', created: { gte: 1767225600 }, limit: 50 }
 * ```
 */
export interface CheckoutSessionListParams extends ListParams {
  /** The one session of this payment, if it has one. */
  payment_intent?: string | undefined
  customer?: string | undefined
  /** Past its `expires_at` a session stays `open` until the hourly sweep. */
  status?: CheckoutSessionStatus | undefined
  created?: CreatedFilter | undefined
}
