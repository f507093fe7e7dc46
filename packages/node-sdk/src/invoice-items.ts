import type {
  DeletedInvoiceItem,
  InvoiceItem,
  InvoiceItemCreateParams,
  InvoiceItemUpdateParams,
} from './invoice-item.ts'
import { pathOf, type ReadOptions, type RequestOptions } from './request.ts'
import type { Result, Send } from './send.ts'

/**
 * The lines of drafts. There is no list of them: an invoice shows its own.
 *
 * @example
 * ```ts
 * const readOnly: Pick<InvoiceItems, 'retrieve'> = payments.invoiceItems
 * ```
 */
export interface InvoiceItems {
  /**
   * Adds a line to a draft. A {@link ConflictError} means that the invoice is finalized.
   *
   * @example
   * ```ts
   * await payments.invoiceItems.create({ invoice: invoice.id, unit_amount: 2500, quantity: 2 })
   * ```
   */
  create(params: InvoiceItemCreateParams, options?: RequestOptions): Promise<Result<InvoiceItem>>

  /**
   * Reads a line.
   *
   * @example
   * ```ts
   * const { amount } = await payments.invoiceItems.retrieve('ii_0190b2c4e8f97d3ab6c51e2f40718293')
   * ```
   */
  retrieve(id: string, options?: ReadOptions): Promise<Result<InvoiceItem>>

  /**
   * Changes a line of a draft.
   *
   * @example
   * ```ts
   * await payments.invoiceItems.update(item.id, { quantity: 3 })
   * ```
   */
  update(id: string, params: InvoiceItemUpdateParams, options?: RequestOptions): Promise<Result<InvoiceItem>>

  /**
   * Takes a line off its draft. Takes no Idempotency-Key: when an answer was lost, the retry may find it gone and throw a
   * {@link NotFoundError}.
   *
   * @example
   * ```ts
   * await payments.invoiceItems.del(item.id)
   * ```
   */
  del(id: string, options?: ReadOptions): Promise<Result<DeletedInvoiceItem>>
}

const collection = '/v1/invoice_items'

export const createInvoiceItems = (send: Send): InvoiceItems => ({
  create: (params, options) => send({ method: 'POST', path: collection, params }, options),
  retrieve: async (id, options) => send({ method: 'GET', path: pathOf(collection, id) }, options),
  update: async (id, params, options) =>
    send({ method: 'POST', path: pathOf(collection, id), params }, options),
  del: async (id, options) => send({ method: 'DELETE', path: pathOf(collection, id) }, options),
})
