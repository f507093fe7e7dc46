import {
  createInvoice,
  type CustomerId,
  deleteInvoice,
  type Deps,
  finalizeInvoice,
  getInvoice,
  type InvoiceId,
  plainInvoiceChanges,
  plainInvoiceFields,
  listInvoices,
  markInvoiceUncollectible,
  newMetadata,
  parsePage,
  payInvoice,
  updateInvoice,
  voidInvoice,
} from '@merchant-payments/core'
import { handlers } from './handlers.ts'

export const invoices = (deps: Deps) =>
  handlers({
    createInvoice: ({ claim, body }) =>
      createInvoice(deps, claim, {
        customer: body.customer,
        currency: body.currency,
        ...plainInvoiceFields(body),
        dueDateSec: body.due_date,
        daysUntilDue: body.days_until_due,
        paymentMethodTypes: body.payment_method_types ?? [],
        metadata: newMetadata(body.metadata),
      }),
    listInvoices: ({ merchantId, query }) =>
      listInvoices(deps, merchantId, parsePage<InvoiceId>(query), {
        customerId: (query.customer ?? null) as CustomerId | null,
        status: query.status ?? null,
      }),
    retrieveInvoice: ({ merchantId, params }) => getInvoice(deps, merchantId, params.id),
    updateInvoice: ({ claim, params, body }) =>
      updateInvoice(deps, claim, params.id, {
        ...plainInvoiceChanges(body),
        dueDateSec: body.due_date,
        daysUntilDue: body.days_until_due,
        paymentMethodTypes: body.payment_method_types,
        metadata: body.metadata,
      }),
    deleteInvoice: ({ merchantId, params }) => deleteInvoice(deps, merchantId, params.id),
    finalizeInvoice: ({ claim, params }) => finalizeInvoice(deps, claim, params.id),
    voidInvoice: ({ claim, params }) => voidInvoice(deps, claim, params.id),
    markInvoiceUncollectible: ({ claim, params }) => markInvoiceUncollectible(deps, claim, params.id),
    payInvoice: ({ claim, params }) => payInvoice(deps, claim, params.id),
  })
