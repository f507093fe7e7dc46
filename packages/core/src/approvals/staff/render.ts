import type { ApprovalRequest } from '@merchant-payments/contract'
import type { ApprovalRow } from '../store.ts'
import { secondsOf, secondsOrNull } from '../../base/clock.ts'
import { createdOf, idOf } from '../../base/ids.ts'

/** Includes the number to pay, because the approver must check it. */
export function renderApproval(row: ApprovalRow): ApprovalRequest {
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
    msisdn: row.destination_msisdn,
    statement: row.statement,
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
