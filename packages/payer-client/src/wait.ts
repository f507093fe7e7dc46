import type { Attention } from './attention.ts'
import type { Clock } from './settings.ts'
import type { Signal } from './world.ts'

interface Deps {
  readonly clock: Clock
  readonly attention: Attention
  /** Who asks to look at once. */
  readonly nudges: Set<() => void>
}

/** However often a connection comes and goes. */
const GAP_LEAST_MS = 250

/** Until the next look: after the delay while there is attention, at once when it comes, at the latest at the limit. */
export function wait(
  { clock, attention, nudges }: Deps,
  delayMs: number,
  limitMs: number,
  signal: Signal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const startedMs = clock.now()
    const end = () => {
      clock.clearTimeout(timer)
      clock.clearTimeout(limit)
      forget()
      nudges.delete(nudge)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const nudge = () => {
      clock.clearTimeout(timer)
      timer = clock.setTimeout(end, Math.max(0, startedMs + GAP_LEAST_MS - clock.now()))
    }
    const whenOn = (then: () => void) => () => {
      if (attention.isOn()) then()
    }
    let timer = clock.setTimeout(whenOn(end), delayMs)
    const limit = clock.setTimeout(end, Math.max(0, limitMs - startedMs))
    const forget = attention.onChange(whenOn(nudge))
    nudges.add(nudge)
    signal?.addEventListener('abort', end)
    if (signal?.aborted === true) end()
  })
}
