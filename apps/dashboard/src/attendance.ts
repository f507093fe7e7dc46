import { focusManager } from '@tanstack/react-query'
import { msSinceRequest } from './last-request.ts'

/** Automatic refreshes keep a session from going idle. They stop after this time without input. */
const UNATTENDED_MS = 5 * 60_000

/** A session that is idle for 30 minutes is over (docs/spec-gaps.md, staff). A minute covers the last requests. */
const SESSION_OVER_MS = 31 * 60_000

/**
 * Refreshes automatically only while the tab is visible and somebody uses it.
 *
 * @param onSessionOver runs when no tab has sent a request for so long that the session is over, and repeatedly from then
 * on. It may ask the API, which keeps no session alive: the next time comes as long after the answer
 */
export function pauseWhileUnattended(onSessionOver: () => void): { readonly stop: () => void } {
  let timer: ReturnType<typeof setTimeout>
  const ask = () => {
    const leftMs = SESSION_OVER_MS - msSinceRequest()
    if (leftMs <= 0) onSessionOver()
    timer = setTimeout(ask, leftMs <= 0 ? SESSION_OVER_MS : leftMs)
  }
  const leave = () => {
    focusManager.setFocused(false)
    ask()
  }
  const attend = () => {
    clearTimeout(timer)
    timer = setTimeout(leave, UNATTENDED_MS)
    focusManager.setFocused(document.visibilityState === 'visible')
  }
  const signs = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'visibilitychange'] as const
  for (const sign of signs) addEventListener(sign, attend, { passive: true })
  attend()
  return {
    stop: () => {
      clearTimeout(timer)
      for (const sign of signs) removeEventListener(sign, attend)
      focusManager.setFocused(undefined)
    },
  }
}
