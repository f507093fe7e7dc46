import {
  eraseStaffCustomer,
  getCustomerActivity,
  getStaffCustomer,
  listStaffCustomers,
  parseStaffPage,
} from '@merchant-payments/core'
import { type HandlerDeps, handlers } from '../handlers.ts'

export const customers = (deps: HandlerDeps) =>
  handlers({
    listStaffCustomers: ({ by, query, logged }) =>
      logged(listStaffCustomers(deps, by, parseStaffPage(query), query.payer ?? null)),
    retrieveStaffCustomer: ({ by, params, logged }) => logged(getStaffCustomer(deps, by, params.id)),
    retrieveCustomerActivity: ({ by, params, logged }) => logged(getCustomerActivity(deps, by, params.id)),
    eraseStaffCustomer: ({ request, params }) => eraseStaffCustomer(deps, request, params.id),
  })
