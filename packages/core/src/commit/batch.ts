import { Refusal } from '@merchant-payments/contract'
import { sqlState } from '@merchant-payments/db'
import { type LockPolicy, skipped } from './lock-policy.ts'
import { createGate, type Gate, type GateLimits } from '../base/gate.ts'
import { isOfStatement } from '../base/refused-statements.ts'
import { takeTurns } from '../base/turns.ts'

/** Statements that may wait for rows at once: fewer than the pool's connections. One owner gets half of them. */
export type AloneLimits = Required<Pick<GateLimits, 'running' | 'runningOfOwner'>>

interface Entry<Item, Result> {
  readonly item: Item
  readonly owner: string
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

interface BatchOptions<Item, Result> {
  /** See `SharedWrite`. */
  readonly write: (
    items: readonly Item[],
    ifLocked: LockPolicy,
  ) => Promise<readonly (Result | typeof skipped)[]>
  readonly identitiesOf: (item: Item) => readonly string[]
  readonly ownerOf: (item: Item) => string
  readonly itemsMax: number
  /** Time in ms after which the next batch starts although this one still runs. */
  readonly maxBlockMs: number
  /** See `SharedWrite`. */
  readonly neverRefused?: boolean
  /** Default: those of a pool of eight connections or more. */
  readonly aloneLimits?: AloneLimits
}

/** docs/spec-gaps.md, load: waiting items for one kind of statement, of all owners and of one. */
export const WAITING_MAX = 2_048
export const WAITING_OF_OWNER_MAX = 512
export const ALONE = { running: 4, runningOfOwner: 2 }

/** Time in ms after which the next statement of a kind starts although this one still runs. */
export const MAX_BLOCK_MS = 50

/** lock_not_available. A single item that fails with it is retried once, because the retry may wait for the lock. */
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Writes the items of many requests in one statement: those of one turn of the event loop, and those that arrive
 * while the previous statement runs. A single item is sent at once: batching helps only under load.
 *
 * A shared statement skips rows that other transactions hold. Items that it leaves, and the items of a statement
 * that PostgreSQL refused, are tried again one by one, so that an item that waits or cannot be written delays no
 * other.
 */
export function batch<Item, Result>(options: BatchOptions<Item, Result>): (item: Item) => Promise<Result> {
  const { identitiesOf, ownerOf, itemsMax, maxBlockMs, neverRefused = false, aloneLimits = ALONE } = options
  const waiting = takeTurns<string, Entry<Item, Result>>()
  const alone = createGate(aloneLimits)
  let busy = false

  function sendNext(): void {
    if (busy || waiting.size() === 0) return
    const entries = takeBatch()
    busy = true
    const timer = setTimeout(markIdle, maxBlockMs)
    void writeTogether(options, entries).then((passOn) => {
      clearTimeout(timer)
      // If as many items wait as this statement had, send the next statement now, so that PostgreSQL works while we
      // resolve the results. Otherwise wait one turn of the event loop, so that requests read in this turn can join.
      if (waiting.size() >= entries.length) markIdle()
      else setImmediate(markIdle)
      passOn((entry) => void writeAlone(options, alone, entry))
    })

    let isMarked = false
    function markIdle() {
      if (isMarked) return
      isMarked = true
      busy = false
      sendNext()
    }
  }

  function takeBatch(): Entry<Item, Result>[] {
    const taken: Entry<Item, Result>[] = []
    const identities = new Set<string>()
    const isApart = ({ item }: Entry<Item, Result>) => !identitiesOf(item).some((one) => identities.has(one))
    while (taken.length < itemsMax) {
      const entry = waiting.take(isApart)
      if (entry === undefined) break
      taken.push(entry)
      for (const one of identitiesOf(entry.item)) identities.add(one)
    }
    return taken
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const owner = ownerOf(item)
      const queued = waiting.size() + alone.waiting()
      const ofOwner = waiting.sizeOf(owner) + alone.waitingOf(owner)
      const isFull = queued >= WAITING_MAX || ofOwner >= WAITING_OF_OWNER_MAX
      if (isFull && !neverRefused) throw tooManyWaiting()
      waiting.add(owner, { item, owner, resolve, reject })
      if (waiting.size() === 1) setImmediate(sendNext)
    })
}

type Again<Item, Result> = (entry: Entry<Item, Result>) => void

/**
 * Writes entries in one statement.
 *
 * @returns a function that settles each entry, or passes it to `again` if it must be retried alone
 */
async function writeTogether<Item, Result>(
  { write }: Pick<BatchOptions<Item, Result>, 'write'>,
  entries: readonly Entry<Item, Result>[],
): Promise<(again: Again<Item, Result>) => void> {
  const items = entries.map(({ item }) => item)
  try {
    const results = await write(items, 'skip')
    return (again) => {
      for (const [n, entry] of entries.entries()) {
        const result = results[n] as Result | typeof skipped
        if (result === skipped) again(entry)
        else entry.resolve(result)
      }
    }
  } catch (error) {
    const isTriedAgain = entries.length > 1 ? isOfStatement(error) : sqlState(error) === LOCK_NOT_AVAILABLE
    return (again) => {
      for (const entry of entries) {
        if (isTriedAgain) again(entry)
        else entry.reject(error)
      }
    }
  }
}

/** Writes an item that may wait for rows which other transactions hold. */
async function writeAlone<Item, Result>(
  { write }: Pick<BatchOptions<Item, Result>, 'write'>,
  gate: Gate,
  { item, owner, resolve, reject }: Entry<Item, Result>,
): Promise<void> {
  // The gate has no limit of those that wait, so it refuses none.
  await gate.enter(owner)
  try {
    const [result] = await write([item], 'wait')
    if (result === undefined || result === skipped)
      throw new Error('the statement skipped its only item, which it should have waited for')
    resolve(result)
  } catch (error) {
    reject(error)
  } finally {
    gate.leave(owner)
  }
}

export const tooManyWaiting = () =>
  new Refusal('service_unavailable', 'Too many requests are under way. Retry after a moment.')
