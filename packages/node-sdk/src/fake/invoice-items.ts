import type { DeletedInvoiceItem, Invoice, InvoiceItem } from '../wire.ts'
import { recount } from './invoices.ts'
import type { Form } from './parse-form.ts'
import { Refusal, type Store } from './store.ts'
import { AMOUNT_MAX, countOf, currencyOf, invalid, mergeMetadata, textIn } from './values.ts'

/** docs/spec-gaps.md, invoices. */
const QUANTITY_MAX = 999_999
const LINES_MAX = 250

type Price = Pick<InvoiceItem, 'unit_amount' | 'quantity'>

/** An amount of one unit, or parts of a product. Negative amounts are credits, and no amount is 0. */
function priceOf(form: Form): Partial<Price> {
  const amount = signedAmountOf(form, 'amount')
  const unitAmount = signedAmountOf(form, 'unit_amount')
  const quantity = countOf(form, 'quantity', 1, QUANTITY_MAX)
  if (amount === undefined) {
    return {
      ...(unitAmount === undefined ? {} : { unit_amount: unitAmount }),
      ...(quantity === undefined ? {} : { quantity }),
    }
  }
  if (unitAmount !== undefined) throw invalid('unit_amount', 'cannot be combined with amount')
  if (quantity !== undefined) throw invalid('quantity', 'requires unit_amount instead of amount')
  return { unit_amount: amount, quantity: 1 }
}

function signedAmountOf(form: Form, name: string): number | undefined {
  const amount = countOf(form, name, -AMOUNT_MAX, AMOUNT_MAX)
  if (amount === 0) throw invalid(name, 'must not be 0')
  return amount
}

function priced(before: Price, sent: Partial<Price>): Price & Pick<InvoiceItem, 'amount'> {
  const price = { ...before, ...sent }
  const amount = price.unit_amount * price.quantity
  if (Math.abs(amount) > AMOUNT_MAX) {
    const param = sent.quantity === undefined ? 'unit_amount' : 'quantity'
    throw invalid(param, `makes a line of more than ${AMOUNT_MAX}`)
  }
  return { ...price, amount }
}

export function createItem(store: Store, form: Form): InvoiceItem {
  const customer = textIn(form, 'customer')
  const currency = currencyOf(form)
  const price = priceOf(form)
  if (price.unit_amount === undefined) throw invalid('amount', 'or unit_amount is required')
  const invoice = store.invoices.get(textIn(form, 'invoice') ?? '')
  if (invoice === undefined) throw invalid('invoice', 'is no invoice')
  if (customer !== null && customer !== invoice.customer) {
    throw invalid('customer', 'is not the customer of the invoice')
  }
  if (currency !== undefined && currency !== invoice.currency) {
    throw invalid('currency', 'is not the currency of the invoice')
  }
  refuseUnlessDraft(invoice)
  const { data } = invoice.lines
  if (data.length === LINES_MAX) throw invalid('invoice', `has ${LINES_MAX} lines`)
  const item: InvoiceItem = {
    id: store.mint('ii'),
    object: 'invoiceitem',
    invoice: invoice.id,
    customer: invoice.customer,
    currency: invoice.currency,
    ...priced({ unit_amount: 0, quantity: 1 }, price),
    description: textIn(form, 'description'),
    metadata: mergeMetadata(form['metadata'], {}),
    created: store.nowSec(),
    livemode: false,
  }
  data.push(item)
  recount(invoice)
  return item
}

/** A line is found by its id, with its invoice. */
function find({ invoices }: Store, id: string): { item: InvoiceItem; invoice: Invoice } {
  for (const invoice of invoices.values()) {
    const item = invoice.lines.data.find((one) => one.id === id)
    if (item !== undefined) return { item, invoice }
  }
  throw new Refusal(404, 'resource_missing', 'No such invoice item.')
}

function refuseUnlessDraft({ status }: Invoice): void {
  if (status !== 'draft') throw new Refusal(409, 'invoice_not_draft', 'The invoice is not a draft.')
}

export const retrieveItem = (store: Store, id: string): InvoiceItem => find(store, id).item

export function updateItem(store: Store, id: string, form: Form): InvoiceItem {
  const price = priceOf(form)
  const { item, invoice } = find(store, id)
  const description = textIn(form, 'description')
  const metadata = mergeMetadata(form['metadata'], item.metadata)
  refuseUnlessDraft(invoice)
  Object.assign(item, priced(item, price), { metadata })
  if (form['description'] !== undefined) item.description = description
  recount(invoice)
  return item
}

export function deleteItem(store: Store, id: string): DeletedInvoiceItem {
  const { item, invoice } = find(store, id)
  refuseUnlessDraft(invoice)
  invoice.lines.data = invoice.lines.data.filter((one) => one !== item)
  recount(invoice)
  return { ...item, deleted: true }
}
