const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Spec 6.3.5: the delays between the eight POSTs. The tuple's type allows no ninth. */
const delaysMs: readonly [number, number, number, number, number, number, number] = [
  10 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  24 * HOUR_MS,
]

/** Spec 8: webhook attempts. */
export const ATTEMPTS_MAX = delaysMs.length + 1

/** Null once the ladder is spent. */
export const delayAfterMs = (attempts: number): number | null => delaysMs[attempts - 1] ?? null
