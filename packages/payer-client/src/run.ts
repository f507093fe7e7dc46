import type { Attempt, Attempts } from './attempts.ts'
import type { PaymentOrder } from './order.ts'
import type { Reads } from './reads.ts'
import type { Conflict, PaymentProgress, PaymentResult, Trouble } from './result.ts'
import type { Settings } from './settings.ts'
import type { BrowserIntent } from './wire.ts'
import type { Signal } from './world.ts'

/** An order is sent within this time, so that no prompt appears long after the payer asked for it. */
export const SEND_WITHIN_MS = 60_000

/** This many reads in a row decide that nothing is there, because a replica may lag behind. */
export const STALE_READS_MAX = 3

export interface PaymentDeps extends Settings {
  readonly reads: Reads
  readonly attempts: Attempts
  readonly nudges: Set<() => void>
}

/**
 * How long to follow a payment, and an observer of it.
 *
 * @example
 * ```ts
 * const options: FollowOptions = { signal: controller.signal, onProgress: ({ phase }) => show(phase) }
 * ```
 */
export interface FollowOptions {
  /** In milliseconds, up to a day. A request under way ends with it. 0 is one read. */
  readonly budgetMs?: number | undefined
  /** Stops following. The result is then `unresolved`; the payment itself continues. */
  readonly signal?: Signal | undefined
  /** Called after each request. Errors that it throws or rejects with are ignored. */
  readonly onProgress?: ((progress: PaymentProgress) => void) | undefined
}

/** Why the service refused an attempt. After `server` a later attempt may be accepted. */
export type Why = Conflict | 'server'

/** One running call of `pay` or `resume`, and what it has read. */
export interface Run extends PaymentDeps, FollowOptions {
  /** Null if the call only reads. */
  readonly order: PaymentOrder | null
  readonly body: string
  readonly elapsedMs: () => number
  /** The rest of the caller's budget, below zero after it. */
  readonly leftMs: () => number
  intent: BrowserIntent | null
  attempt: Attempt | null
  approveByMs: number | null
  /** How far the service's clock was ahead of this device's at the last read. */
  skewMs: number
  /** The longest time to follow, by this device's clock. */
  mostMs: number
  /** The trouble of the last request; null if it succeeded. */
  trouble: Trouble | null
  sendTrouble: Trouble
  refusedFor: Why
  sawCharge: boolean
  isRedirected: boolean
  /** Failed reads in a row. */
  failures: number
  missing: number
  /** Reads after an acceptance that showed nothing of it. */
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
  notify(onProgress, { phase, intent, trouble, approveByMs })
}

/** Calls an observer. Its errors and rejections are ignored, so that they cannot lose the outcome of a payment. */
export function notify<T>(observer: ((value: T) => void) | undefined, value: T): void {
  // The async function turns an error into a rejection.
  ;(async () => observer?.(value))().catch(() => undefined)
}
