import { type QueryExecutorProvider, sql } from 'kysely'

interface Transacting<Tx> {
  transact(work: (tx: Tx) => Promise<void>): Promise<void>
}

/** The server would end a session that waits here for a test on a slow machine, and free what it holds. */
const waitForTheTest = sql`select set_config('idle_in_transaction_session_timeout', '0', true),
  set_config('transaction_timeout', '0', true)`

/**
 * Leaves a transaction open after its work, so that it holds what the work has locked.
 *
 * @returns commits the transaction
 */
export async function holdTransaction<Tx extends QueryExecutorProvider>(
  db: Transacting<Tx>,
  work: (tx: Tx) => Promise<unknown>,
): Promise<() => Promise<void>> {
  const worked = Promise.withResolvers<void>()
  const freed = Promise.withResolvers<void>()
  const ended = db.transact(async (tx) => {
    await waitForTheTest.execute(tx)
    await work(tx)
    worked.resolve()
    await freed.promise
  })
  await Promise.race([worked.promise, ended])
  return () => {
    freed.resolve()
    return ended
  }
}
