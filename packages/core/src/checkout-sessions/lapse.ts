import type { Deps } from '../deps.ts'
import { moveSession } from './session.ts'
import { findOverdue, LAPSE_BATCH_MAX, writeLapses } from './store.ts'

export interface LapseReport {
  readonly lapsed: number
  /** More are probably overdue. */
  readonly full: boolean
}

/** Spec 6.1: ends one batch of sessions whose time is over, and tells their merchants. A live charge is waited for. */
export async function lapseSessions({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<LapseReport> {
  const nowMs = clock()
  const overdue = await findOverdue(db.reader, nowMs)
  if (overdue.length === 0) return { lapsed: 0, full: false }
  const lapsed = await writeLapses(
    db.writer,
    overdue.map((session) => moveSession(session, 'lapse', nowMs)),
    nowMs,
  )
  return { lapsed, full: overdue.length === LAPSE_BATCH_MAX && lapsed > 0 }
}
