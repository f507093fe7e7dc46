import { type EventLoopUtilization, performance } from 'node:perf_hooks'

/** The share of its time in which the event loop works, beyond which requests wait for each other noticeably. */
const UTILIZATION_MAX = 0.7
/** Long enough for many turns of the loop, and short enough to meet a flood that has just begun. */
const WINDOW_MS = 25

type Measure = (since?: EventLoopUtilization) => EventLoopUtilization

/** @returns whether this process's event loop had no time to spare in the last moments */
export function watchPressure(
  measure: Measure = (since) => performance.eventLoopUtilization(since),
): () => boolean {
  let from = measure()
  let isPressed = false
  return () => {
    const since = measure(from)
    if (since.idle + since.active >= WINDOW_MS) {
      isPressed = since.utilization > UTILIZATION_MAX
      from = measure()
    }
    return isPressed
  }
}
