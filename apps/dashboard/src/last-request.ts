import { nowMs } from './clock.ts'
import { keepPreference, readPreference } from './preferences.ts'

let lastMs = 0

/** Notes that the API has answered just now. All tabs of this browser have one session, and so one time. */
export function noteRequest(): void {
  lastMs = nowMs()
  keepPreference('last_request', String(lastMs))
}

/** Time in ms since the API has answered a tab of this browser, or this tab if the browser stores nothing. */
export function msSinceRequest(): number {
  const last = Math.max(lastMs, Number(readPreference('last_request')))
  // This computer's clock may have been set back.
  return Math.max(0, nowMs() - last)
}
