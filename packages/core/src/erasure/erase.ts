import type { Tx } from '@merchant-payments/db'
import { type Customer, eraseFacts } from '../customers/customer.ts'
import { renderCustomer } from '../customers/render.ts'
import { newEvent } from '../events/event.ts'
import type { Occasion } from '../events/store.ts'
import { eraseRow, redactCopies } from './store.ts'

/**
 * Spec 3.2: takes nine texts and two coordinates from a customer whom the transaction has locked, and from every copy of
 * them. A row that something refers to stays without them; any other goes.
 */
export async function eraseCustomer(
  tx: Tx,
  customer: Customer,
  occasion: Omit<Occasion, 'merchantId'>,
): Promise<void> {
  const { merchantId, id, livemode } = customer
  const { nowMs } = occasion
  const after = eraseFacts(customer, nowMs)
  await redactCopies(tx, merchantId, id)
  const event = newEvent('customer.deleted', renderCustomer(after), { livemode, customerId: id, nowMs })
  await eraseRow(tx, after, event, occasion)
}
