import { instant } from '@merchant-payments/db'
import { type Creation, createTogether, inserting } from '../../commit/creates.ts'
import type { NewEvent } from '../../commit/event.ts'
import { uuidOf } from '../../base/ids.ts'
import type { Customer } from '../customer.ts'
import { customerRows, factRow } from '../store.ts'

/** A new customer with its event, and the request that it answers. */
export interface NewCustomer extends Creation {
  readonly customer: Customer
  readonly event: NewEvent
}

/** Creates of customers that arrive together. */
export const newCustomers = createTogether<NewCustomer>({
  inserts: [
    inserting(customerRows, ({ customer, nowMs }: NewCustomer) => ({
      merchant_id: customer.merchantId,
      id: uuidOf(customer.id),
      ...factRow(customer),
      livemode: customer.livemode,
      last_used_at: instant(nowMs),
    })),
  ],
  customerOf: ({ customer }) => customer.id,
  namesCustomers: false,
  eventOf: ({ event }) => event,
})
