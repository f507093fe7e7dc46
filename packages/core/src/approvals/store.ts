import { type Held, heldIfFound } from '../audit/before.ts'
import { type ApprovalRequestTable, instant, type Reader, type Tx } from '@merchant-payments/db'
import { type Selectable, sql } from 'kysely'
import { notResting, plainUuid } from '../queue/refusals.ts'
import type { StaffRequest } from '../audit/change.ts'
import {
  type ApprovalRequestId,
  idOf,
  idOrNull,
  type MerchantId,
  type PaymentIntentId,
  uuidOf,
  uuidOrNull,
} from '../base/ids.ts'
import { storedMsisdn } from '../base/phone.ts'
import { type Approval, APPROVAL_LIFE_MS, type RequestedChange } from './approval.ts'

export const approvalColumns = [
  'id',
  'merchant_id',
  'kind',
  'target',
  'payment_intent_id',
  'customer_id',
  'amount',
  'currency',
  'destination_msisdn',
  'seen',
  'statement',
  'reason',
  'status',
  'requested_by',
  'requested_name',
  'expires_at',
  'decided_by',
  'decided_name',
  'decided_at',
  'decision_reason',
  'obsolete_because',
] as const satisfies readonly (keyof ApprovalRequestTable)[]

export type ApprovalRow = Pick<Selectable<ApprovalRequestTable>, (typeof approvalColumns)[number]>

const approvalOf = (row: ApprovalRow): Approval => ({
  id: idOf('apr', row.id),
  kind: row.kind,
  target: row.target,
  merchantId: row.merchant_id as MerchantId,
  intentId: idOf('pi', row.payment_intent_id),
  customerId: idOrNull('cus', row.customer_id),
  amountMinor: row.amount,
  currency: row.currency,
  destination: row.destination_msisdn === null ? null : storedMsisdn(row.destination_msisdn),
  statement: row.statement,
  seen: row.seen,
  status: row.status,
  requestedBy: { subject: row.requested_by, name: row.requested_name },
  reason: row.reason,
  expiresAtMs: row.expires_at,
})

/**
 * The lock on the customer's row makes an erasure wait, so that it also clears the number of the request.
 * @returns when the customer was erased
 */
export async function lockPayee(
  tx: Tx,
  { merchantId, customerId }: Pick<RequestedChange, 'merchantId' | 'customerId'>,
): Promise<number | null> {
  if (customerId === null) return null
  const { rows } = await sql<{ erased_at: number | null }>`
    select erased_at from customers where merchant_id = ${merchantId} and id = ${uuidOf(customerId)}::uuid
    for key share`.execute(tx)
  return rows[0]?.erased_at ?? null
}

export async function insertApproval(
  tx: Tx,
  id: ApprovalRequestId,
  requested: RequestedChange,
  { staff, reason, requestId }: StaffRequest,
  nowMs: number,
): Promise<boolean> {
  const customer = uuidOrNull(requested.customerId)
  const written = await tx
    .insertInto('approval_requests')
    .values({
      id: uuidOf(id),
      merchant_id: requested.merchantId,
      kind: requested.kind,
      target: requested.target,
      payment_intent_id: uuidOf(requested.intentId),
      customer_id: customer,
      amount: requested.amountMinor,
      currency: requested.currency,
      destination_msisdn: requested.destination,
      statement: requested.statement ?? null,
      seen: JSON.stringify(requested.seen),
      reason,
      status: 'pending',
      requested_by: staff.subject,
      requested_name: staff.name,
      requested_at: instant(nowMs),
      expires_at: instant(nowMs + APPROVAL_LIFE_MS),
      request_id: requestId,
    })
    // PostgreSQL matches a partial index by the literal text of its condition.
    .onConflict((on) => on.columns(['kind', 'target']).where(sql<boolean>`status = 'pending'`).doNothing())
    .returning('id')
    .executeTakeFirst()
  return written !== undefined
}

/** Locks the request. If two staff members decide at once, the second waits here and then finds it decided. */
export async function lockApproval(tx: Tx, id: ApprovalRequestId): Promise<Held<Approval> | undefined> {
  const row = await tx
    .selectFrom('approval_requests')
    .select(approvalColumns)
    .where('id', '=', uuidOf(id))
    .forUpdate()
    .executeTakeFirst()
  return heldIfFound(row && approvalOf(row))
}

export const OVERDUE_MAX = 500

export async function findOverdueApprovals(reader: Reader, nowMs: number): Promise<ApprovalRequestId[]> {
  const rows = await reader
    .selectFrom('approval_requests')
    .select('id')
    .where(sql<boolean>`status = 'pending'`)
    .where('expires_at', '<=', sql<number>`${instant(nowMs)}::timestamptz`)
    .where(notResting('expire-approvals', plainUuid('id'), nowMs))
    .orderBy('expires_at')
    .limit(OVERDUE_MAX)
    .execute()
  return rows.map(({ id }) => idOf('apr', id))
}

export const listApprovalsOf = (
  reader: Reader,
  merchantId: MerchantId,
  intentId: PaymentIntentId,
  max: number,
): Promise<ApprovalRow[]> =>
  reader
    .selectFrom('approval_requests')
    .select(approvalColumns)
    .where('payment_intent_id', '=', uuidOf(intentId))
    .where('merchant_id', '=', merchantId)
    .orderBy('id', 'desc')
    .limit(max)
    .execute()
