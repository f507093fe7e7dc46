import type { AuditEntryId, MerchantId } from '../base/ids.ts'
import type { Deps } from '../deps.ts'
import { recordFindingChange } from './audit.ts'
import { type Finding, needsPerson, type Operator } from './finding.ts'
import { factsOf, insertFinding, updateFinding } from './store.ts'

/**
 * Records a finding with its audit entry in one transaction, and changes no payment. A second run with the same answer
 * writes nothing. An answer without money is recorded only if it replaces another.
 *
 * @returns the audit entry; null if nothing was written
 */
export function recordFinding(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  finding: Finding,
  operator: Operator,
): Promise<AuditEntryId | null> {
  return db.transact(async (tx) => {
    const nowMs = clock()
    const written =
      (needsPerson(finding) ? await insertFinding(tx, finding, nowMs) : null) ??
      (await updateFinding(tx, finding, nowMs))
    if (written === null) return null
    const change = {
      finding,
      revision: written.revision,
      action: 'rail_finding.record',
      merchantId: finding.merchant as MerchantId | null,
      before: { answer: written.before },
      after: factsOf(finding),
    } as const
    return recordFindingChange(tx, operator, change, nowMs)
  })
}
