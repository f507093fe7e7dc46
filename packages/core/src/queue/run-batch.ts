import { type Database, type Session, type Tx, within } from '@merchant-payments/db'
import { isOfStatement, isOfWaiting } from '../base/refused-statements.ts'

/** The database, or one transaction of it whose statements wait only briefly for locks. */
export type BatchSession = Session & Pick<Database, 'transact'>

interface BatchWrite<Item, Result> {
  readonly db: BatchSession & Pick<Database, 'transactBriefly'>
  /**
   * Writes items in one statement or transaction of the session, all or none. Returns a result for each in order, or
   * one result for all. Its other side effects may happen although the commit then fails.
   */
  readonly write: (items: readonly Item[], session: BatchSession) => Promise<readonly Result[]>
  /** The result of an item that the database refused, or kept waiting, even alone. */
  readonly ofRefused: (item: Item, error: unknown) => Result
  /**
   * Records why an item was refused. If the database refuses that too, because another transaction holds the item's job,
   * the job stays as it is: a leased one until its lease ends. It delays no other item.
   */
  readonly recordRefusal?: (item: Item, error: unknown, session: BatchSession) => Promise<void>
}

/**
 * A batch that the database refuses, or that waits too long for a lock, runs again in halves, down to the item that
 * cannot be written, so that this item delays no other. Only one statement waits for the whole lock time-out: each
 * later one waits briefly, so that a transaction that holds many items costs little. Errors that it throws mean that
 * the database is away.
 *
 * @returns the results of all statements, in the order of the items
 */
export const runBatch = async <Item, Result>(
  items: readonly Item[],
  batch: BatchWrite<Item, Result>,
): Promise<Result[]> => runInHalves(items, batch, patientIn(batch.db))

async function runInHalves<Item, Result>(
  items: readonly Item[],
  batch: BatchWrite<Item, Result>,
  patience: Patience,
): Promise<Result[]> {
  if (items.length === 0) return []
  try {
    return [...(await patience.run((session) => batch.write(items, session)))]
  } catch (error) {
    if (!isOfStatement(error)) throw error
    const [first] = items
    if (first !== undefined && items.length === 1) {
      await unlessRefused(() => patience.run(async (session) => batch.recordRefusal?.(first, error, session)))
      return [batch.ofRefused(first, error)]
    }
    const middle = Math.ceil(items.length / 2)
    const older = await runInHalves(items.slice(0, middle), batch, patience)
    return [...older, ...(await runInHalves(items.slice(middle), batch, patience))]
  }
}

/** How long the statements of one batch wait for locks: as `db` does until one has waited in vain, then briefly. */
interface Patience {
  readonly run: <T>(work: (session: BatchSession) => Promise<T>) => Promise<T>
}

function patientIn(db: BatchWrite<never, never>['db']): Patience {
  let hasWaited = false
  return {
    run: async (work) => {
      try {
        return await (hasWaited ? db.transactBriefly((tx) => work(sessionOf(tx))) : work(db))
      } catch (error) {
        // Behind a pooler that sets no lock time-out, the statement time-out ends a wait for a lock.
        hasWaited ||= isOfWaiting(error)
        throw error
      }
    },
  }
}

const sessionOf = (tx: Tx): BatchSession => ({ ...within(tx), transact: (work) => work(tx) })

/**
 * Runs a batch of several owners' items, whose statement can wait for a row of one of them, such as a merchant's counter
 * of events. Each owner's items are then written by themselves, and only those of an owner who waits run in halves,
 * after those of all others. `write` returns a result for each item.
 */
export async function runBatchOfOwners<Item, Result>(
  items: readonly Item[],
  ownerOf: (item: Item) => string,
  batch: BatchWrite<Item, Result>,
): Promise<Result[]> {
  const groups = [...Map.groupBy(items, ownerOf).values()]
  const patience = patientIn(batch.db)
  if (groups.length <= 1) return runInHalves(items, batch, patience)
  const written = (some: readonly Item[]) =>
    unlessOfStatement(() => patience.run((session) => batch.write(some, session)))
  const whole = await written(items)
  if (whole !== null) return [...whole]
  const results = new Map<Item, Result>()
  const note = (group: readonly Item[], some: readonly Result[]) => {
    for (const [n, item] of group.entries()) results.set(item, some[n] as Result)
  }
  const refused: (readonly Item[])[] = []
  for (const group of groups) {
    const some = await written(group)
    if (some === null) refused.push(group)
    else note(group, some)
  }
  for (const group of refused) note(group, await runInHalves(group, batch, patience))
  return items.map((item) => results.get(item) as Result)
}

async function unlessOfStatement<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run()
  } catch (error) {
    if (isOfStatement(error)) return null
    throw error
  }
}

/** Records a failure of an item that is in no batch yet. A record that PostgreSQL refuses is left out. */
export async function unlessRefused(record: () => Promise<void>): Promise<void> {
  await unlessOfStatement(record)
}
