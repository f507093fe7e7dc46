import { sqlState } from '@merchant-payments/db'

export interface BatchWrite<Item, Result> {
  /** Writes items in one statement, all or none. Returns a result for each in order, or one result for all. */
  readonly write: (items: readonly Item[]) => Promise<readonly Result[]>
  /** Returns the result of an item that the database refused, or kept waiting, even alone. */
  readonly onRefused: (item: Item, error: unknown) => Promise<Result>
}

/**
 * A batch that the database refuses, or that waits too long for a lock, runs again in halves, down to the item that
 * cannot be written, so that this item delays no other. Errors that it throws mean that the database is away.
 *
 * @returns the results of all statements, in the order of the items
 */
export async function runBatch<Item, Result>(
  items: readonly Item[],
  { write, onRefused }: BatchWrite<Item, Result>,
): Promise<Result[]> {
  if (items.length === 0) return []
  try {
    return [...(await write(items))]
  } catch (error) {
    if (!isOfStatement(error)) throw error
    const [first] = items
    if (first !== undefined && items.length === 1) return [await onRefused(first, error)]
    const middle = Math.ceil(items.length / 2)
    const older = await runBatch(items.slice(0, middle), { write, onRefused })
    return [...older, ...(await runBatch(items.slice(middle), { write, onRefused }))]
  }
}

/**
 * Records why an item was not written. If the database refuses that too, because another transaction holds the item's
 * job, it stays leased until the lease ends, and delays no other item.
 */
export async function unlessRefused(record: () => Promise<void>): Promise<void> {
  try {
    await record()
  } catch (error) {
    if (!isOfStatement(error)) throw error
  }
}

/** Connection exceptions, insufficient resources, operator intervention, system errors, and a standby. */
const ofServer = /^(?:08|53|57P|58|XX|25006)/

/** Whether an error is about the statement, or what it waited for, and not about the server or the connection. */
export function isOfStatement(error: unknown): boolean {
  const state = sqlState(error)
  return state !== null && /^[0-9A-Z]{5}$/.test(state) && !ofServer.test(state)
}

/** A deadlock, a serialization failure, or a lock that another transaction kept: the item itself is sound. */
export const isOfLock = (error: unknown): boolean => /^(?:40...|55P03)$/.test(sqlState(error) ?? '')

/** As `isOfLock`, or the statement time-out: the item may be sound, and the database is slow. */
export const isOfWaiting = (error: unknown): boolean => isOfLock(error) || sqlState(error) === '57014'
