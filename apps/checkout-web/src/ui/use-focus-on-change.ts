import { type RefObject, useLayoutEffect, useRef } from 'react'
import type { Screen } from '@merchant-payments/payer-client/form/screen'

/**
 * Moves the focus to a new screen's heading, so that a screen reader announces it. The first screen's heading
 * gets no focus: the payer may have moved it already. The first screen is taller than the one before it. It
 * pushes the focused control down, so that control is scrolled back into view (WCAG 2.4.11).
 */
export function useFocusOnChange(heading: RefObject<HTMLElement | null>, name: Screen['name']): void {
  const shown = useRef(name)
  // An effect after the next frame would take the focus from a payer who has pressed Tab since.
  useLayoutEffect(() => {
    if (shown.current === name) return
    if (shown.current === 'loading') document.activeElement?.scrollIntoView({ block: 'nearest' })
    else heading.current?.focus()
    shown.current = name
  }, [heading, name])
}
