import { focusManager } from '@tanstack/react-query'

/** Automatic refreshes keep a session from going idle. They stop after this time without input. */
const UNATTENDED_MS = 5 * 60_000

/** A session that is idle for 30 minutes is over (docs/spec-gaps.md, staff). A minute covers the last requests. */
const SESSION_OVER_MS = 31 * 60_000

/**
 * Refreshes automatically only while the tab is visible and somebody uses it.
 *
 * @param onSessionOver runs when the session is over unless another tab has used it, and repeatedly from then on. A
 * request resets the time after which the session is over, so a repetition keeps no session alive
 */
export function pauseWhileUnattended(onSessionOver: () => void): { readonly stop: () => void } {
  let timer: ReturnType<typeof setTimeout>
  const ask = () => {
    onSessionOver()
    timer = setTimeout(ask, SESSION_OVER_MS)
  }
  const leave = () => {
    focusManager.setFocused(false)
    timer = setTimeout(ask, SESSION_OVER_MS)
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
