import { instant } from '@merchant-payments/db'
import { type Creation, createTogether, inserting } from '../commit/creates.ts'
import type { NewEvent } from '../commit/event.ts'
import { uuidOf } from '../base/ids.ts'
import type { Customer } from './customer.ts'
import { customerRows, factRow } from './store.ts'

export interface NewCustomer extends Creation {
  readonly customer: Customer
  readonly event: NewEvent
}

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
