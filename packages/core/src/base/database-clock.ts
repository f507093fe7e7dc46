import { monotonicMs as machineMs } from '@merchant-payments/db'
import type { Clock } from './clock.ts'

const MEASURE_EVERY_MS = 10_000
/** Slower measurements are discarded: their error may be half the round trip. */
const ROUND_TRIP_MAX_MS = 250
/** At startup there is no earlier offset to keep, so the quickest of these samples is used, however slow. */
const FIRST_SAMPLES = 3
/** A larger correction is applied at once, even backwards: holding the clock still that long would do more harm. */
const STEP_MIN_MS = 1_000

interface DatabaseClockOptions {
  readonly systemClock: Clock
  readonly monotonicMs?: () => number
  readonly onStep: (byMs: number) => void
  readonly onFailure: (error: unknown) => void
}

export interface DatabaseClock {
  readonly clock: Clock
  /**
   * Measures now, then every ten seconds.
   *
   * @throws what the first `readMs` throws: a process must not start on a guessed time
   */
  start(readMs: () => Promise<number>): Promise<void>
  stop(): void
}

interface Sample {
  readonly offsetMs: number
  readonly roundTripMs: number
}

/**
 * The database's time: the machine's monotonic clock plus a measured offset. Replicas compare leases, turns and due
 * times, so they need one time, and a machine's own clock may be minutes off.
 */
export function createDatabaseClock(options: DatabaseClockOptions): DatabaseClock {
  const { systemClock, monotonicMs = machineMs, onStep, onFailure } = options
  let offsetMs = systemClock() - monotonicMs()
  let shownMs = -Infinity
  let timer: NodeJS.Timeout | undefined

  async function sample(readMs: () => Promise<number>): Promise<Sample> {
    const sentMs = monotonicMs()
    const databaseMs = await readMs()
    const heardMs = monotonicMs()
    return { roundTripMs: heardMs - sentMs, offsetMs: databaseMs - (sentMs + heardMs) / 2 }
  }

  function adopt(measured: Sample): void {
    const byMs = measured.offsetMs - offsetMs
    ;({ offsetMs } = measured)
    if (Math.abs(byMs) <= STEP_MIN_MS) return
    shownMs = -Infinity
    onStep(Math.round(byMs))
  }

  async function measure(readMs: () => Promise<number>): Promise<void> {
    try {
      const measured = await sample(readMs)
      if (timer !== undefined && measured.roundTripMs <= ROUND_TRIP_MAX_MS) adopt(measured)
    } catch (error) {
      if (timer !== undefined) onFailure(error)
    }
  }

  return {
    // A small correction backwards holds the clock still until the time has caught up.
    clock: () => (shownMs = Math.max(shownMs, Math.floor(monotonicMs() + offsetMs))),
    start: async (readMs) => {
      let best = await sample(readMs)
      for (let n = 1; n < FIRST_SAMPLES && best.roundTripMs > ROUND_TRIP_MAX_MS; n += 1) {
        const next = await sample(readMs)
        if (next.roundTripMs < best.roundTripMs) best = next
      }
      adopt(best)
      let measuring = false
      timer = setInterval(() => {
        if (measuring) return
        measuring = true
        void measure(readMs).finally(() => (measuring = false))
      }, MEASURE_EVERY_MS).unref()
    },
    stop: () => {
      clearInterval(timer)
      timer = undefined
    },
  }
}
