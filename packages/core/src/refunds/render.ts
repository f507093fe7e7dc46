import type { Refund as WireRefund } from '@merchant-payments/contract'
import { createdOf } from '../base/ids.ts'
import type { Refund } from './refund.ts'

/** Spec 2.7. Never contains the number to pay. */
export const renderRefund = (refund: Refund): WireRefund => ({
  id: refund.id,
  object: 'refund',
  amount: refund.amountMinor,
  currency: refund.currency,
  payment_intent: refund.intentId,
  status: refund.status,
  // Spec 2.7: always null, which is not 0.
  fee: null,
  reason: refund.reason,
  failure_reason: refund.failureReason,
  destination_details: { type: refund.rail },
  metadata: refund.metadata,
  created: createdOf(refund.id),
  livemode: refund.livemode,
})
