import type { Customer, Intent, Invoice, Item, Refund, Session } from './objects.ts'
import { secondsOf, type Told } from './state.ts'
import type { Json } from './verdict.ts'

/** Spec 2: the objects of the wire, each with every key that it has and no other. */
type Body = { readonly [key: string]: Json }

const seconds = (ms: number | null): number | null => (ms === null ? null : secondsOf(ms))

export const renderCustomer = ({ id, facts, erasedMs, madeMs }: Customer): Body => ({
  id,
  object: 'customer',
  name: facts.name,
  email: facts.email,
  phone: facts.phone,
  address: facts.address && { ...facts.address },
  metadata: facts.metadata,
  created: secondsOf(madeMs),
  livemode: false,
  ...(erasedMs === null ? {} : { deleted: true }),
})

/** Spec 2.4: what every read shows, a payer's too. */
export const renderIntent = (intent: Intent): Body => ({
  id: intent.id,
  object: 'payment_intent',
  amount: intent.amount,
  currency: intent.currency,
  status: intent.status,
  payment_method_types: intent.rails,
  customer: intent.customer,
  description: intent.description,
  metadata: intent.metadata,
  next_action:
    intent.status === 'processing' && intent.page !== null
      ? {
          type: 'redirect_to_url',
          redirect_to_url: { url: intent.page.url, return_url: intent.page.returnUrl },
        }
      : null,
  last_payment_error: intent.error && {
    type: 'rail_error',
    code: intent.error.code,
    decline_code: intent.error.declineCode,
    message: intent.error.message,
    payment_method_type: intent.error.rail,
  },
  invoice: intent.invoice,
  canceled_at: seconds(intent.canceledMs),
  cancellation_reason: intent.reason,
  created: secondsOf(intent.madeMs),
  livemode: false,
})

/** As an event shows it: with neither address nor secret (spec 6.2). */
export const renderSession = (session: Session, intent: Intent): Body => ({
  id: session.id,
  object: 'checkout.session',
  status: session.status,
  payment_status: session.paid ? 'paid' : 'unpaid',
  payment_intent: session.intent,
  amount: intent.amount,
  currency: intent.currency,
  payment_method_types: intent.rails,
  customer: session.customer,
  ui_mode: session.uiMode,
  url: null,
  success_url: session.successUrl,
  cancel_url: session.cancelUrl,
  return_url: session.returnUrl,
  client_reference_id: session.reference,
  metadata: session.metadata,
  expires_at: session.expiresSec,
  created: secondsOf(session.madeMs),
  livemode: false,
})

/** docs/spec-gaps.md: the end is `expires_at`, swept or not. */
export const hasEnded = ({ status, expiresSec }: Session, nowMs: number): boolean =>
  status !== 'open' || expiresSec * 1_000 <= nowMs

export const totalOf = ({ items }: Invoice): number =>
  items.reduce((total, { unitAmount, quantity }) => total + unitAmount * quantity, 0)

export const renderItem = (item: Item, invoice: Invoice): Body => ({
  id: item.id,
  object: 'invoiceitem',
  invoice: invoice.id,
  customer: invoice.customer,
  currency: invoice.currency,
  amount: item.unitAmount * item.quantity,
  unit_amount: item.unitAmount,
  quantity: item.quantity,
  description: item.description,
  metadata: item.metadata,
  created: secondsOf(item.madeMs),
  livemode: false,
})

export function renderInvoice(invoice: Invoice, lines: 'all' | 'none'): Body {
  const total = totalOf(invoice)
  const due = Math.max(total, 0)
  const paid = invoice.status === 'paid' ? due : 0
  return {
    id: invoice.id,
    object: 'invoice',
    status: invoice.status,
    number: invoice.number === null ? null : `${invoice.number}`,
    customer: invoice.customer,
    currency: invoice.currency,
    subtotal: total,
    total,
    amount_due: due,
    amount_paid: paid,
    amount_remaining: due - paid,
    description: invoice.description,
    due_date: invoice.dueSec,
    payment_intent: invoice.intent,
    payment_method_types: invoice.rails,
    metadata: invoice.metadata,
    lines: {
      object: 'list',
      url: `/v1/invoices/${invoice.id}/lines`,
      has_more: false,
      data: lines === 'all' ? invoice.items.map((item) => renderItem(item, invoice)) : [],
    },
    status_transitions: {
      finalized_at: seconds(invoice.finalizedMs),
      paid_at: seconds(invoice.paidMs),
      voided_at: seconds(invoice.voidedMs),
      marked_uncollectible_at: seconds(invoice.markedMs),
    },
    created: secondsOf(invoice.madeMs),
    livemode: false,
  }
}

export const renderRefund = (refund: Refund, { currency }: Intent): Body => ({
  id: refund.id,
  object: 'refund',
  amount: refund.amount,
  currency,
  payment_intent: refund.intent,
  status: refund.status,
  fee: null,
  reason: refund.reason,
  failure_reason: refund.failure,
  destination_details: { type: refund.rail },
  metadata: refund.metadata,
  created: secondsOf(refund.madeMs),
  livemode: false,
})

export const renderEvent = ({ id, type, atSec, object }: Told): Body => ({
  id,
  object: 'event',
  type,
  created: atSec,
  livemode: false,
  data: { object },
})
