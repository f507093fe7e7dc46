import { type RefObject, useEffect, useRef } from 'react'
import type { Screen } from '../checkout/screen.ts'

/** A new screen's heading takes the focus, so that whoever does not see it hears it; the first screen's does not. */
export function useFocusOnChange(heading: RefObject<HTMLElement | null>, name: Screen['name']): void {
  const shown = useRef(name)
  useEffect(() => {
    if (shown.current !== name && shown.current !== 'loading') heading.current?.focus()
    shown.current = name
  }, [heading, name])
}
