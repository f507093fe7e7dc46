import type { Deps } from '../deps.ts'
import { uuidOf } from '../base/ids.ts'
import { refuseRow, sweepRows } from '../queue/sweep-rows.ts'
import { newWalk, takeStep, type Walk } from '../queue/walk.ts'
import { moveSession } from './session.ts'
import { findOverdue, writeLapses } from './store.ts'

type LapseDeps = Pick<Deps, 'db' | 'clock' | 'alert'>

interface LapseReport {
  readonly lapsed: number
  readonly full: boolean
}

/** Spec 6.1: ends one batch of overdue sessions. A session with a live charge is left for later. */
export async function lapseSessions(deps: LapseDeps, walk: Walk = newWalk()): Promise<LapseReport> {
  const { db, clock } = deps
  const nowMs = clock()
  const { written, full } = await takeStep(deps, walk, {
    find: (round) =>
      findOverdue(db.reader, round, nowMs, (id, error) =>
        refuseRow(deps, db.writer, { sweep: 'expire-sessions', key: uuidOf(id), id }, error),
      ),
    write: (overdue) =>
      sweepRows(
        deps,
        overdue.map((session) => moveSession(session, 'lapse', nowMs)),
        {
          sweep: 'expire-sessions',
          write: (some, { writer }) => writeLapses(writer, some, nowMs),
          keyOf: ({ before }) => uuidOf(before.id),
          idOf: ({ before }) => before.id,
        },
      ),
  })
  return { lapsed: written, full }
}
