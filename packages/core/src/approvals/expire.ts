import type { Deps } from '../deps.ts'
import { uuidOf } from '../base/ids.ts'
import { sweepRows } from '../queue/sweep-rows.ts'
import { findOverdueApprovals, OVERDUE_MAX } from './store.ts'
import { expireApprovals } from './transitions.ts'

interface ExpireReport {
  readonly expired: number
  readonly full: boolean
}

export async function expireRequests(deps: Pick<Deps, 'db' | 'clock' | 'alert'>): Promise<ExpireReport> {
  const { db, clock } = deps
  const nowMs = clock()
  const overdue = await findOverdueApprovals(db.reader, nowMs)
  const expired = await sweepRows(deps, overdue, {
    sweep: 'expire-approvals',
    write: (some, { writer }) => expireApprovals(writer, some, nowMs),
    keyOf: uuidOf,
    idOf: (id) => id,
  })
  return { expired, full: overdue.length === OVERDUE_MAX && expired > 0 }
}
