import type { Writer } from '@merchant-payments/db'
import { createGate } from '../base/gate.ts'
import {
  ALONE,
  type AloneLimits,
  batch,
  MAX_BLOCK_MS,
  tooManyWaiting,
  WAITING_MAX,
  WAITING_OF_OWNER_MAX,
} from './batch.ts'
import type { LockPolicy, skipped } from './lock-policy.ts'
import { rememberKeys, type SeenKeys } from './seen-keys.ts'

export interface SharedWrite<Item, Result> {
  /**
   * Writes items in one statement and returns their results in order. If it skips rows that other transactions
   * hold, it returns `skipped` for each item that it did not write because of one.
   */
  readonly write: (
    writer: Writer,
    items: readonly Item[],
    ifLocked: LockPolicy,
  ) => Promise<readonly (Result | typeof skipped)[]>
  /**
   * The rows that only one item of a statement may write, among them the key that the item claims. Two items that have
   * an identity in common never share a statement.
   */
  readonly identitiesOf: (item: Item) => readonly string[]
  /** The merchant or client that asks. Owners take turns. */
  readonly ownerOf: (item: Item) => string
  readonly itemsMax: number
  /**
   * Whether an item waits however many others do. For the answers of rails: a refusal would lose them, and the
   * requests in flight bound them. Default: false.
   */
  readonly neverRefused?: boolean
}

export interface Writes {
  readonly together: <Item, Result>(shared: SharedWrite<Item, Result>, item: Item) => Promise<Result>
  /** Runs a statement that may wait for rows. At most a few run at once, and owners take turns. */
  readonly alone: <T>(owner: string, statement: () => Promise<T>) => Promise<T>
  readonly seen: SeenKeys
}

/** @param poolSize connections of the writer's pool. With few of them, fewer statements may wait for rows at once. */
export function batchWrites(writer: Writer, poolSize: number = Number.POSITIVE_INFINITY): Writes {
  const kinds = new Map<unknown, unknown>()
  return {
    together: <Item, Result>(shared: SharedWrite<Item, Result>, item: Item) => {
      // The cast is safe: only the lines below add entries, each with the type of its key.
      const known = kinds.get(shared) as ((item: Item) => Promise<Result>) | undefined
      if (known !== undefined) return known(item)
      const made = batch<Item, Result>({
        ...shared,
        write: (items, ifLocked) => shared.write(writer, items, ifLocked),
        maxBlockMs: MAX_BLOCK_MS,
        aloneLimits: atMostHalf(ALONE, poolSize),
      })
      kinds.set(shared, made)
      return made(item)
    },
    alone: boundAlone(atMostHalf(ALONE_LIMITS, poolSize)),
    seen: rememberKeys(),
  }
}

const ALONE_LIMITS = { running: 8, runningOfOwner: 4 }

/**
 * Caps statements that wait for rows at half of the pool, and one owner at half of that. The others keep connections.
 */
function atMostHalf(limits: AloneLimits, poolSize: number): AloneLimits {
  const running = Math.max(1, Math.min(limits.running, Math.floor(poolSize / 2)))
  return { running, runningOfOwner: Math.min(limits.runningOfOwner, Math.ceil(running / 2)) }
}

function boundAlone(limits: AloneLimits): Writes['alone'] {
  const gate = createGate({ ...limits, waiting: WAITING_MAX, waitingOfOwner: WAITING_OF_OWNER_MAX })
  return async (owner, statement) => {
    if ((await gate.enter(owner)) !== null) throw tooManyWaiting()
    try {
      return await statement()
    } finally {
      gate.leave(owner)
    }
  }
}
