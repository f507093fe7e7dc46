import type { RefundFailure } from '@merchant-payments/contract'
import type { ChargeId, ChargeReturnId, PaymentIntentId } from '../base/ids.ts'
import { movedInstruction, type Move, type Payout } from '../payouts/payout.ts'

/** Internal: merchants see neither the return nor an event of it. */
export interface ChargeReturn extends Payout {
  readonly id: ChargeReturnId
  readonly chargeId: ChargeId
  readonly intentId: PaymentIntentId
  readonly failureReason: RefundFailure | null
}

export interface ReturnChange {
  readonly before: ChargeReturn
  readonly after: ChargeReturn
}

export function instructReturn(before: ChargeReturn, move: Move): ReturnChange {
  const failureReason = move.kind === 'refuse' ? move.reason : null
  const after = {
    ...before,
    ...movedInstruction(before, move),
    failureReason,
    revision: before.revision + 1,
  }
  return { before, after }
}
