import type {
  DeletedInvoice,
  Invoice,
  InvoiceCreateParams,
  InvoiceListParams,
  InvoiceUpdateParams,
} from './invoice.ts'
import { type Listing, listing } from './list.ts'
import { pathOf, type ReadOptions, type RequestOptions } from './request.ts'
import type { Result, Send } from './send.ts'

/**
 * Bills and their life: draft with lines, finalize, pay. Every conflict with an invoice's state is a
 * {@link ConflictError}, whose `code` names it.
 *
 * @example
 * ```ts
 * const draft = await payments.invoices.create({ customer: customer.id, currency: 'XAF' })
 * await payments.invoiceItems.create({ invoice: draft.id, amount: 5000 })
 * await payments.invoices.finalizeInvoice(draft.id)
 * const { payment_intent } = await payments.invoices.pay(draft.id)
 * ```
 */
export interface Invoices {
  /**
   * Makes a draft, which has no lines yet.
   *
   * @example
   * ```ts
   * const invoice = await payments.invoices.create(
   *   { customer: customer.id, currency: 'XAF', days_until_due: 30 },
   *   { idempotencyKey: `bill-${order.id}` },
   * )
   * ```
   */
  create(params: InvoiceCreateParams, options?: RequestOptions): Promise<Result<Invoice>>

  /**
   * All invoices of the merchant, or those of a customer, a status or a time, newest first, each with all of its lines.
   *
   * @example
   * ```ts
   * for await (const { number, due_date } of payments.invoices.list({ status: 'open' })) console.log(number, due_date)
   * ```
   */
  list(params?: InvoiceListParams, options?: ReadOptions): Listing<Invoice>

  /**
   * Reads an invoice with all of its lines.
   *
   * @example
   * ```ts
   * const { amount_remaining } = await payments.invoices.retrieve('in_0190b2c4e8f97d3ab6c51e2f40718293')
   * ```
   */
  retrieve(id: string, options?: ReadOptions): Promise<Result<Invoice>>

  /**
   * Changes a draft, or the description and metadata of any invoice.
   *
   * @example
   * ```ts
   * await payments.invoices.update(invoice.id, { description: 'May, corrected' })
   * ```
   */
  update(id: string, params: InvoiceUpdateParams, options?: RequestOptions): Promise<Result<Invoice>>

  /**
   * Deletes a draft with its lines. Takes no Idempotency-Key: when an answer was lost, the retry may find it gone and
   * throw a {@link NotFoundError}.
   *
   * @example
   * ```ts
   * await payments.invoices.del(draft.id)
   * ```
   */
  del(id: string, options?: ReadOptions): Promise<Result<DeletedInvoice>>

  /**
   * Fixes what a draft bills and gives it the next number. Needs a line, and a total of 1 to 99 999 999.
   *
   * @example
   * ```ts
   * const { number } = await payments.invoices.finalizeInvoice(draft.id)
   * ```
   */
  finalizeInvoice(id: string, options?: RequestOptions): Promise<Result<Invoice>>

  /**
   * Takes back an open or uncollectible invoice. Refused while a charge may still take money.
   *
   * @example
   * ```ts
   * await payments.invoices.voidInvoice(invoice.id)
   * ```
   */
  voidInvoice(id: string, options?: RequestOptions): Promise<Result<Invoice>>

  /**
   * Writes an open invoice off. It can still be paid. Refused while a charge may still take money.
   *
   * @example
   * ```ts
   * await payments.invoices.markUncollectible(invoice.id)
   * ```
   */
  markUncollectible(id: string, options?: RequestOptions): Promise<Result<Invoice>>

  /**
   * Gives an open or uncollectible invoice a payment intent to be confirmed; one that still waits is given again. The
   * outcome follows as `invoice.paid`.
   *
   * @example
   * ```ts
   * const { payment_intent } = await payments.invoices.pay(invoice.id)
   * if (payment_intent !== null) {
   *   await payments.paymentIntents.confirm(payment_intent, {
   *     payment_method_data: { mtn_momo_cm: { msisdn: '237670000001' } },
   *   })
   * }
   * ```
   */
  pay(id: string, options?: RequestOptions): Promise<Result<Invoice>>
}

const collection = '/v1/invoices'

export const createInvoices = (send: Send): Invoices => ({
  create: (params, options) => send({ method: 'POST', path: collection, params }, options),
  list: (params, options) => listing(send, collection, params, options),
  retrieve: async (id, options) => send({ method: 'GET', path: pathOf(collection, id) }, options),
  update: async (id, params, options) =>
    send({ method: 'POST', path: pathOf(collection, id), params }, options),
  del: async (id, options) => send({ method: 'DELETE', path: pathOf(collection, id) }, options),
  finalizeInvoice: async (id, options) =>
    send({ method: 'POST', path: pathOf(collection, id, '/finalize') }, options),
  voidInvoice: async (id, options) =>
    send({ method: 'POST', path: pathOf(collection, id, '/void') }, options),
  markUncollectible: async (id, options) =>
    send({ method: 'POST', path: pathOf(collection, id, '/mark_uncollectible') }, options),
  pay: async (id, options) => send({ method: 'POST', path: pathOf(collection, id, '/pay') }, options),
})
