import type { Currency } from './payment-intent.ts'

/**
 * A line of an invoice.
 *
 * @example
 * ```ts
 * const isCredit = (item: InvoiceItem) => item.amount < 0
 * ```
 */
export interface InvoiceItem {
  id: string
  object: 'invoiceitem'
  invoice: string
  customer: string
  currency: Currency
  /** `unit_amount` times `quantity`, in minor units; less than nothing for a credit. */
  amount: number
  unit_amount: number
  quantity: number
  description: string | null
  metadata: Record<string, string>
  /** Unix seconds. */
  created: number
  livemode: boolean
}

/**
 * What a line costs: an amount of one piece, or a price for each of several.
 *
 * @example
 * ```ts
 * const prices: InvoiceItemPrice[] = [{ amount: 5000 }, { unit_amount: 2500, quantity: 2 }, { amount: -1000 }]
 * ```
 */
export interface InvoiceItemPrice {
  /** In minor units, from -99 999 999 to 99 999 999 and not 0; less than nothing is a credit. */
  amount?: number | undefined
  /** In place of `amount`, and within the same bounds; so is the product. */
  unit_amount?: number | undefined
  /** 1 to 999 999, with `unit_amount`. Default: 1. */
  quantity?: number | undefined
}

/**
 * A line to be added to a draft, which takes up to 250.
 *
 * @example
 * ```ts
 * const params: InvoiceItemCreateParams = {
 *   invoice: 'in_0190b2c4e8f97d3ab6c51e2f40718293',
 *   unit_amount: 2500,
 *   quantity: 2,
 *   description: 'Bag of rice',
 * }
 * ```
 */
export interface InvoiceItemCreateParams extends InvoiceItemPrice {
  /** A draft. */
  invoice: string
  /** Must be the invoice's, where given. */
  customer?: string | null | undefined
  /** Must be the invoice's, where given. */
  currency?: Currency | Lowercase<Currency> | undefined
  description?: string | null | undefined
  metadata?: Readonly<Record<string, string>> | undefined
}

/**
 * What to change of a draft's line. What is absent stays as it is.
 *
 * @example
 * ```ts
 * const params: InvoiceItemUpdateParams = { quantity: 3, description: null, metadata: { sku: '' } }
 * ```
 */
export interface InvoiceItemUpdateParams extends InvoiceItemPrice {
  /** Null clears it. */
  description?: string | null | undefined
  /** Merged key by key; an empty value removes its key. */
  metadata?: Readonly<Record<string, string>> | undefined
}

/**
 * A line that was taken off its draft, as it was.
 *
 * @example
 * ```ts
 * const { deleted }: DeletedInvoiceItem = await payments.invoiceItems.del(item.id)
 * ```
 */
export interface DeletedInvoiceItem extends InvoiceItem {
  deleted: true
}
