import { Refusal } from '@merchant-payments/contract'
import type { Tx } from '@merchant-payments/db'
import { heldRow } from '../audit/before.ts'
import type { Change, StaffRequest } from '../audit/change.ts'
import type { NumberFacts } from '../audit/numbers-store.ts'
import { afterErasure, secondsOf } from '../base/clock.ts'
import { mintId } from '../base/ids.ts'
import type { Deps } from '../deps.ts'
import { APPROVAL_LIFE_MS, type RequestedChange } from './approval.ts'
import { insertApproval, lockPayee } from './store.ts'
import { expireApprovalOf } from './transitions.ts'

/**
 * Stores a change for a second person to approve. Runs in its audit entry's transaction.
 *
 * @throws Refusal approval_pending
 */
export async function requestApproval(
  { clock }: Pick<Deps, 'clock'>,
  tx: Tx,
  requested: RequestedChange,
  request: StaffRequest,
  number?: NumberFacts,
): Promise<Change> {
  // Under the lock, so that an erasure clears the number if it comes after the request, and only then.
  const erasedAtMs = await lockPayee(tx, requested)
  const nowMs = afterErasure(erasedAtMs, clock())
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
    // Nothing changes yet. The approval compares it with the object, which it locks.
    before: heldRow(seen),
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
