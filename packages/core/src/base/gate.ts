import { counts } from './counts.ts'
import { takeTurns } from './turns.ts'

export interface GateLimits {
  readonly running: number
  /** Maximum running work of one owner. Default: `running`. */
  readonly runningOfOwner?: number
  /** Maximum waiting work. Absent if the callers already limit it. */
  readonly waiting?: number
  /** Maximum waiting work of one owner. Default: `waiting`. */
  readonly waitingOfOwner?: number
}

/** Null for work without an owner, which no owner's limit bounds. */
export type GateOwner = string | null

export interface Gate {
  /**
   * @returns null once the work may begin (the caller must then call `leave`), otherwise the reason for the refusal
   */
  readonly enter: (owner: GateOwner, signal?: AbortSignal) => Promise<'full' | 'aborted' | null>
  readonly leave: (owner: GateOwner) => void
  readonly waiting: () => number
  readonly waitingOf: (owner: GateOwner) => number
}

/** Bounds how many pieces of work run at once. The others wait, and owners take turns. */
export function createGate({
  running: runningMax,
  runningOfOwner = runningMax,
  waiting: waitingMax = Number.POSITIVE_INFINITY,
  waitingOfOwner = waitingMax,
}: GateLimits): Gate {
  const waiting = takeTurns<GateOwner, () => void>()
  const running = counts<GateOwner>()

  const mayRun = (owner: GateOwner) =>
    running.total() < runningMax && (owner === null || running.get(owner) < runningOfOwner)

  const wait = (owner: GateOwner, signal: AbortSignal | undefined) =>
    new Promise<'aborted' | null>((resolve) => {
      const begin = () => {
        signal?.removeEventListener('abort', giveUp)
        running.add(owner, 1)
        resolve(null)
      }
      const giveUp = () => {
        waiting.remove(owner, begin)
        resolve('aborted')
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      waiting.add(owner, begin)
    })

  return {
    enter: async (owner, signal) => {
      if (signal?.aborted === true) return 'aborted'
      if (mayRun(owner)) {
        running.add(owner, 1)
        return null
      }
      const isOverShare = owner !== null && waiting.sizeOf(owner) >= waitingOfOwner
      return waiting.size() >= waitingMax || isOverShare ? 'full' : wait(owner, signal)
    },
    leave: (owner) => {
      running.add(owner, -1)
      waiting.take((_, next) => mayRun(next))?.()
    },
    waiting: waiting.size,
    waitingOf: waiting.sizeOf,
  }
}
