import { z } from 'zod'
import { Customer } from '../customers.ts'
import { idParam } from '../form.ts'
import { listOf } from '../list.ts'
import { change, instant, payerFilter, staffListQuery, staffRead } from './common.ts'

/** A customer of a merchant's, erased ones included. */
export const StaffCustomer = Customer.extend({
  merchant: z.string(),
  last_used_at: instant,
  erased_at: instant.nullable(),
})
export type StaffCustomer = z.infer<typeof StaffCustomer>

export const listStaffCustomers = staffRead({
  id: 'customers.list',
  path: '/customers',
  query: z.strictObject({ ...staffListQuery('cus'), payer: payerFilter }),
  schema: listOf(StaffCustomer),
})

export const retrieveStaffCustomer = staffRead({
  id: 'customers.retrieve',
  path: '/customers/{id}',
  params: z.object({ id: idParam('cus') }),
  schema: StaffCustomer,
})

export const eraseStaffCustomer = change({
  id: 'customers.erase',
  isGrave: true,
  role: 'admin',
  path: '/customers/{id}/erase',
  prefix: 'cus',
})
