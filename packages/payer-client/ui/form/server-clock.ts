import type { Fetch } from '../../src/world.ts'
import type { Clock } from './clock.ts'

/** The API's time. Deadlines use it, because a payer's phone may be hours off. */
export interface ServerClock {
  readonly nowMs: Clock
  readonly observe: (date: string | null) => void
}

/** The header has whole seconds, so the true time is half a second later on average. */
const HALF_A_SECOND_MS = 500
/** A smaller difference comes from the header's seconds and the network. To follow it would set a countdown back. */
const SET_FROM_MS = 2_000

export function serverClockOf(deviceClock: Clock): ServerClock {
  let aheadMs = 0
  return {
    nowMs: () => deviceClock() + aheadMs,
    observe: (date) => {
      const atMs = Date.parse(date ?? '')
      const seenMs = atMs + HALF_A_SECOND_MS - deviceClock()
      if (Math.abs(seenMs - aheadMs) >= SET_FROM_MS) aheadMs = seenMs
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
