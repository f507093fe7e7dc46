import type { ApprovalRequest, StaffCharge } from '@merchant-payments/contract'
import type { ApprovalRow } from '../store.ts'
import { secondsOf, secondsOrNull } from '../../base/clock.ts'
import { createdOf, idOf } from '../../base/ids.ts'
import { maskedNumber } from '../../base/masked-number.ts'
import type { Staff } from '../../audit/render.ts'

/** Masks the number to pay for viewers. Who can decide a request needs its whole number. */
export const renderApprovalFor =
  ({ role }: Pick<Staff, 'role'>) =>
  (row: ApprovalRow): ApprovalRequest => {
    const number = row.destination_msisdn
    return renderApproval(row, role === 'viewer' ? maskedNumber(number) : number)
  }

/**
 * Includes the number to pay, and what the author saw of the charge, because the approver must check both. The approval
 * is refused if any of it has changed.
 */
function renderApproval(row: ApprovalRow, msisdn: string | null): ApprovalRequest {
  const id = idOf('apr', row.id)
  return {
    id,
    object: 'approval_request',
    merchant: row.merchant_id,
    kind: row.kind,
    target: row.target,
    payment_intent: idOf('pi', row.payment_intent_id),
    amount: row.amount,
    currency: row.currency,
    msisdn,
    statement: row.statement,
    ...evidenceIn(row),
    status: row.status,
    reason: row.reason,
    requested_by: { subject: row.requested_by, name: row.requested_name },
    created: createdOf(id),
    expires_at: secondsOf(row.expires_at),
    decided_by: row.decided_by === null ? null : { subject: row.decided_by, name: row.decided_name ?? '' },
    decided_at: secondsOrNull(row.decided_at),
    decision_reason: row.decision_reason,
    obsolete_because: row.obsolete_because,
  }
}

function evidenceIn({
  kind,
  seen,
}: ApprovalRow): Pick<ApprovalRequest, 'charge_status' | 'reported' | 'unproven'> {
  const { status, unproven, reported_amount: amount, reported_currency: currency } = seen
  return {
    charge_status: kind === 'refund.create' ? null : (status as StaffCharge['status']),
    reported:
      amount === undefined ? null : { amount: amount as number | null, currency: currency as string | null },
    unproven: unproven === true,
  }
}
