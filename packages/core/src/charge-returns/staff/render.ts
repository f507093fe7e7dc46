import { secondsOrNull } from '../../base/clock.ts'
import type { StaffChargeReturn } from '@merchant-payments/contract'
import { returnOf } from '../store.ts'
import { renderConfirmation } from '../../statements/confirmation.ts'
import { createdOf } from '../../base/ids.ts'
import type { StaffReturnRow } from './store.ts'

/** Leaves out the number to pay. */
export function renderChargeReturn(row: StaffReturnRow): StaffChargeReturn {
  const found = returnOf(row)
  return {
    id: found.id,
    object: 'charge_return',
    merchant: found.merchantId,
    charge: found.chargeId,
    payment_intent: found.intentId,
    customer: found.customerId,
    amount: found.amountMinor,
    currency: found.currency,
    rail: found.rail,
    reference: found.reference,
    instruction: found.instruction,
    failure_reason: found.failureReason,
    tries: row.tries,
    next_look_at: secondsOrNull(row.due_at),
    rested_at: secondsOrNull(row.rested_at),
    rail_code: found.railCode,
    rail_message: found.railMessage,
    confirmed: renderConfirmation(row),
    request_id: row.request_id,
    created: createdOf(found.id),
  }
}
