import { z } from 'zod'
import { Customer } from '../customers.ts'
import { exampleIds } from '../examples.ts'
import { idParam } from '../form.ts'
import { listOf } from '../list.ts'
import {
  change,
  instant,
  instantOrNull,
  merchantField,
  payerFilter,
  staffListQuery,
  staffRead,
} from './common.ts'

export const StaffCustomer = Customer.extend({
  merchant: merchantField,
  last_used_at: instant('When the customer was last created, changed or used.'),
  erased_at: instantOrNull('When the erasure began.', 'if the customer is not erased'),
}).meta({ id: 'StaffCustomer', description: 'A customer of a merchant, erased ones included.' })
export type StaffCustomer = z.infer<typeof StaffCustomer>

export const listStaffCustomers = staffRead({
  id: 'customers.list',
  path: '/customers',
  summary: 'List customers of all merchants',
  description: [
    'Pages through the customers of all merchants, newest first. A list under a number’s handle is written to the audit log as `number.look_up`. Any other page that shows a person is written as `person.look_up` with the target `customers`, once in 10 minutes for each staff member.',
  ],
  query: z.strictObject({ ...staffListQuery('cus'), payer: payerFilter }),
  schema: listOf(StaffCustomer),
  ok: 'One page of customers.',
  example: { params: { merchant: exampleIds.merchant }, answer: { object: 'list' } },
})

export const retrieveStaffCustomer = staffRead({
  id: 'customers.retrieve',
  path: '/customers/{id}',
  summary: 'Open a customer',
  description: [
    'Reads a customer. An entry `customer.view` is written to the audit log before the answer is sent.',
  ],
  params: z.object({ id: idParam('cus') }),
  schema: StaffCustomer,
  ok: 'The customer.',
  example: { id: exampleIds.customer, answer: { id: exampleIds.customer, object: 'customer' } },
})

export const eraseStaffCustomer = change({
  id: 'customers.erase',
  isGrave: true,
  role: 'admin',
  path: '/customers/{id}/erase',
  prefix: 'cus',
  summary: 'Erase a customer for a merchant',
  description: [
    'Erases a customer and every stored copy of the identifiers, as the merchant’s DELETE does. It cannot be undone.',
  ],
  errors: [],
  example: {
    id: exampleIds.customer,
    params: { reason: 'Erasure requested in ticket 4711.' },
    answer: { object: 'audit_entry', action: 'customer.erase', target: exampleIds.customer },
  },
})
