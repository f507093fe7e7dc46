import type { Deps } from '../deps.ts'
import { uuidOf } from '../base/ids.ts'
import { sweepRows } from '../queue/sweep-rows.ts'
import { moveSession } from './session.ts'
import { findOverdue, LAPSE_BATCH_MAX, writeLapses } from './store.ts'

type LapseDeps = Pick<Deps, 'db' | 'clock' | 'alert'>

export interface LapseReport {
  readonly lapsed: number
  readonly full: boolean
}

/** Spec 6.1: ends one batch of overdue sessions. A session with a live charge is left for later. */
export async function lapseSessions(deps: LapseDeps): Promise<LapseReport> {
  const { db, clock } = deps
  const nowMs = clock()
  const overdue = await findOverdue(db.reader, nowMs)
  if (overdue.length === 0) return { lapsed: 0, full: false }
  const changes = overdue.map((session) => moveSession(session, 'lapse', nowMs))
  const lapsed = await sweepRows(deps, changes, {
    sweep: 'expire-sessions',
    write: (some, { writer }) => writeLapses(writer, some, nowMs),
    keyOf: ({ before }) => uuidOf(before.id),
    idOf: ({ before }) => before.id,
  })
  return { lapsed, full: overdue.length === LAPSE_BATCH_MAX && lapsed > 0 }
}
