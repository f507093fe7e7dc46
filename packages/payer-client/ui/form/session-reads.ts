import { completed } from './older-server.ts'
import type { BrowserSession } from './types.ts'
import type { ReadSession, SessionRead } from './read-session.ts'
import type { Trouble } from './facts.ts'
import { delayMsOf, jittered, type Pace } from './pace.ts'

export interface SessionReadsDeps {
  readonly readSession: ReadSession
  readonly pace: () => Pace
  readonly isVisible: () => boolean
  readonly chance: () => number
  readonly onSession: (session: BrowserSession) => void
  readonly onTrouble: (trouble: Trouble) => void
}

/** Reads the session repeatedly, one read at a time. A newer read aborts the one under way. */
export interface SessionReads {
  /** Reads at once, or uses the read `begun`, and continues at the page's pace. */
  readonly read: (begun?: Promise<SessionRead>) => Promise<void>
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
      deps.onSession(completed(seen.session))
    } else {
      failures += 1
      deps.onTrouble(seen.trouble)
    }
    // The callback may have started to follow a payment, which ends these reads.
    if (!mine.signal.aborted) wait()
  }

  function pause(): void {
    clearTimeout(timer)
    current?.abort()
    current = null
  }

  function wait(): void {
    clearTimeout(timer)
    const next = deps.pace()
    reads = next === pace ? reads + 1 : 0
    pace = next
    const delayMs = delayMsOf(pace, reads, failures)
    // A hidden page does not read. It reads at once when it is shown again.
    if (delayMs === null || !deps.isVisible()) return
    timer = setTimeout(() => void read(), jittered(delayMs, deps.chance()))
  }

  return { read, wait, pause }
}
