import type { StaffRefund } from '@merchant-payments/contract'
import { renderRefund } from '../../refunds/render.ts'
import { refundOf } from '../../refunds/store.ts'
import { seconds } from '../charges/render.ts'
import type { StaffRefundRow } from './store.ts'

/** Without the number that is paid. */
export function renderStaffRefund(row: StaffRefundRow): StaffRefund {
  const refund = refundOf(row)
  return {
    ...renderRefund(refund),
    merchant: refund.merchantId,
    customer: refund.customerId,
    reference: refund.reference,
    instruction: refund.instruction,
    tries: row.tries,
    next_look_at: seconds(row.due_at),
    rested_at: seconds(row.rested_at),
    rail_code: refund.railCode,
    rail_message: refund.railMessage,
    request_id: row.request_id,
  }
}
