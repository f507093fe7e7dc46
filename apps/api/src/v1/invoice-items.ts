import {
  createInvoiceItem,
  deleteInvoiceItem,
  type Deps,
  getInvoiceItem,
  newMetadata,
  updateInvoiceItem,
} from '@merchant-payments/core'
import { handlers } from './handlers.ts'

export const invoiceItems = (deps: Deps) =>
  handlers({
    createInvoiceItem: ({ claim, body }) =>
      createInvoiceItem(deps, claim, {
        invoice: body.invoice,
        customer: body.customer,
        currency: body.currency,
        ...priceIn(body),
        description: body.description,
        metadata: newMetadata(body.metadata),
      }),
    retrieveInvoiceItem: ({ merchantId, params }) => getInvoiceItem(deps, merchantId, params.id),
    updateInvoiceItem: ({ claim, params, body }) =>
      updateInvoiceItem(deps, claim, params.id, {
        ...priceIn(body),
        description: body.description,
        metadata: body.metadata,
      }),
    deleteInvoiceItem: ({ merchantId, params }) => deleteInvoiceItem(deps, merchantId, params.id),
  })

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
