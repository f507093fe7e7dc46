import { sqlState } from '@merchant-payments/db'
import type { Deps } from '../deps.ts'
import { runBatch } from '../queue/run-batch.ts'
import { moveSession } from './session.ts'
import { findOverdue, LAPSE_BATCH_MAX, writeLapses } from './store.ts'

type LapseDeps = Pick<Deps, 'db' | 'clock' | 'alert'>

export interface LapseReport {
  readonly lapsed: number
  /** More are probably overdue. */
  readonly full: boolean
}

/** Spec 6.1: ends one batch of sessions whose time is over, and tells their merchants. A live charge is waited for. */
export async function lapseSessions({ db, clock, alert }: LapseDeps): Promise<LapseReport> {
  const nowMs = clock()
  const overdue = await findOverdue(db.reader, nowMs)
  if (overdue.length === 0) return { lapsed: 0, full: false }
  const changes = overdue.map((session) => moveSession(session, 'lapse', nowMs))
  const written = await runBatch(changes, {
    write: async (some) => [await writeLapses(db.writer, some, nowMs)],
    onRefused: ({ before }, error) => {
      alert('row_refused', { pass: 'expire-sessions', row: before.id, error: sqlState(error) })
      return Promise.resolve(0)
    },
  })
  const lapsed = written.reduce((sum, count) => sum + count, 0)
  return { lapsed, full: overdue.length === LAPSE_BATCH_MAX && lapsed > 0 }
}
