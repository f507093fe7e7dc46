import { type Clock, MINUTE_MS } from '@merchant-payments/core'

/** How often the queues are looked into while nothing happens. The first work after that waits at most this long. */
const QUIET_EVERY_MS = 1_000
/** How long after the last work nothing counts as happening. */
const QUIET_AFTER_MS = MINUTE_MS

/**
 * How long the search for due work rests between two looks: a poll's interval, and longer once a minute has passed
 * without work. Nothing is warm in the processor after a rest, so a look that finds nothing costs the most.
 */
export function createLookPace(clock: Clock, pollIntervalMs: number) {
  let quietFromMs = clock() + QUIET_AFTER_MS
  return {
    noteWork: (): void => {
      quietFromMs = clock() + QUIET_AFTER_MS
    },
    everyMs: (): number =>
      clock() < quietFromMs ? pollIntervalMs : Math.max(pollIntervalMs, QUIET_EVERY_MS),
  }
}
