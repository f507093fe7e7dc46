import type { Attention } from './attention.ts'
import { startElapsed } from './elapsed.ts'
import type { Clock } from './settings.ts'
import { isAborted, type Signal } from './world.ts'

interface Deps {
  readonly clock: Clock
  readonly attention: Attention
  /** Functions that end the wait at once. */
  readonly nudges: Set<() => void>
  readonly signal?: Signal | undefined
}

/** The shortest wait, even if a connection comes and goes. */
const GAP_LEAST_MS = 250

/**
 * Waits until the next read: for the delay while there is attention, until attention returns, at most for
 * the limit.
 */
export function wait(
  { clock, attention, nudges, signal }: Deps,
  delayMs: number,
  limitMs: number,
): Promise<void> {
  return new Promise((resolve) => {
    const elapsedMs = startElapsed(clock)
    const end = () => {
      clock.clearTimeout(timer)
      forget()
      nudges.delete(nudge)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const endAfter = (ms: number) => {
      clock.clearTimeout(timer)
      timer = clock.setTimeout(end, Math.max(0, ms - elapsedMs()))
    }
    const nudge = () => endAfter(Math.min(GAP_LEAST_MS, limitMs))
    const wake = () => (attention.isOn() ? end() : endAfter(limitMs))
    let timer = clock.setTimeout(wake, Math.max(0, Math.min(delayMs, limitMs)))
    const forget = attention.onChange(() => {
      if (attention.isOn()) nudge()
    })
    nudges.add(nudge)
    signal?.addEventListener('abort', end)
    if (isAborted(signal)) end()
  })
}
