import type { RefundFailure, RefundReason, RefundStatus } from '@merchant-payments/contract'
import { type NewEvent, newEvent } from '../commit/event.ts'
import type { PaymentIntentId, RefundId } from '../base/ids.ts'
import { type MoveFrom, type Target, targetOf } from '../base/lifecycle.ts'
import { movedInstruction, type Move, type Payout } from '../payouts/payout.ts'
import { refundEvent, type RefundLifecycle, refundLifecycle, type RefundMove } from './lifecycle.ts'
import { renderRefund } from './render.ts'

export interface RefundFields extends Payout {
  readonly id: RefundId
  readonly intentId: PaymentIntentId
  readonly reason: RefundReason | null
  readonly failureReason: RefundFailure | null
  readonly metadata: Readonly<Record<string, string>>
  readonly livemode: boolean
}

export type Refund<S extends RefundStatus = RefundStatus> = S extends unknown
  ? RefundFields & { readonly status: S }
  : never

interface Facts {
  update: { metadata: Readonly<Record<string, string>> }
  cancel: object
  fail: { reason: RefundFailure; railCode?: string | null; railMessage?: string | null }
}

export interface RefundChange<S extends RefundStatus = RefundStatus> {
  readonly before: Refund
  readonly after: Refund<S>
  readonly event: NewEvent | null
}

export function moveRefund<S extends RefundStatus, M extends MoveFrom<RefundLifecycle, S>>(
  before: Refund<S>,
  move: M,
  facts: Facts[M & keyof Facts],
  nowMs: number,
): RefundChange<Target<RefundLifecycle, S, M> & RefundStatus> {
  const status = targetOf(refundLifecycle, before.status, move, 'a refund')
  const fields = applied[move as RefundMove](facts as never, before)
  const after = { ...before, ...fields, status, revision: before.revision + 1 } as Refund
  const { livemode, customerId } = after
  const event = newEvent(refundEvent[move as RefundMove], renderRefund(after), {
    livemode,
    customerId,
    nowMs,
  })
  return { before, after: after as Refund<Target<RefundLifecycle, S, M> & RefundStatus>, event }
}

/** A rail's refusal fails the refund. No other move shows on the wire or writes an event. */
export function instructRefund(before: Refund<'pending'>, move: Move, nowMs: number): RefundChange {
  if (move.kind === 'refuse') return moveRefund(before, 'fail', move, nowMs)
  const after = { ...before, ...movedInstruction(before, move), revision: before.revision + 1 }
  return { before, after, event: null }
}

const applied: { [M in RefundMove]: (facts: Facts[M], before: Refund) => Partial<RefundFields> } = {
  update: ({ metadata }) => ({ metadata }),
  cancel: () => ({ destination: null }),
  fail: ({ reason, railCode = null, railMessage = null }, before) => ({
    ...movedInstruction(before, { kind: 'refuse', reason, railCode, railMessage }),
    failureReason: reason,
  }),
}
