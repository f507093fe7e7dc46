/** Runs one contestant's round while no other party runs one. */
export type Turn = <T>(work: () => Promise<T>) => Promise<T>

export const alone: Turn = (work) => work()

export interface Party {
  readonly turn: Turn
  /** The others no longer wait for this party. */
  leave(): void
}

/** Parties that do the same work take turns, one round each, so that other load on the machine affects them equally. */
export function seatParties(count: number): Party[] {
  const present = new Set(Array.from({ length: count }, (_, n) => n))
  const waiting = new Map<number, () => void>()
  let next = 0
  const pass = (from: number) => {
    for (let step = 1; step <= count; step += 1) {
      next = (from + step) % count
      if (present.has(next)) break
    }
    waiting.get(next)?.()
  }
  const untilNext = (n: number) => {
    if (next === n) return
    return new Promise<void>((resolve) => {
      waiting.set(n, () => {
        waiting.delete(n)
        resolve()
      })
    })
  }
  return [...present].map((n) => ({
    turn: async (work) => {
      await untilNext(n)
      try {
        return await work()
      } finally {
        pass(n)
      }
    },
    leave: () => {
      present.delete(n)
      if (next === n) pass(n)
    },
  }))
}
