import { sqlState } from '@merchant-payments/db'

export interface BatchWrite<Item, Result> {
  /** Writes items in one statement, all or none of them; gives their results in their order, or one of them all. */
  readonly write: (items: readonly Item[]) => Promise<readonly Result[]>
  /** Gives the result of an item that the database refused, or kept waiting, although it was alone. */
  readonly onRefused: (item: Item, error: unknown) => Promise<Result>
}

/**
 * The one way in which a pass writes a batch. Whatever the database refuses, and whatever waits too long for a lock, is
 * tried again in halves, down to the item that cannot be written, which then delays no other. What it throws says that the database
 * is away, which is no item's fault.
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

/** Connection exceptions, lack of resources, an operator's intervention, a fault of the system, a standby. */
const ofServer = /^(?:08|53|57P|58|XX|25006)/

/** Whether an error tells of the statement, or of what it waited for, rather than of the server or the way to it. */
export function isOfStatement(error: unknown): boolean {
  const state = sqlState(error)
  return state !== null && /^[0-9A-Z]{5}$/.test(state) && !ofServer.test(state)
}

/** A deadlock, a serialization failure, or a lock that another transaction kept: the item itself is sound. */
export const isOfLock = (error: unknown): boolean => /^(?:40...|55P03)$/.test(sqlState(error) ?? '')

/** As `isOfLock`, or the statement time-out: the item may be sound, and the database is slow. */
export const isOfWaiting = (error: unknown): boolean => isOfLock(error) || sqlState(error) === '57014'
