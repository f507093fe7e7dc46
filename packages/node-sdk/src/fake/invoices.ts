import type { DeletedInvoice, Invoice } from '../wire.ts'
import { newIntent } from './intents.ts'
import type { Form } from './parse-form.ts'
import { get, record, Refusal, type Store } from './store.ts'
import {
  AMOUNT_MAX,
  countOf,
  customerOf,
  invalid,
  mergeMetadata,
  namedCustomer,
  PUSH_RAIL,
  railsOf,
  REDIRECT_RAIL,
  requiredCurrencyOf,
  SECONDS_MAX,
  SETTLEMENT_CURRENCY,
  textIn,
} from './values.ts'

const DAY_SEC = 86_400

/** docs/spec-gaps.md, invoices. */
const DUE_DAYS_MAX = 365

/** Writes the sums of the lines. */
export function recount(invoice: Invoice): void {
  const total = invoice.lines.data.reduce((sum, { amount }) => sum + amount, 0)
  const due = Math.max(total, 0)
  const paid = invoice.status === 'paid' ? due : 0
  Object.assign(invoice, {
    subtotal: total,
    total,
    amount_due: due,
    amount_paid: paid,
    amount_remaining: due - paid,
  })
}

type Type = 'invoice.created' | 'invoice.finalized' | 'invoice.paid' | 'invoice.voided'

/** Events show no lines (spec 6.2). */
function tell(store: Store, type: Type, invoice: Invoice): void {
  const lines = { ...invoice.lines, has_more: false as const, data: [] as [] }
  record(store, type, { ...invoice, lines })
}

export function createInvoice(store: Store, form: Form): Invoice {
  const named = textIn(form, 'customer')
  if (named === null) throw invalid('customer', 'is required')
  const currency = requiredCurrencyOf(form)
  const due = dueOf(store, form)
  const rails = railsOf(form) ?? []
  const customer = namedCustomer(store, named)
  const id = store.mint('in')
  const invoice: Invoice = {
    id,
    object: 'invoice',
    status: 'draft',
    number: null,
    customer: customer.id,
    currency,
    subtotal: 0,
    total: 0,
    amount_due: 0,
    amount_paid: 0,
    amount_remaining: 0,
    description: textIn(form, 'description'),
    due_date: due ?? null,
    payment_intent: null,
    payment_method_types: rails,
    metadata: mergeMetadata(form['metadata'], {}),
    lines: { object: 'list', url: `/v1/invoices/${id}/lines`, has_more: false, data: [] },
    status_transitions: {
      finalized_at: null,
      paid_at: null,
      voided_at: null,
      marked_uncollectible_at: null,
    },
    created: store.nowSec(),
    livemode: false,
  }
  store.invoices.set(id, invoice)
  tell(store, 'invoice.created', invoice)
  return invoice
}

/** A second, or days from now; undefined if neither was sent, null if it is cleared. */
function dueOf(store: Store, form: Form): number | null | undefined {
  const at = form['due_date'] === '' ? null : countOf(form, 'due_date', 1, SECONDS_MAX)
  const days = countOf(form, 'days_until_due', 0, DUE_DAYS_MAX)
  if (at !== undefined && days !== undefined) {
    throw invalid('days_until_due', 'cannot be combined with due_date')
  }
  return days === undefined ? at : store.nowSec() + days * DAY_SEC
}

const getInvoice = (store: Store, id: string): Invoice => get(store.invoices, id, 'invoice')

/** Only description and metadata of a finalized invoice can change. Writes no event. */
export function updateInvoice(store: Store, id: string, form: Form): Invoice {
  const due = dueOf(store, form)
  const invoice = getInvoice(store, id)
  const rails = form['payment_method_types'] === '' ? [] : railsOf(form)
  const description = textIn(form, 'description')
  const metadata = mergeMetadata(form['metadata'], invoice.metadata)
  if (due !== undefined || rails !== undefined) refuseUnlessDraft(invoice)
  if (due !== undefined) invoice.due_date = due
  if (rails !== undefined) invoice.payment_method_types = rails
  if (form['description'] !== undefined) invoice.description = description
  invoice.metadata = metadata
  return invoice
}

function refuseUnlessDraft({ status }: Invoice): void {
  if (status !== 'draft') throw new Refusal(409, 'invoice_not_draft', 'The invoice is not a draft.')
}

export function deleteInvoice(store: Store, id: string): DeletedInvoice {
  const invoice = getInvoice(store, id)
  refuseUnlessDraft(invoice)
  store.invoices.delete(id)
  return { ...invoice, deleted: true }
}

export function finalizeInvoice(store: Store, id: string): Invoice {
  const invoice = getInvoice(store, id)
  refuseUnlessDraft(invoice)
  const { total, lines } = invoice
  if (lines.data.length === 0 || total < 1 || total > AMOUNT_MAX) {
    throw invalid('lines', `must have a total of 1 to ${AMOUNT_MAX}`)
  }
  customerOf(store, invoice.customer)
  invoice.status = 'open'
  invoice.number = String(store.nextInvoiceNumber())
  invoice.status_transitions.finalized_at = store.nowSec()
  tell(store, 'invoice.finalized', invoice)
  return invoice
}

export function voidInvoice(store: Store, id: string): Invoice {
  const invoice = payable(store, id)
  invoice.status = 'void'
  invoice.status_transitions.voided_at = store.nowSec()
  tell(store, 'invoice.voided', invoice)
  return invoice
}

export function markUncollectible(store: Store, id: string): Invoice {
  const invoice = payable(store, id)
  if (invoice.status === 'uncollectible') {
    throw new Refusal(409, 'invoice_uncollectible', 'The invoice is uncollectible already.')
  }
  invoice.status = 'uncollectible'
  invoice.status_transitions.marked_uncollectible_at = store.nowSec()
  return invoice
}

/** An invoice that waits for money, without a charge that can still take some. */
function payable(store: Store, id: string): Invoice {
  const invoice = getInvoice(store, id)
  if (invoice.status === 'draft') throw new Refusal(409, 'invoice_draft', 'The invoice is a draft.')
  if (invoice.status === 'paid') throw new Refusal(409, 'invoice_paid', 'The invoice is paid.')
  if (invoice.status === 'void') throw new Refusal(409, 'invoice_void', 'The invoice is void.')
  const hasCharge = [...store.intents.values()].some(
    (intent) => intent.invoice === id && store.openCharges.has(intent.id),
  )
  if (hasCharge) throw new Refusal(409, 'charge_in_progress', 'A charge is in progress.')
  return invoice
}

/** Returns a waiting intent again, and replaces a canceled one. */
export function payInvoice(store: Store, id: string): Invoice {
  const invoice = payable(store, id)
  const { currency, payment_method_types: own, description } = invoice
  const rails = own.length > 0 ? own : [PUSH_RAIL, REDIRECT_RAIL]
  if (currency !== SETTLEMENT_CURRENCY) throw invalid('payment_method_types', 'has no rail of this currency')
  const customer = customerOf(store, invoice.customer).id
  const waiting = store.intents.get(invoice.payment_intent ?? '')
  if (waiting !== undefined && waiting.status !== 'canceled') return invoice
  const terms = { amount: invoice.total, currency, payment_method_types: rails, customer, description }
  invoice.payment_intent = newIntent(store, { ...terms, metadata: {}, invoice: id }).id
  return invoice
}

/** A success pays the invoice of its intent, unless the invoice is paid or void already. */
export function settleInvoice(store: Store, id: string | null, intentId: string): void {
  const invoice = store.invoices.get(id ?? '')
  if (invoice?.status !== 'open' && invoice?.status !== 'uncollectible') return
  invoice.status = 'paid'
  invoice.payment_intent = intentId
  invoice.status_transitions.paid_at = store.nowSec()
  recount(invoice)
  tell(store, 'invoice.paid', invoice)
}
