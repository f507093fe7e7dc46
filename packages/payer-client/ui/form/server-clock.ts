import type { Fetch } from '../../src/world.ts'
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
      const atMs = Date.parse(date ?? '')
      if (!Number.isNaN(atMs)) aheadMs = atMs + HALF_A_SECOND_MS - deviceClock()
    },
  }
}

/** The payer client's `fetch`: each of its answers sets the clock, because a payer's phone may set its own at any time. */
export const observedFetch =
  ({ observe }: ServerClock): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    observe(response.headers.get('date'))
    return response
  }
