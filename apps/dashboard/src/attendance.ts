import { focusManager } from '@tanstack/react-query'

/** Automatic refreshes keep a session from going idle. They stop after this time without input. */
const UNATTENDED_MS = 5 * 60_000

/** Refreshes automatically only while the tab is visible and somebody uses it. */
export function pauseWhileUnattended(): { readonly stop: () => void } {
  let timer: ReturnType<typeof setTimeout>
  const leave = () => focusManager.setFocused(false)
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
