// The dashboard reads this file, so it imports nothing: no schema comes with it.
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Spec 6.3.5: the delays between the eight POSTs. The tuple's type allows no ninth. */
export const deliveryDelaysMs: readonly [number, number, number, number, number, number, number] = [
  10_000,
  30_000,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  24 * HOUR_MS,
]

/**
 * How long before the present a recovery begins by default: it finds what was exhausted in the last 24 hours, because each
 * such delivery was created a whole ladder earlier.
 */
export const RECOVERY_MS = deliveryDelaysMs.reduce((sum, delayMs) => sum + delayMs, 0) + 24 * HOUR_MS
