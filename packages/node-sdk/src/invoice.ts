import type { InvoiceItem } from './invoice-item.ts'
import type { CreatedFilter, ListParams } from './list.ts'
import type { Currency } from './payment-intent.ts'

/**
 * A draft is finalized to be open; an open invoice is paid, or voided, or marked uncollectible. An uncollectible one can
 * still be paid or voided.
 *
 * @example
 * ```ts
 * const canBePaid = (status: InvoiceStatus) => status === 'open' || status === 'uncollectible'
 * ```
 */
export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'void' | 'uncollectible'

/**
 * When an invoice came to its states, in Unix seconds.
 *
 * @example
 * ```ts
 * const paidOn = ({ paid_at }: InvoiceStatusTransitions) => (paid_at === null ? null : new Date(paid_at * 1000))
 * ```
 */
export interface InvoiceStatusTransitions {
  finalized_at: number | null
  paid_at: number | null
  voided_at: number | null
  marked_uncollectible_at: number | null
}

/**
 * A bill for one customer. Amounts are in minor units.
 *
 * @example
 * ```ts
 * const isOverdue = ({ status, due_date }: Invoice, nowSec: number) =>
 *   status === 'open' && due_date !== null && due_date < nowSec
 * ```
 */
export interface Invoice {
  id: string
  object: 'invoice'
  status: InvoiceStatus
  /** The merchant's next one, without gaps; null on a draft. */
  number: string | null
  customer: string
  currency: Currency
  subtotal: number
  /** The sum of the lines; less than nothing on a draft of credits. */
  total: number
  amount_due: number
  amount_paid: number
  amount_remaining: number
  description: string | null
  /** Unix seconds. */
  due_date: number | null
  /** The intent by which it can be paid, or was. */
  payment_intent: string | null
  /** Empty: every rail that settles in the currency. */
  payment_method_types: string[]
  metadata: Record<string, string>
  /** All lines on every read; none in an event. */
  lines: { object: 'list'; url: string; has_more: boolean; data: InvoiceItem[] }
  status_transitions: InvoiceStatusTransitions
  /** Unix seconds. */
  created: number
  livemode: boolean
}

/**
 * A draft to be made. Its lines are added by `invoiceItems.create`.
 *
 * @example
 * ```ts
 * const params: InvoiceCreateParams = {
 *   customer: 'cus_0190b2c4e8f97d3ab6c51e2f40718293',
 *   currency: 'XAF',
 *   days_until_due: 30,
 * }
 * ```
 */
export interface InvoiceCreateParams {
  customer: string
  currency: Currency | Lowercase<Currency>
  description?: string | null | undefined
  /** Unix seconds. */
  due_date?: number | undefined
  /** In place of `due_date`: 0 to 365, counted from the request. */
  days_until_due?: number | undefined
  /** Codes of rails that the deployment enabled. Default: every one that settles in the currency when it is paid. */
  payment_method_types?: readonly string[] | undefined
  metadata?: Readonly<Record<string, string>> | undefined
}

/**
 * What to change. What is absent stays as it is; of a finalized invoice only `description` and `metadata` can change.
 *
 * @example
 * ```ts
 * const params: InvoiceUpdateParams = { description: 'May, corrected', metadata: { order: '' } }
 * ```
 */
export interface InvoiceUpdateParams {
  /** Null clears it. */
  description?: string | null | undefined
  /** Unix seconds; null clears it. */
  due_date?: number | null | undefined
  days_until_due?: number | undefined
  /** Null clears it. */
  payment_method_types?: readonly string[] | null | undefined
  /** Merged key by key; an empty value removes its key. */
  metadata?: Readonly<Record<string, string>> | undefined
}

/**
 * Which invoices to list: those that all of these choose.
 *
 * @example
 * ```ts
 * const unpaid: InvoiceListParams = { customer: 'cus_0190b2c4e8f97d3ab6c51e2f40718293', status: 'open' }
 * ```
 */
export interface InvoiceListParams extends ListParams {
  customer?: string | undefined
  status?: InvoiceStatus | undefined
  created?: CreatedFilter | undefined
}

/**
 * A draft that was deleted, as it was.
 *
 * @example
 * ```ts
 * const { deleted }: DeletedInvoice = await payments.invoices.del(invoice.id)
 * ```
 */
export interface DeletedInvoice extends Invoice {
  deleted: true
}
