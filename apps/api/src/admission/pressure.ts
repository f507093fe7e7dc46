import { type EventLoopUtilization, performance } from 'node:perf_hooks'

/** Utilization of the event loop above which requests slow each other noticeably. */
const UTILIZATION_MAX = 0.7
/** Covers many turns of the loop, and is short enough to detect a flood that has just begun. */
const WINDOW_MS = 25

type Measure = (since?: EventLoopUtilization) => EventLoopUtilization

/** @returns whether the event loop of this process was busy in the last moments */
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
