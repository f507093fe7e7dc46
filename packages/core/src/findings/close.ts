import { createHash } from 'node:crypto'
import { type AuditEntryId, mintId } from '../base/ids.ts'
import { recordAuditEntry } from '../audit/store.ts'
import type { Deps } from '../deps.ts'
import { type FindingKey, type Operator, targetOf } from './finding.ts'
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
  const { name, reason, requestId } = operator
  return db.transact(async (tx) => {
    const nowMs = clock()
    const closed = await markClosed(tx, finding, operator, nowMs)
    if (closed === null) return null
    const id = mintId('au', nowMs)
    const target = targetOf(finding)
    const { merchantId, answer, revision } = closed
    const after = { kind: finding.kind, answer, open: false }
    const entry = {
      id,
      actor: { subject: `operator:${name}`, name, role: 'operator' },
      action: 'rail_finding.close',
      target,
      merchantId,
      reason,
      before: { ...after, open: true },
      after,
      requestId,
    } as const
    const key = `${requestId}:${target}:${finding.kind}:${revision}`
    const fingerprint = createHash('sha256').update(JSON.stringify(after)).digest()
    await recordAuditEntry(tx, entry, { key, fingerprint })
    return id
  })
}
