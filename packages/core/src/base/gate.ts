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
  readonly enter: (owner: GateOwner, signal: AbortSignal) => Promise<'full' | 'aborted' | null>
  readonly leave: (owner: GateOwner) => void
}

/** Bounds how many pieces of work run at once. The others wait, and owners take turns. */
export function createGate({
  running: runningMax,
  runningOfOwner = runningMax,
  waiting: waitingMax = Number.POSITIVE_INFINITY,
  waitingOfOwner = waitingMax,
}: GateLimits): Gate {
  const waiting = takeTurns<GateOwner, () => void>()
  const runningOf = new Map<GateOwner, number>()
  let running = 0

  const mayRun = (owner: GateOwner) =>
    running < runningMax && (owner === null || (runningOf.get(owner) ?? 0) < runningOfOwner)

  function count(owner: GateOwner, by: 1 | -1): void {
    running += by
    const now = (runningOf.get(owner) ?? 0) + by
    if (now === 0) runningOf.delete(owner)
    else runningOf.set(owner, now)
  }

  const wait = (owner: GateOwner, signal: AbortSignal) =>
    new Promise<'aborted' | null>((resolve) => {
      const begin = () => {
        signal.removeEventListener('abort', giveUp)
        count(owner, 1)
        resolve(null)
      }
      const giveUp = () => {
        waiting.remove(owner, begin)
        resolve('aborted')
      }
      signal.addEventListener('abort', giveUp, { once: true })
      waiting.add(owner, begin)
    })

  return {
    enter: async (owner, signal) => {
      if (signal.aborted) return 'aborted'
      if (mayRun(owner)) {
        count(owner, 1)
        return null
      }
      const isOverShare = owner !== null && waiting.sizeOf(owner) >= waitingOfOwner
      return waiting.size() >= waitingMax || isOverShare ? 'full' : wait(owner, signal)
    },
    leave: (owner) => {
      count(owner, -1)
      waiting.take((_, next) => mayRun(next))?.()
    },
  }
}
