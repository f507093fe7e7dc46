import type { Clock } from './clock.ts'

/** The API's time. Deadlines use it, because a payer's phone may be hours off. */
export interface ServerClock {
  readonly nowMs: Clock
  readonly observe: (date: string | null) => void
}

/** The header has whole seconds, so the true time is half a second later on average. */
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
