import type { Intent } from '../payment-intents/intent.ts'
import type { Currency, InvoiceStatus } from '@merchant-payments/contract'
import { type NewEvent, newEvent } from '../commit/event.ts'
import type { CustomerId, InvoiceId, MerchantId, PaymentIntentId } from '../base/ids.ts'
import { type MoveFrom, type Target, targetOf } from '../base/lifecycle.ts'
import type { Metadata } from '../base/metadata.ts'
import type { RailCode } from '../rails/port.ts'
import { invoiceEvent, type InvoiceLifecycle, invoiceLifecycle, type InvoiceMove } from './lifecycle.ts'
import { renderInvoice } from './render.ts'
import type { PlainFields } from './plain-fields.ts'

export interface InvoiceFields extends PlainFields {
  readonly merchantId: MerchantId
  readonly id: InvoiceId
  readonly number: number | null
  readonly customerId: CustomerId
  readonly currency: Currency
  /** Negative on a draft whose credits exceed its charges. */
  readonly totalMinor: number
  readonly lineCount: number
  readonly dueAtMs: number | null
  readonly intentId: PaymentIntentId | null
  /** Empty means every rail that settles in the currency. */
  readonly paymentMethodTypes: readonly RailCode[]
  readonly metadata: Metadata
  readonly livemode: boolean
  readonly finalizedAtMs: number | null
  readonly paidAtMs: number | null
  readonly voidedAtMs: number | null
  readonly markedUncollectibleAtMs: number | null
  readonly revision: number
}

export type Invoice<S extends InvoiceStatus = InvoiceStatus> = S extends unknown
  ? InvoiceFields & { readonly status: S }
  : never

export interface InvoiceChange<S extends InvoiceStatus = InvoiceStatus> {
  readonly before: Invoice
  readonly after: Invoice<S>
  readonly event: NewEvent | null
}

interface Facts {
  finalize: object
  settle: { intentId: PaymentIntentId }
  void: object
  mark_uncollectible: object
}

/** Pure: the event contains the row as the change leaves it (spec 6.2). */
export function moveInvoice<S extends InvoiceStatus, M extends MoveFrom<InvoiceLifecycle, S>>(
  before: Invoice<S>,
  move: M,
  facts: Facts[M & keyof Facts],
  nowMs: number,
): InvoiceChange<Target<InvoiceLifecycle, S, M> & InvoiceStatus> {
  const status = targetOf(invoiceLifecycle, before.status, move, 'an invoice')
  const fields = applied[move as InvoiceMove](facts as never, nowMs)
  const after = { ...before, ...fields, status } as Invoice
  const type = invoiceEvent[move as InvoiceMove]
  return {
    before,
    after: after as Invoice<Target<InvoiceLifecycle, S, M> & InvoiceStatus>,
    event: type === null ? null : invoiceEventOf(type, after, nowMs),
  }
}

const applied: { [M in InvoiceMove]: (facts: Facts[M], nowMs: number) => Partial<InvoiceFields> } = {
  finalize: (_, nowMs) => ({ finalizedAtMs: nowMs }),
  settle: ({ intentId }, nowMs) => ({ intentId, paidAtMs: nowMs }),
  void: (_, nowMs) => ({ voidedAtMs: nowMs }),
  mark_uncollectible: (_, nowMs) => ({ markedUncollectibleAtMs: nowMs }),
}

/** Spec 6.2: an event's body has no lines. */
export const invoiceEventOf = (
  type: Exclude<(typeof invoiceEvent)[InvoiceMove], null> | 'invoice.created',
  invoice: Invoice,
  nowMs: number,
): NewEvent =>
  newEvent(type, renderInvoice(invoice, []), {
    livemode: invoice.livemode,
    customerId: invoice.customerId,
    nowMs,
  })

/** Null if the invoice is already paid, or void. */
export function planPaid(invoice: Invoice, intent: Pick<Intent, 'id'>, nowMs: number): InvoiceChange | null {
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') return null
  return moveInvoice<'open' | 'uncollectible', 'settle'>(invoice, 'settle', { intentId: intent.id }, nowMs)
}
