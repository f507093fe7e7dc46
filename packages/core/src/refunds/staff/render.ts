import { secondsOrNull } from '../../base/clock.ts'
import type { StaffRefund } from '@merchant-payments/contract'
import { renderConfirmation } from '../../statements/confirmation.ts'
import { renderRefund } from '../render.ts'
import { refundOf } from '../store.ts'
import type { StaffRefundRow } from './store.ts'

export function renderStaffRefund(row: StaffRefundRow): StaffRefund {
  const refund = refundOf(row)
  return {
    ...renderRefund(refund),
    merchant: refund.merchantId,
    customer: refund.customerId,
    reference: refund.reference,
    instruction: refund.instruction,
    tries: row.tries,
    next_look_at: secondsOrNull(row.due_at),
    rested_at: secondsOrNull(row.rested_at),
    rail_code: refund.railCode,
    rail_message: refund.railMessage,
    confirmed: renderConfirmation(row),
    request_id: row.request_id,
  }
}
