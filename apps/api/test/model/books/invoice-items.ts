import { named, type Rule } from './call.ts'
import { type Form, merged } from './form.ts'
import type { Invoice, Item } from './objects.ts'
import { renderItem } from './render.ts'
import { mint, type Shop } from './state.ts'
import { bad, Refused } from './verdict.ts'

const AMOUNT_MAX = 99_999_999
const QUANTITY_MAX = 999_999

/** What a request says of a price: an amount of one piece, or parts of the product. */
interface Price {
  readonly unitAmount: number | undefined
  readonly quantity: number | undefined
}

export const createItem: Rule = ({ books, shop, form, nowMs }) => {
  const id = form.required('invoice')
  const customer = form.optional('customer')
  const currency = form.currency()
  const price = priceIn(form)
  const metadata = merged({}, form.metadata())
  if (price.unitAmount === undefined) throw bad('amount')
  const invoice = named(shop.invoices, id, 'invoice')
  if (customer !== null && customer !== invoice.customer) throw bad('customer')
  if (currency !== undefined && currency !== invoice.currency) throw bad('currency')
  refuseUnlessDraft(invoice)
  const fresh = { id: mint(books, 'ii'), madeMs: nowMs, description: form.optional('description'), metadata }
  const item: Item = { ...fresh, ...priced({ unitAmount: 0, quantity: 1 }, price) }
  invoice.items.push(item)
  return renderItem(item, invoice)
}

function priceIn(form: Form): Price {
  const amount = form.signedAmount('amount')
  const unitAmount = form.signedAmount('unit_amount')
  const quantity = form.count('quantity', 1, QUANTITY_MAX)
  if (amount === undefined) return { unitAmount, quantity }
  if (unitAmount !== undefined) throw bad('unit_amount')
  if (quantity !== undefined) throw bad('quantity')
  return { unitAmount: amount, quantity: 1 }
}

function priced(before: Pick<Item, 'unitAmount' | 'quantity'>, sent: Price) {
  const unitAmount = sent.unitAmount ?? before.unitAmount
  const quantity = sent.quantity ?? before.quantity
  if (Math.abs(unitAmount * quantity) > AMOUNT_MAX) {
    throw bad(sent.quantity === undefined ? 'unit_amount' : 'quantity')
  }
  return { unitAmount, quantity }
}

/** An item is found by its id, with the invoice that it is a line of. */
function find({ invoices }: Shop, id: string): { item: Item; invoice: Invoice } {
  for (const invoice of invoices) {
    const item = invoice.items.find((one) => one.id === id)
    if (item !== undefined) return { item, invoice }
  }
  throw new Refused('resource_missing')
}

function refuseUnlessDraft({ status }: Invoice): void {
  if (status !== 'draft') throw new Refused('invoice_not_draft')
}

export const retrieveItem: Rule = ({ shop, id }) => {
  const { item, invoice } = find(shop, id)
  return renderItem(item, invoice)
}

export const updateItem: Rule = ({ shop, id, form }) => {
  const price = priceIn(form)
  const metadata = form.metadata()
  const description = form.clearable('description')
  const { item, invoice } = find(shop, id)
  refuseUnlessDraft(invoice)
  Object.assign(item, priced(item, price), { metadata: merged(item.metadata, metadata) })
  if (description !== undefined) item.description = description
  return renderItem(item, invoice)
}

export const deleteItem: Rule = ({ shop, id }) => {
  const { item, invoice } = find(shop, id)
  refuseUnlessDraft(invoice)
  invoice.items = invoice.items.filter((one) => one !== item)
  return { ...renderItem(item, invoice), deleted: true }
}
