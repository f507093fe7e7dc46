import type { StaffIntent } from '@merchant-payments/contract'
import { idOf } from '../../base/ids.ts'
import { renderPaymentIntent } from '../render.ts'
import { intentOf } from '../store.ts'
import type { StaffIntentRow } from './store.ts'

/** Leaves out the address of the rail's page, which only the payer may open. */
export function renderStaffIntent(row: StaffIntentRow): StaffIntent {
  const { next_action: _, ...intent } = renderPaymentIntent(intentOf(row))
  const { charge_id: id, charge_rail: rail, charge_status: status } = row
  return {
    ...intent,
    merchant: row.merchant_id,
    refund_reserved: row.refund_reserved,
    charge: id === null || rail === null || status === null ? null : { id: idOf('ch', id), rail, status },
  }
}
