import { createHash } from 'node:crypto'
import type { AuditEntryId, MerchantId } from '../base/ids.ts'
import { mintId } from '../base/ids.ts'
import { recordAuditEntry } from '../audit/store.ts'
import type { Deps } from '../deps.ts'
import { type Finding, needsPerson, type Operator, targetOf } from './finding.ts'
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
  { name, reason, requestId }: Operator,
): Promise<AuditEntryId | null> {
  return db.transact(async (tx) => {
    const nowMs = clock()
    const written =
      (needsPerson(finding) ? await insertFinding(tx, finding, nowMs) : null) ??
      (await updateFinding(tx, finding, nowMs))
    if (written === null) return null
    const id = mintId('au', nowMs)
    const target = targetOf(finding)
    const after = factsOf(finding)
    const entry = {
      id,
      actor: { subject: `operator:${name}`, name, role: 'operator' },
      action: 'rail_finding.record',
      target,
      merchantId: finding.merchant as MerchantId | null,
      reason,
      before: { answer: written.before },
      after,
      requestId,
    } as const
    const key = `${requestId}:${target}:${finding.kind}:${written.revision}`
    const fingerprint = createHash('sha256').update(JSON.stringify(after)).digest()
    await recordAuditEntry(tx, entry, { key, fingerprint })
    return id
  })
}
