import type { InvoiceItem as WireInvoiceItem } from '@merchant-payments/contract'
import { createdOf } from '../base/ids.ts'
import type { Invoice } from './invoice.ts'
import type { InvoiceItem } from './item.ts'

type Unmeasured = Omit<InvoiceItem, 'bytes'>

export type InvoiceOfItem = Pick<Invoice, 'id' | 'customerId' | 'currency' | 'livemode'>

/** Spec 2.6. */
export const renderInvoiceItem = (item: Unmeasured, invoice: InvoiceOfItem): WireInvoiceItem => ({
  id: item.id,
  object: 'invoiceitem',
  invoice: invoice.id,
  customer: invoice.customerId,
  currency: invoice.currency,
  amount: item.amountMinor,
  unit_amount: item.unitAmountMinor,
  quantity: item.quantity,
  description: item.description,
  metadata: item.metadata,
  created: createdOf(item.id),
  livemode: invoice.livemode,
})

/** docs/spec-gaps.md, invoices: a line counts the bytes of its JSON, which readers receive. */
export const measured = (item: Unmeasured, invoice: InvoiceOfItem): InvoiceItem => ({
  ...item,
  bytes: Buffer.byteLength(JSON.stringify(renderInvoiceItem(item, invoice))),
})
