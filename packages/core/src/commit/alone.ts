import { type LockPolicy, skipped } from './lock-policy.ts'
import { takeTurns } from '../base/turns.ts'

export interface Entry<Item, Result> {
  readonly item: Item
  readonly owner: string
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** Statements that may wait for rows at once: fewer than the pool's connections. One owner gets half of them. */
export interface AloneLimits {
  readonly runningMax: number
  readonly runningOfOwnerMax: number
}

export interface Alone<Item, Result> {
  readonly add: (entry: Entry<Item, Result>) => void
  readonly size: () => number
  readonly sizeOf: (owner: string) => number
}

/** Writes items one by one. Each may wait for rows that other transactions hold. Owners take turns. */
export function writeAlone<Item, Result>(
  write: (items: readonly Item[], ifLocked: LockPolicy) => Promise<readonly (Result | typeof skipped)[]>,
  { runningMax, runningOfOwnerMax }: AloneLimits,
): Alone<Item, Result> {
  const waiting = takeTurns<string, Entry<Item, Result>>()
  const running = new Map<string, number>()
  let runningNow = 0

  function next(): void {
    if (runningNow >= runningMax) return
    const entry = waiting.take((_, owner) => (running.get(owner) ?? 0) < runningOfOwnerMax)
    if (entry !== undefined) void run(entry)
  }

  async function run({ item, owner, resolve, reject }: Entry<Item, Result>): Promise<void> {
    count(owner, 1)
    try {
      const [result] = await write([item], 'wait')
      if (result === undefined || result === skipped)
        throw new Error('the statement skipped its only item, which it should have waited for')
      resolve(result)
    } catch (error) {
      reject(error)
    }
    count(owner, -1)
    next()
  }

  function count(owner: string, by: 1 | -1): void {
    runningNow += by
    const now = (running.get(owner) ?? 0) + by
    if (now === 0) running.delete(owner)
    else running.set(owner, now)
  }

  return {
    add: (entry) => {
      waiting.add(entry.owner, entry)
      next()
    },
    size: waiting.size,
    sizeOf: waiting.sizeOf,
  }
}
