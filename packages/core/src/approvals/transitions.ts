import { instant, type Tx, type Writer } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import type { StaffRequest } from '../audit/change.ts'
import { type ApprovalRequestId, uuidOf } from '../base/ids.ts'
import type { Approval } from './approval.ts'
import { approvalLifecycle, type ApprovalMove } from './lifecycle.ts'

/** Clears the number to pay. The transaction has locked the request and found it pending. */
export async function decideApproval(
  tx: Tx,
  { id }: Approval,
  move: Exclude<ApprovalMove, 'expire'>,
  { staff, reason }: StaffRequest,
  { because = null, nowMs }: { because?: string | null; nowMs: number },
): Promise<void> {
  await sql`
    update approval_requests set status = ${approvalLifecycle.pending[move]}, destination_msisdn = null,
      decided_by = ${staff.subject}, decided_name = ${staff.name}, decision_reason = ${reason},
      decided_at = ${instant(nowMs)}::timestamptz, obsolete_because = ${because}
    where id = ${uuidOf(id)}::uuid and status = 'pending'`.execute(tx)
}

/** SKIP LOCKED leaves out requests that someone is deciding. */
export const expireApprovals = (
  writer: Writer,
  ids: readonly ApprovalRequestId[],
  nowMs: number,
): Promise<number> => expireWhere(writer, sql`id = any (${ids.map(uuidOf)}::uuid[])`, nowMs)

export const expireApprovalOf = (
  writer: Writer,
  { kind, target }: Pick<Approval, 'kind' | 'target'>,
  nowMs: number,
): Promise<number> => expireWhere(writer, sql`kind = ${kind} and target = ${target}`, nowMs)

async function expireWhere(writer: Writer, where: RawBuilder<unknown>, nowMs: number): Promise<number> {
  const now = sql`${instant(nowMs)}::timestamptz`
  const { rows } = await sql`
    update approval_requests a set status = 'expired', destination_msisdn = null, decided_at = ${now}
    from (
      select id from approval_requests
      where status = 'pending' and expires_at <= ${now} and ${where} for update skip locked) over
    where a.id = over.id
    returning a.id`.execute(writer)
  return rows.length
}
