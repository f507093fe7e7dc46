import { raisedOf } from '../base/raised.ts'
import type { Deps } from '../deps.ts'
import { findLostProofs, insertAlerts, LOST_MAX } from './lost-proofs-store.ts'

/**
 * Raises an alert for each charge that was ruled paid with a transaction of another charge. No settlement looks for
 * it, because that would cost every payment a look. Nobody can refund such a charge meanwhile.
 */
export async function alertOfLostProofs({
  db,
  clock,
  alert,
}: Pick<Deps, 'db' | 'clock' | 'alert'>): Promise<{ alerted: number; full: boolean }> {
  const lost = await findLostProofs(db.reader)
  if (lost.length === 0) return { alerted: 0, full: false }
  const raised = lost.map(({ merchantId, ...facts }) => raisedOf('charge_proof_lost', facts, merchantId))
  await insertAlerts(db.writer, lost, raised, clock())
  for (const one of raised) alert(one.alert, one.facts)
  return { alerted: lost.length, full: lost.length === LOST_MAX }
}
