import { type RefObject, useEffect, useRef } from 'react'
import type { Screen } from '../checkout/screen.ts'

/**
 * Moves the focus to a new screen's heading, so that a screen reader announces it. The first screen's heading
 * gets no focus.
 */
export function useFocusOnChange(heading: RefObject<HTMLElement | null>, name: Screen['name']): void {
  const shown = useRef(name)
  useEffect(() => {
    if (shown.current !== name && shown.current !== 'loading') heading.current?.focus()
    shown.current = name
  }, [heading, name])
}
