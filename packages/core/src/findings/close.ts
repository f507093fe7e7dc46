import type { AuditEntryId } from '../base/ids.ts'
import type { Deps } from '../deps.ts'
import { recordFindingChange } from './audit.ts'
import type { FindingKey, Operator } from './finding.ts'
import { markClosed } from './store.ts'

/**
 * Ends a finding, once a person has decided about its money, with its audit entry in one transaction. Changes no
 * payment.
 *
 * @returns the audit entry; null if no finding with this key is open
 */
export function closeFinding(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  finding: FindingKey,
  operator: Operator,
): Promise<AuditEntryId | null> {
  return db.transact(async (tx) => {
    const nowMs = clock()
    const closed = await markClosed(tx, finding, operator, nowMs)
    if (closed === null) return null
    const { merchantId, answer, revision } = closed
    const after = { kind: finding.kind, answer, open: false }
    const before = { ...after, open: true }
    const change = { finding, revision, action: 'rail_finding.close', merchantId, before, after } as const
    return recordFindingChange(tx, operator, change, nowMs)
  })
}
