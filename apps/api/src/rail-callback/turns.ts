import { setTimeout as delay } from 'node:timers/promises'

interface Refusals {
  readonly delayMs: number
  /** A further refusal is sent at once. */
  readonly delayedMax: number
}

/**
 * Makes each call wait as long as the pace says. Refusals wait too, because the sender of a flood would repeat them at once.
 * A call that waits keeps its connection, so their number is bounded.
 *
 * @param pace the wait of a call in ms; null if it is refused
 * @returns a function that waits for the turn of a call, and returns whether it has one
 */
export function turnsOf(
  pace: () => number | null,
  { delayMs, delayedMax }: Refusals,
  wait: (ms: number) => Promise<unknown> = delay,
): () => Promise<boolean> {
  let delayed = 0
  return async () => {
    const waitMs = pace()
    if (waitMs === 0) return true
    if (waitMs !== null) {
      await wait(waitMs)
      return true
    }
    if (delayed >= delayedMax) return false
    delayed += 1
    await wait(delayMs)
    delayed -= 1
    return false
  }
}
