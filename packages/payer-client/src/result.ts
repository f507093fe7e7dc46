import type { BrowserIntent, DeclineCode } from './wire.ts'

/**
 * Why there was no usable answer: no connection or a time-out (`network`), a fault of the service or its rail
 * (`server`), or an answer that is not the service's (`protocol`). `server` is also a charge of this or another
 * device that ended without a result: the payment can be tried again.
 *
 * @example
 * ```ts
 * const hint: Record<Trouble, string> = { network: 'Check your connection', server: 'Wait a moment', protocol: 'Wait a moment' }
 * ```
 */
export type Trouble = 'network' | 'server' | 'protocol'

/**
 * Why the service refuses a payment in its present state. `too_many_attempts`: payers have used all attempts
 * at this payment. One of those attempts may still succeed late. Another attempt needs a new payment from the
 * shop.
 *
 * @example
 * ```ts
 * const words: Record<Conflict, string> = { conflict: 'Start again from the shop', too_many_attempts: 'Ask the shop for a new link' }
 * ```
 */
export type Conflict = 'conflict' | 'too_many_attempts'

/**
 * How a payment ended, as far as this device can know (spec 4.6). Fulfil an order from the merchant's
 * webhook, never from this result.
 *
 * - `succeeded`: the service reports the payment as paid.
 * - `failed`: the rail refused. The payer may try again; a late success is still possible, see `watch`.
 * - `canceled`: the merchant canceled the payment.
 * - `pending`: the time is over and the charge is still open. Not an error: call `resume` to continue.
 * - `unresolved`: the outcome is unknown or, for a {@link Conflict}, the service refuses the payment in its
 * present state. This call moved no money; calling `pay` again cannot charge twice.
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
  | {
      /** How the payment ended, or that its charge is still open. */
      readonly outcome: 'succeeded' | 'canceled' | 'pending'
      /** As last read. */
      readonly intent: BrowserIntent
    }
  | {
      /** The rail refused. */
      readonly outcome: 'failed'
      /** As last read. */
      readonly intent: BrowserIntent
      /** Why the rail refused: show the payer the sentence of this code. */
      readonly code: DeclineCode
      /** The rail's message. */
      readonly message: string | null
    }
  | {
      /** This device cannot know, or the service refuses. */
      readonly outcome: 'unresolved'
      /** What kept it from knowing. */
      readonly reason: Trouble | Conflict | 'not_found' | 'aborted'
      /** As last read. */
      readonly intent: BrowserIntent | null
    }

/**
 * The progress of a payment under way.
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
  /** Why the last request failed; null if it did not. */
  readonly trouble: Trouble | null
  /** The end of the payer's time to approve, in milliseconds of this device's clock, for a countdown. */
  readonly approveByMs: number | null
}
