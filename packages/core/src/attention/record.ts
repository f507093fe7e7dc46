import { idOf, uuidOf } from '../base/ids.ts'
import type { Deps } from '../deps.ts'
import { sweepRows } from '../queue/sweep-rows.ts'
import { findRaisedAlerts, takeRaisedAlerts } from './store.ts'

/** docs/spec-gaps.md, staff: alerts that one statement turns into items. */
const RECORDED_MAX = 50

/**
 * Turns the alerts that statements wrote into items of the inbox. An item that a person holds delays neither the
 * change nor other items.
 */
export async function recordRaised(
  deps: Pick<Deps, 'db' | 'clock' | 'alert'>,
): Promise<{ written: number; full: boolean }> {
  const { db, clock } = deps
  const found = await findRaisedAlerts(db.reader, clock(), RECORDED_MAX)
  const written = await sweepRows(deps, found, {
    sweep: 'record-attention',
    write: (some, { writer }) => takeRaisedAlerts(writer, some, clock()),
    keyOf: (id) => uuidOf(idOf('att', id)),
    idOf: (id) => idOf('att', id),
  })
  return { written, full: found.length === RECORDED_MAX && written > 0 }
}
