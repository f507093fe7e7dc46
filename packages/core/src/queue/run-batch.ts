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
 * The same for items of several owners, whose statement can wait for a row of one of them, such as a merchant's counter
 * of events. Each owner's items are then written by themselves, and only those of an owner who waits run in halves,
 * after those of all others. `write` returns a result for each item.
 */
export async function runBatchOfOwners<Item, Result>(
  items: readonly Item[],
  ownerOf: (item: Item) => string,
  batch: BatchWrite<Item, Result>,
): Promise<Result[]> {
  const groups = [...Map.groupBy(items, ownerOf).values()]
  if (groups.length <= 1) return runBatch(items, batch)
  const whole = await unlessOfStatement(() => batch.write(items))
  if (whole !== null) return [...whole]
  const results = new Map<Item, Result>()
  const note = (group: readonly Item[], some: readonly Result[]) => {
    for (const [n, item] of group.entries()) results.set(item, some[n] as Result)
  }
  const refused: (readonly Item[])[] = []
  for (const group of groups) {
    const written = await unlessOfStatement(() => batch.write(group))
    if (written === null) refused.push(group)
    else note(group, written)
  }
  for (const group of refused) note(group, await runBatch(group, batch))
  return items.map((item) => results.get(item) as Result)
}

/** @returns null if the database refused the statement, or kept it waiting */
async function unlessOfStatement<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run()
  } catch (error) {
    if (isOfStatement(error)) return null
    throw error
  }
}

/**
 * Records why an item was not written. If the database refuses that too, because another transaction holds the item's
 * job, the job stays as it is: a leased one until its lease ends. It delays no other item.
 */
export async function unlessRefused(record: () => Promise<void>): Promise<void> {
  await unlessOfStatement(record)
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
