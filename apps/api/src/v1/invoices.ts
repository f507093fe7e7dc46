import {
  createInvoice as createOperation,
  deleteInvoice as deleteOperation,
  finalizeInvoice as finalizeOperation,
  listInvoices as listOperation,
  markInvoiceUncollectible as markOperation,
  payInvoice as payOperation,
  retrieveInvoice,
  updateInvoice as updateOperation,
  voidInvoice as voidOperation,
} from '@merchant-payments/contract'
import {
  createInvoice,
  type CustomerId,
  deleteInvoice,
  type Deps,
  finalizeInvoice,
  getInvoice,
  type InvoiceId,
  listInvoices,
  markInvoiceUncollectible,
  parsePage,
  payInvoice,
  updateInvoice,
  voidInvoice,
  newMetadata,
} from '@merchant-payments/core'
import { command, read, removal, type Route } from './handle.ts'

export const invoiceRoutes = (deps: Deps): Route[] => [
  command(createOperation, ({ claim, body }) =>
    createInvoice(deps, claim, {
      customer: body.customer,
      currency: body.currency,
      description: body.description,
      dueDateSec: body.due_date,
      daysUntilDue: body.days_until_due,
      paymentMethodTypes: body.payment_method_types ?? [],
      metadata: newMetadata(body.metadata),
    }),
  ),
  read(listOperation, async ({ merchantId, query }) => {
    const filter = {
      customerId: (query.customer ?? null) as CustomerId | null,
      status: query.status ?? null,
    }
    return JSON.stringify(await listInvoices(deps, merchantId, parsePage<InvoiceId>(query), filter))
  }),
  read(retrieveInvoice, async ({ merchantId, params }) =>
    JSON.stringify(await getInvoice(deps, merchantId, params.id)),
  ),
  command(updateOperation, ({ claim, params, body }) =>
    updateInvoice(deps, claim, params.id, {
      description: body.description,
      dueDateSec: body.due_date,
      daysUntilDue: body.days_until_due,
      paymentMethodTypes: body.payment_method_types,
      metadata: body.metadata ?? {},
    }),
  ),
  removal(deleteOperation, async ({ merchantId, params }) =>
    JSON.stringify(await deleteInvoice(deps, merchantId, params.id)),
  ),
  command(finalizeOperation, ({ claim, params }) => finalizeInvoice(deps, claim, params.id)),
  command(voidOperation, ({ claim, params }) => voidInvoice(deps, claim, params.id)),
  command(markOperation, ({ claim, params }) => markInvoiceUncollectible(deps, claim, params.id)),
  command(payOperation, ({ claim, params }) => payInvoice(deps, claim, params.id)),
]
