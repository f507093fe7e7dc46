import type { BrowserSession } from '../wire/types.ts'
import type { ReadSession, SessionRead } from '../wire/read-session.ts'
import type { Trouble } from './facts.ts'
import { delayMsOf, jittered, type Pace } from './pace.ts'

export interface SessionReadsDeps {
  readonly readSession: ReadSession
  readonly pace: () => Pace
  readonly isVisible: () => boolean
  /** From 0 to 1. */
  readonly chance: () => number
  readonly onSession: (session: BrowserSession) => void
  readonly onTrouble: (trouble: Trouble) => void
}

/** Reads the session again and again, one read at a time: a newer one takes the place of one that is under way. */
export interface SessionReads {
  /** At once, or what is given, which was begun before; then at the page's pace. */
  readonly read: (begun?: Promise<SessionRead>) => Promise<void>
  /** Later, at the page's pace. */
  readonly wait: () => void
  readonly pause: () => void
}

export function createSessionReads(deps: SessionReadsDeps): SessionReads {
  let current: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let pace: Pace = 'soon'
  let reads = 0
  let failures = 0

  async function read(begun?: Promise<SessionRead>): Promise<void> {
    pause()
    const mine = new AbortController()
    current = mine
    const seen = await (begun ?? deps.readSession(mine.signal))
    if (mine.signal.aborted) return
    if ('session' in seen) {
      failures = 0
      deps.onSession(seen.session)
    } else {
      failures += 1
      deps.onTrouble(seen.trouble)
    }
    // What was learned may have begun to follow a payment, which ends these reads.
    if (!mine.signal.aborted) wait()
  }

  function pause(): void {
    clearTimeout(timer)
    current?.abort()
    current = null
  }

  function wait(): void {
    const next = deps.pace()
    reads = next === pace ? reads + 1 : 0
    pace = next
    const delayMs = delayMsOf(pace, reads, failures)
    // A hidden page asks nothing: it asks at once when it is shown again.
    if (delayMs === null || !deps.isVisible()) return
    timer = setTimeout(() => void read(), jittered(delayMs, deps.chance()))
  }

  return { read, wait, pause }
}
