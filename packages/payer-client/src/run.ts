import type { Attempt, Attempts } from './attempts.ts'
import type { BrowserIntent } from './intent.ts'
import type { PaymentOrder } from './order.ts'
import type { Reads } from './reads.ts'
import type { Conflict, PaymentProgress, PaymentResult, Trouble } from './result.ts'
import type { Settings } from './settings.ts'
import type { Signal } from './world.ts'

/** A prompt must not appear on a handset long after its payer asked for it. */
export const SEND_WITHIN_MS = 60_000

/** A read may be served by a replica that has not caught up. */
export const STALE_READS_MAX = 3

export interface PaymentDeps extends Settings {
  readonly reads: Reads
  readonly attempts: Attempts
  readonly nudges: Set<() => void>
}

/**
 * How long to follow a payment, and who is told of it.
 *
 * @example
 * ```ts
 * const options: FollowOptions = { signal: controller.signal, onProgress: ({ phase }) => show(phase) }
 * ```
 */
export interface FollowOptions {
  /** In milliseconds, up to a day. */
  readonly budgetMs?: number | undefined
  /** Stops looking. The result is then `unresolved`, and the payment itself goes on. */
  readonly signal?: Signal | undefined
  /** Told after each request. What it throws is ignored. */
  readonly onProgress?: ((progress: PaymentProgress) => void) | undefined
}

/** One call of `pay` or `resume` under way, and what it has seen. */
export interface Run extends PaymentDeps, FollowOptions {
  /** Null where it only looks. */
  readonly order: PaymentOrder | null
  readonly body: string
  readonly startedMs: number
  intent: BrowserIntent | null
  attempt: Attempt | null
  approveByMs: number | null
  /** Of the last request, if it failed. */
  trouble: Trouble | null
  sendTrouble: Trouble
  /** Of an attempt that was refused. */
  conflict: Conflict
  sawCharge: boolean
  isRedirected: boolean
  /** Failed reads in a row. */
  failures: number
  missing: number
  /** Reads that showed nothing of what was accepted. */
  idleReads: number
  /** Sends that may or may not have arrived. */
  tries: number
}

export const unresolved = (
  { intent }: Run,
  reason: (PaymentResult & { outcome: 'unresolved' })['reason'],
): PaymentResult => ({ outcome: 'unresolved', reason, intent })

export function tell(run: Run, phase: PaymentProgress['phase']): void {
  const { onProgress, intent, trouble, approveByMs } = run
  try {
    onProgress?.({ phase, intent, trouble, approveByMs })
  } catch {
    // An observer must not lose the outcome of a payment.
  }
}
