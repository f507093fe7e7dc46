import type { WrittenEventType } from '@merchant-payments/contract'
import { type AnyMove, lifecycle } from '../base/lifecycle.ts'

/** Spec 3.5: a create yields pending, and nothing settles a pending refund (spec 4.5.1). */
export const refundLifecycle = lifecycle({
  requires_action: { update: 'requires_action', cancel: 'canceled' },
  pending: { update: 'pending', fail: 'failed' },
  failed: { update: 'failed' },
  canceled: { update: 'canceled' },
})

export type RefundLifecycle = typeof refundLifecycle
export type RefundMove = AnyMove<RefundLifecycle>

/** Spec 6.1. */
export const refundEvent = {
  update: 'charge.refund.updated',
  cancel: 'charge.refund.updated',
  fail: 'charge.refund.updated',
} as const satisfies Record<RefundMove, WrittenEventType>
