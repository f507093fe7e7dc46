import { monotonicMs as machineMs } from '@merchant-payments/db'
import type { Clock } from './clock.ts'

const MEASURE_EVERY_MS = 10_000
/** A slower measurement is not used: its error may be half of it. */
const ROUND_TRIP_MAX_MS = 250
/** Of the first measurements, which have nothing to fall back on, the quickest is used. */
const FIRST_SAMPLES = 3
/** A larger correction is made at once, backwards too: holding the clock that long would do more harm. */
const STEP_MIN_MS = 1_000

export interface DatabaseClockOptions {
  /** Shown until the first measurement. */
  readonly systemClock: Clock
  /** Never set, forwards or back. Tests have one of their own. */
  readonly monotonicMs?: () => number
  /** The clock was off by this much, and has been set. */
  readonly onStep: (byMs: number) => void
  /** The clock goes on as it was. */
  readonly onFailure: (error: unknown) => void
}

export interface DatabaseClock {
  readonly clock: Clock
  /**
   * Measures, and goes on measuring until stopped.
   *
   * @throws what `readMs` throws at first: a process does not start on a time that it guesses
   */
  start(readMs: () => Promise<number>): Promise<void>
  stop(): void
}

interface Sample {
  readonly offsetMs: number
  readonly roundTripMs: number
}

/**
 * The database's time, as told by this machine's monotonic clock and its distance to the database's. Leases, turns and due
 * instants are compared between replicas, so they need one time; a machine's own clock may be minutes off.
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
    // A small correction backwards holds it until it has caught up.
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
