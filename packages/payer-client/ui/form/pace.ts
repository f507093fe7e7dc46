/**
 * How soon to read the session again. While a payment is followed, the payer client polls instead. few: no such session
 * was found, which a proxy may have answered.
 */
export type Pace = 'soon' | 'few' | 'watch' | 'slow' | 'never'

const FAILED_MS = 1_000
const FAILED_MS_MAX = 30_000

/**
 * Watched: a refused or pending payment, which may still succeed. With the jitter and a slow answer, a payer sees that
 * within ten seconds. Slow: nothing was tried yet, and a merchant may cancel.
 */
const DELAY_MS = { soon: FAILED_MS, few: FAILED_MS, watch: 7_500, slow: 30_000, never: 0 } as const

/** One hour without any input, for a payment that is watched or slow. */
const READS_MAX = { soon: Number.POSITIVE_INFINITY, few: 4, watch: 480, slow: 120, never: 0 } as const

/** The delay before the next read, or null for none. `failures` counts those since the last answer. */
export function delayMsOf(pace: Pace, reads: number, failures: number): number | null {
  if (reads >= READS_MAX[pace]) return null
  return failures > 0 ? Math.min(FAILED_MS * 2 ** failures, FAILED_MS_MAX) : DELAY_MS[pace]
}

const JITTER = 0.2

/** Spreads the reads of phones that lost the network at the same time. `chance` is from 0 to 1. */
export const jittered = (delayMs: number, chance: number): number =>
  Math.round(delayMs * (1 - JITTER + 2 * JITTER * chance))
