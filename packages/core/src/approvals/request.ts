import { Refusal } from '@merchant-payments/contract'
import type { Tx } from '@merchant-payments/db'
import type { Change, StaffRequest } from '../audit/change.ts'
import type { NumberFacts } from '../audit/numbers-store.ts'
import { secondsOf } from '../base/clock.ts'
import { mintId } from '../base/ids.ts'
import { APPROVAL_LIFE_MS, type RequestedChange } from './approval.ts'
import { insertApproval } from './store.ts'
import { expireApprovalOf } from './transitions.ts'

/**
 * Stores a change for a second person to approve. Runs in its audit entry's transaction.
 *
 * @throws Refusal approval_pending
 */
export async function requestApproval(
  tx: Tx,
  requested: RequestedChange,
  request: StaffRequest,
  { nowMs, number }: { nowMs: number; number?: NumberFacts },
): Promise<Change> {
  const id = mintId('apr', nowMs)
  // An overdue request must not block this one, even if the sweep has not expired it yet.
  await expireApprovalOf(tx, requested, nowMs)
  if (!(await insertApproval(tx, id, requested, request, nowMs))) {
    throw new Refusal(
      'approval_pending',
      'The same change is already waiting for approval. Approve or decline it first.',
    )
  }
  const { kind, target, merchantId, amountMinor, currency, seen, statement } = requested
  return {
    action: 'approval.request',
    target,
    merchantId,
    before: seen,
    after: {
      approval: id,
      kind,
      amount: amountMinor,
      currency,
      expires_at: secondsOf(nowMs + APPROVAL_LIFE_MS),
      ...number,
      ...(statement && { statement }),
    },
  }
}
