import { sqlState } from '@merchant-payments/db'
import type { Deps } from '../deps.ts'
import { runBatch } from '../queue/run-batch.ts'
import { findOverdueApprovals, OVERDUE_MAX } from './store.ts'
import { expireApprovals } from './transitions.ts'

export interface ExpireReport {
  readonly expired: number
  /** More are probably overdue. */
  readonly full: boolean
}

/** Ends one batch of requests for approval that nobody decided in time. */
export async function expireRequests({
  db,
  clock,
  alert,
}: Pick<Deps, 'db' | 'clock' | 'alert'>): Promise<ExpireReport> {
  const nowMs = clock()
  const overdue = await findOverdueApprovals(db.reader, nowMs)
  if (overdue.length === 0) return { expired: 0, full: false }
  const written = await runBatch(overdue, {
    write: async (some) => [await expireApprovals(db.writer, some, nowMs)],
    onRefused: (row, error) => {
      alert('row_refused', { pass: 'expire-approvals', row, error: sqlState(error) })
      return Promise.resolve(0)
    },
  })
  const expired = written.reduce((sum, count) => sum + count, 0)
  return { expired, full: overdue.length === OVERDUE_MAX && expired > 0 }
}
