import type { Clock } from './clock.ts'

/** The API's time: a payer's phone may be hours off, and deadlines are the API's. */
export interface ServerClock {
  readonly nowMs: Clock
  /** Takes the Date header of an answer; null tells nothing. */
  readonly observe: (date: string | null) => void
}

/** The header cuts its second off. */
const HALF_A_SECOND_MS = 500

export function serverClockOf(deviceClock: Clock): ServerClock {
  let aheadMs = 0
  return {
    nowMs: () => deviceClock() + aheadMs,
    observe: (date) => {
      const atMs = date === null ? Number.NaN : Date.parse(date)
      if (!Number.isNaN(atMs)) aheadMs = atMs + HALF_A_SECOND_MS - deviceClock()
    },
  }
}
