import type { Clock } from '../src/index.ts'

const T0 = 1_795_000_000_000

/** More steps than any payment takes. Only a loop that does not wait reaches it. */
const STEPS_MAX = 5_000

/** A clock that only the test moves. */
export interface FakeClock extends Clock {
  /** Moves time from timer to timer until the work is done. Fails if no timer is left. */
  settle<T>(work: Promise<T>): Promise<T>
  /** Moves time by this much, and runs everything that is due. */
  advance(ms: number): Promise<void>
  /** The number of timers that are set. */
  pending(): number
}

/** The device's own clock, which somebody sets. Its timers run on. */
export function deviceClock(clock: Clock): { readonly clock: Clock; readonly set: (byMs: number) => void } {
  let aheadMs = 0
  return {
    clock: { ...clock, now: () => clock.now() + aheadMs },
    set: (byMs) => {
      aheadMs += byMs
    },
  }
}

interface Timer {
  readonly atMs: number
  readonly run: () => void
}

export function fakeClock(): FakeClock {
  let nowMs = T0
  const timers = new Set<Timer>()
  // Runs all pending microtasks, and those that they queue.
  const rest = () => new Promise<void>((resolve) => void setImmediate(resolve))

  const next = () =>
    [...timers].reduce<Timer | undefined>((a, b) => (a && a.atMs <= b.atMs ? a : b), undefined)
  const fire = (timer: Timer) => {
    timers.delete(timer)
    nowMs = Math.max(nowMs, timer.atMs)
    timer.run()
  }

  return {
    now: () => nowMs,
    setTimeout: (run, delayMs) => {
      // Node warns of such a timer.
      if (delayMs < 0) throw new RangeError('a timer has a delay of at least 0')
      const timer = { atMs: nowMs + delayMs, run }
      timers.add(timer)
      return timer
    },
    clearTimeout: (timer) => void timers.delete(timer as Timer),
    pending: () => timers.size,
    async settle(work) {
      const state = { isDone: false }
      void Promise.allSettled([work]).then(() => {
        state.isDone = true
      })
      await rest()
      for (let step = 0; !state.isDone; step += 1) {
        const timer = next()
        if (timer === undefined) throw new Error('nothing is left to wait for')
        if (step === STEPS_MAX) throw new Error('it does not end')
        fire(timer)
        await rest()
      }
      return work
    },
    async advance(ms) {
      const untilMs = nowMs + ms
      await rest()
      for (let timer = next(); timer !== undefined && timer.atMs <= untilMs; timer = next()) {
        fire(timer)
        await rest()
      }
      nowMs = untilMs
    },
  }
}
