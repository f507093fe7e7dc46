import {
  type CustomerId,
  getStaffInvoice,
  listStaffInvoices,
  moveStaffInvoice,
  parseStaffPage,
} from '@merchant-payments/core'
import { type HandlerDeps, handlers } from '../handlers.ts'

export const invoices = (deps: HandlerDeps) =>
  handlers({
    listStaffInvoices: ({ query }) =>
      listStaffInvoices(deps, parseStaffPage(query), {
        status: query.status ?? null,
        customerId: (query.customer ?? null) as CustomerId | null,
      }),
    retrieveStaffInvoice: ({ params }) => getStaffInvoice(deps, params.id),
    voidStaffInvoice: ({ request, params }) => moveStaffInvoice(deps, request, 'invoice.void', params.id),
    markStaffInvoiceUncollectible: ({ request, params }) =>
      moveStaffInvoice(deps, request, 'invoice.mark_uncollectible', params.id),
  })
