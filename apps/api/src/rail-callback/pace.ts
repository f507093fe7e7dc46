import type { Clock } from '@merchant-payments/core'

export interface Pace {
  readonly perSecond: number
  /** Calls that may come at once before any has to wait. */
  readonly burst: number
  readonly waitMsMax: number
}

/**
 * Spreads calls over time, in the order in which they come (the generic cell rate algorithm).
 *
 * @returns how many milliseconds a call must wait; null where that would be too long
 */
export function paceOf({ perSecond, burst, waitMsMax }: Pace, clock: Clock): () => number | null {
  const everyMs = 1_000 / perSecond
  let paidUntilMs = 0
  return () => {
    const nowMs = clock()
    // A clock that was set back makes nobody wait for what it says.
    const fromMs = paidUntilMs > nowMs + waitMsMax + burst * everyMs ? nowMs : Math.max(paidUntilMs, nowMs)
    const waitMs = Math.max(0, fromMs - nowMs - (burst - 1) * everyMs)
    if (waitMs > waitMsMax) return null
    paidUntilMs = fromMs + everyMs
    return waitMs
  }
}
