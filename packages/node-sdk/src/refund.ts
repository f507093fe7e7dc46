import type { CreatedFilter, ListParams } from './list.ts'
import type { Currency, DeclineCode } from './payment-intent.ts'

/**
 * A refund is `pending` once it is written and its rail instructed; nothing settles it here. `failed` means that the rail
 * refused: what it held of the payment intent can be refunded anew.
 *
 * @example
 * ```ts
 * const isUnderWay = (status: RefundStatus) => status === 'pending'
 * ```
 */
export type RefundStatus = 'requires_action' | 'pending' | 'failed' | 'canceled'

/**
 * Why the merchant pays back.
 *
 * @example
 * ```ts
 * const reason: RefundReason = 'requested_by_customer'
 * ```
 */
export type RefundReason = 'duplicate' | 'fraudulent' | 'requested_by_customer'

/**
 * Why no money will move.
 *
 * @example
 * ```ts
 * const isOurs = (failure: RefundFailure) => failure === 'rail_misconfigured'
 * ```
 */
export type RefundFailure = DeclineCode | 'not_supported' | 'customer_erased'

/**
 * Money promised back to a payer.
 *
 * @example
 * ```ts
 * const describe = (refund: Refund) => `${refund.amount} ${refund.currency} of ${refund.payment_intent}: ${refund.status}`
 * ```
 */
export interface Refund {
  id: string
  object: 'refund'
  /** In minor units. */
  amount: number
  currency: Currency
  payment_intent: string
  status: RefundStatus
  /** Always null, which is not 0. */
  fee: null
  reason: RefundReason | null
  /** Null unless it has failed. */
  failure_reason: RefundFailure | null
  /** The rail that pays; the number that is paid is never shown. */
  destination_details: { type: string }
  metadata: Record<string, string>
  /** Unix seconds. */
  created: number
  livemode: boolean
}

/**
 * A refund to be made.
 *
 * @example
 * ```ts
 * const params: RefundCreateParams = {
 *   payment_intent: 'pi_0190b2c4e8f97d3ab6c51e2f40718293',
 *   amount: 2000,
 *   reason: 'requested_by_customer',
 *   destination: { mtn_momo_cm: { msisdn: '237670000001' } },
 * }
 * ```
 */
export interface RefundCreateParams {
  /** A payment that succeeded. */
  payment_intent: string
  /** In minor units. Default: all that is left of the payment. */
  amount?: number | undefined
  reason?: RefundReason | undefined
  metadata?: Readonly<Record<string, string>> | undefined
  /** The rail that took the payment, and the number to pay on it. */
  destination: Readonly<Record<string, Readonly<{ msisdn: string }>>>
}

/**
 * What can be changed of a refund.
 *
 * @example
 * ```ts
 * const params: RefundUpdateParams = { metadata: { ticket: '4711', draft: '' } }
 * ```
 */
export interface RefundUpdateParams {
  /** Merged key by key; an empty value removes its key. */
  metadata?: Readonly<Record<string, string>> | undefined
}

/**
 * Which refunds to list.
 *
 * @example
 * ```ts
 * const params: RefundListParams = { payment_intent: 'pi_0190b2c4e8f97d3ab6c51e2f40718293', limit: 50 }
 * ```
 */
export interface RefundListParams extends ListParams {
  payment_intent?: string | undefined
  created?: CreatedFilter | undefined
}
