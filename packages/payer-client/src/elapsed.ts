import type { Clock } from './settings.ts'

/** Counts the milliseconds from now on. They never decrease: somebody may set the device's clock back. */
export function startElapsed(clock: Clock): () => number {
  let latestMs = clock.now()
  let elapsedMs = 0
  return () => {
    const nowMs = clock.now()
    elapsedMs += Math.max(0, nowMs - latestMs)
    latestMs = nowMs
    return elapsedMs
  }
}
