import type { Invoice as WireInvoice } from '@merchant-payments/contract'
import { secondsOrNull } from '../base/clock.ts'
import { createdOf } from '../base/ids.ts'
import type { InvoiceItem } from './item.ts'
import { renderInvoiceItem } from './item-render.ts'
import type { Invoice } from './invoice.ts'
import { plainInvoiceFields } from './plain-fields.ts'

/**
 * For an invoice that is being finalized: its statement puts the number here. A merchant's text cannot contain it,
 * because the API refuses NUL.
 */
export const NUMBER_PLACEHOLDER = '\0'

/** A draft has no number, and every other invoice has one: a constraint of the table. */
function numberOf({ status, number }: Invoice): string | null {
  if (number !== null) return String(number)
  return status === 'draft' ? null : NUMBER_PLACEHOLDER
}

/** Spec 2.6. An event shows no items. */
export function renderInvoice(invoice: Invoice, items: readonly InvoiceItem[]): WireInvoice {
  const { id, totalMinor, status } = invoice
  // A negative total owes nothing. Such a draft cannot be finalized.
  const due = Math.max(totalMinor, 0)
  const paid = status === 'paid' ? due : 0
  return {
    id,
    object: 'invoice',
    status,
    number: numberOf(invoice),
    customer: invoice.customerId,
    currency: invoice.currency,
    subtotal: totalMinor,
    total: totalMinor,
    amount_due: due,
    amount_paid: paid,
    amount_remaining: due - paid,
    ...plainInvoiceFields(invoice),
    due_date: secondsOrNull(invoice.dueAtMs),
    payment_intent: invoice.intentId,
    payment_method_types: [...invoice.paymentMethodTypes],
    metadata: invoice.metadata,
    lines: {
      object: 'list',
      url: `/v1/invoices/${id}/lines`,
      has_more: false,
      data: items.map((item) => renderInvoiceItem(item, invoice)),
    },
    status_transitions: {
      finalized_at: secondsOrNull(invoice.finalizedAtMs),
      paid_at: secondsOrNull(invoice.paidAtMs),
      voided_at: secondsOrNull(invoice.voidedAtMs),
      marked_uncollectible_at: secondsOrNull(invoice.markedUncollectibleAtMs),
    },
    created: createdOf(id),
    livemode: invoice.livemode,
  }
}
