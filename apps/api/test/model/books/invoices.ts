import { type Call, named, namedCustomer, own, type Rule, use } from './call.ts'
import { isOpen } from './charges.ts'
import { refuseInVain } from './confirm.ts'
import { CREATED, idIn, wasMade, wordIn } from './filters.ts'
import { type Form, merged } from './form.ts'
import type { Customer, Invoice } from './objects.ts'
import { page } from './pages.ts'
import { newIntent, refuseUnknownRail } from './payment-intents.ts'
import { isRail, rails } from './rails.ts'
import { renderInvoice, totalOf } from './render.ts'
import { mint, secondsOf, type Shop, tell } from './state.ts'
import { bad, Refused } from './verdict.ts'

const DAY_SEC = 24 * 60 * 60

export const createInvoice: Rule = (call) => {
  const { books, shop, form, nowMs } = call
  const id = form.required('customer')
  const currency = form.currency()
  if (currency === undefined) throw bad('currency')
  const due = dueIn(form, nowMs)
  const metadata = merged({}, form.metadata())
  const codes = railsIn(form) ?? []
  const customer = namedCustomer(call, id)
  use(customer, nowMs)
  const invoice: Invoice = {
    id: mint(books, 'in'),
    madeMs: nowMs,
    customer: customer.id,
    currency,
    items: [],
    status: 'draft',
    number: null,
    description: form.optional('description'),
    dueSec: due ?? null,
    intent: null,
    rails: codes,
    metadata,
    finalizedMs: null,
    paidMs: null,
    voidedMs: null,
    markedMs: null,
  }
  shop.invoices.push(invoice)
  tell(books, shop, 'invoice.created', renderInvoice(invoice, 'none'), nowMs)
  return renderInvoice(invoice, 'all')
}

/** An instant, or days from the request; undefined when neither is sent, null when it is cleared. */
function dueIn(form: Form, nowMs: number): number | null | undefined {
  const isCleared = form.text('due_date') === ''
  const at = isCleared ? null : form.count('due_date', 1, 9_999_999_999)
  const days = form.count('days_until_due', 0, 365)
  if (at !== undefined && days !== undefined) throw bad('days_until_due')
  return days === undefined ? at : secondsOf(nowMs) + days * DAY_SEC
}

/** Undefined when none are sent; an empty value clears them. */
function railsIn(form: Form): readonly string[] | undefined {
  if (form.text('payment_method_types') === '') return []
  const codes = form.list('payment_method_types')
  if (codes !== undefined) refuseUnknownRail(codes)
  return codes && [...new Set(codes)]
}

/** POST and PATCH are one handler. Writes no event (spec 6.1). */
export const updateInvoice: Rule = ({ shop, id, form, nowMs }) => {
  const due = dueIn(form, nowMs)
  const metadata = form.metadata()
  const description = form.clearable('description')
  const terms = ['due_date', 'days_until_due', 'payment_method_types', 'payment_method_types[]']
  const invoice = own(shop.invoices, id)
  const changesTerms = terms.some((name) => form.text(name) !== undefined)
  if (changesTerms && invoice.status !== 'draft') throw new Refused('invoice_not_draft')
  const codes = railsIn(form)
  if (due !== undefined) invoice.dueSec = due
  if (codes !== undefined) invoice.rails = codes
  if (description !== undefined) invoice.description = description
  invoice.metadata = merged(invoice.metadata, metadata)
  return renderInvoice(invoice, 'all')
}

export const retrieveInvoice: Rule = ({ shop, id }) => renderInvoice(own(shop.invoices, id), 'all')

export const listInvoices: Rule = (call) => {
  const { shop, form } = call
  const isOfCustomer = idIn(form, 'customer', 'cus')
  const isOfStatus = wordIn(form, 'status', ['draft', 'open', 'paid', 'void', 'uncollectible'])
  return page(call, {
    url: '/v1/invoices',
    kind: 'in',
    rows: shop.invoices
      .filter(wasMade(form))
      .filter(({ customer, status }) => isOfCustomer(customer) && isOfStatus(status)),
    render: (invoice) => renderInvoice(invoice, 'all'),
    filters: ['customer', 'status', ...CREATED],
  })
}

export const deleteInvoice: Rule = ({ shop, id }) => {
  const invoice = own(shop.invoices, id)
  if (invoice.status !== 'draft') throw new Refused('invoice_not_draft')
  shop.invoices.splice(shop.invoices.indexOf(invoice), 1)
  return { ...renderInvoice(invoice, 'all'), deleted: true }
}

/** Needs a line and a total that an intent can have; takes the merchant's next number. */
export const finalizeInvoice: Rule = ({ books, shop, id, nowMs }) => {
  const invoice = own(shop.invoices, id)
  if (invoice.status !== 'draft') throw new Refused('invoice_not_draft')
  const total = totalOf(invoice)
  if (invoice.items.length === 0 || total < 1 || total > 99_999_999) throw bad('lines')
  const customer = named(shop.customers, invoice.customer, 'customer')
  if (customer.erasedMs !== null) throw new Refused('customer_erased')
  use(customer, nowMs)
  shop.lastNumber += 1
  Object.assign(invoice, { status: 'open', number: shop.lastNumber, finalizedMs: nowMs })
  tell(books, shop, 'invoice.finalized', renderInvoice(invoice, 'none'), nowMs)
  return renderInvoice(invoice, 'all')
}

export const voidInvoice: Rule = ({ books, shop, id, nowMs }) => {
  const invoice = payable(shop, id)
  Object.assign(invoice, { status: 'void', voidedMs: nowMs })
  tell(books, shop, 'invoice.voided', renderInvoice(invoice, 'none'), nowMs)
  return renderInvoice(invoice, 'all')
}

export const markInvoiceUncollectible: Rule = ({ shop, id, nowMs }) => {
  const invoice = payable(shop, id)
  if (invoice.status === 'uncollectible') throw new Refused('invoice_uncollectible')
  Object.assign(invoice, { status: 'uncollectible', markedMs: nowMs })
  return renderInvoice(invoice, 'all')
}

/** Waits for money, and no charge of any of its intents may still take some. */
function payable(shop: Shop, id: string): Invoice {
  const invoice = own(shop.invoices, id)
  if (invoice.status === 'draft') throw new Refused('invoice_draft')
  if (invoice.status === 'paid') throw new Refused('invoice_paid')
  if (invoice.status === 'void') throw new Refused('invoice_void')
  const intents = shop.intents.filter((intent) => intent.invoice === id)
  if (intents.some(({ charges }) => charges.some(isOpen))) throw new Refused('charge_in_progress')
  return invoice
}

/**
 * An intent that waits is shown again and a canceled one replaced: there are never two that can be paid. One that waits in
 * vain is refused.
 */
export const payInvoice: Rule = (call) => {
  const { shop } = call
  const invoice = payable(shop, call.id)
  const usable = usableRails(invoice)
  const customer = named(shop.customers, invoice.customer, 'customer')
  if (customer.erasedMs !== null) throw new Refused('customer_erased')
  const waiting = shop.intents.find(({ id }) => id === invoice.intent)
  if (waiting !== undefined && waiting.status !== 'canceled') refuseInVain(waiting)
  else mintFor(call, invoice, customer, usable)
  return renderInvoice(invoice, 'all')
}

function usableRails({ rails: own, currency }: Invoice): readonly string[] {
  const offered = own.length === 0 ? Object.keys(rails) : own
  const usable = offered.filter((code) => isRail(code) && rails[code].currency === currency)
  if (usable.length === 0) throw bad('payment_method_types')
  return usable
}

function mintFor(call: Call, invoice: Invoice, customer: Customer, usable: readonly string[]): void {
  const { shop } = call
  const { currency, description, id } = invoice
  const terms = { amount: totalOf(invoice), currency, rails: usable, description, metadata: {} }
  const intent = newIntent(call, { ...terms, customer, invoice: id })
  shop.intents.push(intent)
  invoice.intent = intent.id
}
