import type { AuditAction, AuditEntry as WireEntry, StaffRole } from '@merchant-payments/contract'
import type { AuditEntryTable } from '@merchant-payments/db'
import type { Selectable } from 'kysely'
import type { AuditEntryId, MerchantId } from '../base/ids.ts'
import { createdOf, idOf } from '../base/ids.ts'

export interface Staff {
  readonly subject: string
  readonly name: string
  readonly role: StaffRole
}

/** Contains no personal data, only our own words and numbers. */
export type AuditFacts = Readonly<Record<string, string | number | boolean | null>>

export interface AuditEntry {
  readonly id: AuditEntryId
  readonly actor: Staff
  readonly action: AuditAction
  readonly target: string
  /** Null for a finding whose merchant is not known, for a statement, and for a bulk job of selected objects. */
  readonly merchantId: MerchantId | null
  readonly reason: string
  readonly before: AuditFacts
  readonly after: AuditFacts
  readonly requestId: string
}

export const auditColumns = [
  'id',
  'actor_subject',
  'actor_name',
  'actor_role',
  'action',
  'target',
  'merchant_id',
  'reason',
  'before',
  'after',
  'request_id',
] as const satisfies readonly (keyof AuditEntryTable)[]

export type AuditRow = Pick<Selectable<AuditEntryTable>, (typeof auditColumns)[number]>

export function renderAuditEntry(row: AuditRow): WireEntry {
  const id = idOf('au', row.id)
  return {
    id,
    object: 'audit_entry',
    action: row.action,
    actor: { subject: row.actor_subject, name: row.actor_name, role: row.actor_role },
    target: row.target,
    merchant: row.merchant_id,
    reason: row.reason,
    before: row.before,
    after: row.after,
    request_id: row.request_id,
    created: createdOf(id),
  }
}
