import { createHash } from 'node:crypto'
import type { Tx } from '@merchant-payments/db'
import type { AuditEntry } from '../audit/render.ts'
import { recordAuditEntry } from '../audit/store.ts'
import { type AuditEntryId, mintId } from '../base/ids.ts'
import { type FindingKey, type Operator, targetOf } from './finding.ts'

interface FindingChange extends Pick<AuditEntry, 'action' | 'merchantId' | 'before' | 'after'> {
  readonly finding: FindingKey
  readonly revision: number
}

export async function recordFindingChange(
  tx: Tx,
  { name, reason, requestId }: Operator,
  { finding, revision, ...change }: FindingChange,
  nowMs: number,
): Promise<AuditEntryId> {
  const id = mintId('au', nowMs)
  const target = targetOf(finding)
  const actor = { subject: `operator:${name}`, name, role: 'operator' } as const
  const key = `${requestId}:${target}:${finding.kind}:${revision}`
  const fingerprint = createHash('sha256').update(JSON.stringify(change.after)).digest()
  await recordAuditEntry(tx, { id, actor, target, reason, requestId, ...change }, { key, fingerprint })
  return id
}
