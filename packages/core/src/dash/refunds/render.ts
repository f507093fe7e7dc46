import type { StaffRefund } from '@merchant-payments/contract'
import { renderRefund } from '../../refunds/render.ts'
import { refundOf, type RefundRow } from '../../refunds/store.ts'
import { seconds } from '../charges/render.ts'

/** Without the number that is paid. */
export function renderStaffRefund(row: RefundRow): StaffRefund {
  const refund = refundOf(row)
  return {
    ...renderRefund(refund),
    merchant: refund.merchantId,
    customer: refund.customerId,
    reference: refund.reference,
    instruction: refund.instruction,
    tries: refund.tries,
    next_look_at: seconds(refund.instructAtMs),
    rail_code: refund.railCode,
    rail_message: refund.railMessage,
    request_id: row.request_id,
  }
}
