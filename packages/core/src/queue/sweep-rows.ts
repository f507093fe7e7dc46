import { sqlState, type Writer } from '@merchant-payments/db'
import type { Deps } from '../deps.ts'
import { forgetTried, restRow, type Sweep } from './refusals.ts'
import { isOfLock } from '../base/refused-statements.ts'
import { type BatchSession, runBatch, unlessRefused } from './run-batch.ts'

interface SweepOf<Row> {
  readonly sweep: Sweep
  readonly write: (rows: readonly Row[], session: BatchSession) => Promise<number>
  /** The key as the text that the sweep's finder passes to `notResting`. */
  readonly keyOf: (row: Row) => string
  /** The id that an alert shows. Null if the key is a merchant's own or a credential. */
  readonly idOf: (row: Row) => string | null
}

export async function refuseRow(
  { clock, alert }: Pick<Deps, 'clock' | 'alert'>,
  writer: Writer,
  { sweep, key, id }: { readonly sweep: Sweep; readonly key: string; readonly id: string | null },
  error: unknown,
): Promise<void> {
  const state = sqlState(error)
  alert('row_refused', { pass: sweep, row: id, error: state })
  await restRow(writer, { sweep, key, error: state }, clock())
}

/**
 * Writes the rows that a sweep found. A row that the database refuses, or cannot write within the statement time-out,
 * rests and raises an alert, so it delays no other. A row that another transaction has locked is left for the next run.
 *
 * @returns how many rows were written
 */
export async function sweepRows<Row>(
  { db, clock, alert }: Pick<Deps, 'db' | 'clock' | 'alert'>,
  rows: readonly Row[],
  { sweep, write, keyOf, idOf }: SweepOf<Row>,
): Promise<number> {
  if (rows.length === 0) return 0
  const beganMs = clock()
  const counts = await runBatch(rows, {
    db,
    write: async (some, session) => [await write(some, session)],
    ofRefused: () => 0,
    recordRefusal: async (row, error, { writer }) => {
      // The statement time-out is not excepted, because such a row would take 15 seconds of each run. It rests a day at most.
      if (isOfLock(error)) return
      await refuseRow({ alert, clock }, writer, { sweep, key: keyOf(row), id: idOf(row) }, error)
    },
  })
  await unlessRefused(() => forgetTried(db.writer, { sweep, keys: rows.map(keyOf) }, beganMs))
  return counts.reduce((sum, count) => sum + count, 0)
}
