import {
  createInvoiceItem as createOperation,
  deleteInvoiceItem as deleteOperation,
  retrieveInvoiceItem,
  updateInvoiceItem as updateOperation,
} from '@merchant-payments/contract'
import {
  createInvoiceItem,
  deleteInvoiceItem,
  type Deps,
  getInvoiceItem,
  updateInvoiceItem,
  newMetadata,
} from '@merchant-payments/core'
import { command, read, removal, type Route } from './handle.ts'

export const invoiceItemRoutes = (deps: Deps): Route[] => [
  command(createOperation, ({ claim, body }) =>
    createInvoiceItem(deps, claim, {
      invoice: body.invoice,
      customer: body.customer,
      currency: body.currency,
      ...priceIn(body),
      description: body.description,
      metadata: newMetadata(body.metadata),
    }),
  ),
  read(retrieveInvoiceItem, async ({ merchantId, params }) =>
    JSON.stringify(await getInvoiceItem(deps, merchantId, params.id)),
  ),
  command(updateOperation, ({ claim, params, body }) =>
    updateInvoiceItem(deps, claim, params.id, {
      ...priceIn(body),
      description: body.description,
      metadata: body.metadata ?? {},
    }),
  ),
  removal(deleteOperation, async ({ merchantId, params }) =>
    JSON.stringify(await deleteInvoiceItem(deps, merchantId, params.id)),
  ),
]

interface WirePrice {
  readonly amount?: number | undefined
  readonly unit_amount?: number | undefined
  readonly quantity?: number | undefined
}

const priceIn = ({ amount, unit_amount, quantity }: WirePrice) => ({
  amountMinor: amount,
  unitAmountMinor: unit_amount,
  quantity,
})
