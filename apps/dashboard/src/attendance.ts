import { focusManager } from '@tanstack/react-query'

/** A page that asks by itself keeps its session from going idle: it stops once nobody has touched it for so long. */
const UNATTENDED_MS = 5 * 60_000

/** Whether what is shown is refreshed by itself: the tab is visible, and somebody is there. */
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
