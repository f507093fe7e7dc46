/** How soon to read the session again. While a payment is followed, the payer client polls instead. */
export type Pace = 'soon' | 'watch' | 'slow' | 'never'

/**
 * A refused or pending payment may still succeed. With the jitter and a slow answer, a payer sees that within
 * ten seconds.
 */
const WATCH_MS = 7_500
/** Nothing was tried yet, and a merchant may cancel. */
const SLOW_MS = 30_000

/** One hour without any input. */
const READS_MAX = { watch: 480, slow: 120 } as const

const FAILED_MS = 1_000
const FAILED_MS_MAX = 30_000

/** The delay before the next read, or null for none. `failures` counts those since the last answer. */
export function delayMsOf(pace: Pace, reads: number, failures: number): number | null {
  if (pace === 'never') return null
  if (failures > 0) return Math.min(FAILED_MS * 2 ** failures, FAILED_MS_MAX)
  if (pace === 'soon') return FAILED_MS
  if (reads >= READS_MAX[pace]) return null
  return pace === 'watch' ? WATCH_MS : SLOW_MS
}

const JITTER = 0.2

/** Spreads the reads of phones that lost the network at the same time. `chance` is from 0 to 1. */
export const jittered = (delayMs: number, chance: number): number =>
  Math.round(delayMs * (1 - JITTER + 2 * JITTER * chance))
