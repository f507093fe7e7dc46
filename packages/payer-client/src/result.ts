import type { BrowserIntent, DeclineCode } from './intent.ts'

/**
 * Why the service could not be heard: no connection or time-out, a fault of the service or its rail, or an answer that is
 * not the service's.
 *
 * @example
 * ```ts
 * const hint: Record<Trouble, string> = { network: 'Check your connection', server: 'Wait a moment', protocol: 'Wait a moment' }
 * ```
 */
export type Trouble = 'network' | 'server' | 'protocol'

/**
 * Why the service will not take a payment as it stands. `too_many_attempts`: payers have tried this payment as often as
 * they may. A late success of one of those tries is still possible; to try once more takes a new payment from the shop.
 *
 * @example
 * ```ts
 * const words: Record<Conflict, string> = { conflict: 'Start again from the shop', too_many_attempts: 'Ask the shop for a new link' }
 * ```
 */
export type Conflict = 'conflict' | 'too_many_attempts'

/**
 * How a payment ended, as far as this device can know (spec 4.6). Fulfil an order from the merchant's webhook, never from here.
 *
 * - `succeeded`: the service says that it is paid.
 * - `failed`: the rail refused. The payer may try again; a late success is still possible, see `watch`.
 * - `canceled`: the merchant gave the payment up.
 * - `pending`: the time is spent and the charge still moves. Not an error: call `resume` to look on.
 * - `unresolved`: it could not be found out, or, for a {@link Conflict}, the service will not take this payment as it stands. No
 *   money was moved from here; calling `pay` again cannot charge twice.
 *
 * @example
 * ```ts
 * function words(result: PaymentResult): string {
 *   switch (result.outcome) {
 *     case 'succeeded': return 'Paid'
 *     case 'failed': return `Refused: ${result.code}`
 *     case 'canceled': return 'Canceled by the shop'
 *     case 'pending': return 'Not answered yet: do not pay again'
 *     case 'unresolved': return 'We could not find out'
 *   }
 * }
 * ```
 */
export type PaymentResult =
  | { readonly outcome: 'succeeded' | 'canceled' | 'pending'; readonly intent: BrowserIntent }
  | {
      readonly outcome: 'failed'
      readonly intent: BrowserIntent
      readonly code: DeclineCode
      /** The rail's own words. */
      readonly message: string | null
    }
  | {
      readonly outcome: 'unresolved'
      readonly reason: Trouble | Conflict | 'not_found' | 'aborted'
      /** As last read. */
      readonly intent: BrowserIntent | null
    }

/**
 * Where a payment under way stands.
 *
 * @example
 * ```ts
 * const onProgress = ({ phase, trouble }: PaymentProgress) => {
 *   status.textContent = trouble === 'network' ? 'You are offline' : phase === 'waiting' ? 'Confirm on your phone' : '…'
 * }
 * ```
 */
export interface PaymentProgress {
  /** `waiting`: a charge is under way, and the payer has to approve it. */
  readonly phase: 'checking' | 'sending' | 'waiting'
  /** As last read. */
  readonly intent: BrowserIntent | null
  /** Why the last try to hear from the service failed. */
  readonly trouble: Trouble | null
  /** When the payer's time to approve ends, in milliseconds by this device's clock; for a countdown. */
  readonly approveByMs: number | null
}
