import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/clock.ts'

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
