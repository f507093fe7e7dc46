import { useEffect, useReducer } from 'react'

const TICK_MS = 1_000

/**
 * Renders again each second while `isRunning`. Times are computed from clocks, so a late tick shows no wrong
 * time.
 */
export function useTick(isRunning: boolean): void {
  const [, tick] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    if (!isRunning) return undefined
    const timer = setInterval(tick, TICK_MS)
    return () => clearInterval(timer)
  }, [isRunning])
}
