import type { Clock } from '@merchant-payments/core'

export interface Pace {
  readonly perSecond: number
  /** Calls that pass at once before any has to wait. */
  readonly burst: number
  readonly waitMaxMs: number
}

/**
 * Spreads calls over time in order of arrival (the generic cell rate algorithm).
 *
 * @returns the wait of a call in ms; null if it would exceed waitMaxMs
 */
export function paceOf({ perSecond, burst, waitMaxMs }: Pace, clock: Clock): () => number | null {
  const everyMs = 1_000 / perSecond
  let paidUntilMs = 0
  return () => {
    const nowMs = clock()
    // A debt this large means that the clock was set back. It is dropped, so no call waits for it.
    const fromMs = paidUntilMs > nowMs + waitMaxMs + burst * everyMs ? nowMs : Math.max(paidUntilMs, nowMs)
    const waitMs = Math.max(0, fromMs - nowMs - (burst - 1) * everyMs)
    if (waitMs > waitMaxMs) return null
    paidUntilMs = fromMs + everyMs
    return waitMs
  }
}
