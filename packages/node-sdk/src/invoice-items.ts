import type { InvoiceItems } from './calls.ts'
import type { Send } from './send.ts'
import type { InvoiceItemCreateParams } from './wire.ts'

/**
 * The price of a line: an amount for one unit, or a unit price with a quantity.
 *
 * @example
 * ```ts
 * const prices: InvoiceItemPrice[] = [{ amount: 5000 }, { unit_amount: 2500, quantity: 2 }, { amount: -1000 }]
 * ```
 */
export type InvoiceItemPrice = Pick<InvoiceItemCreateParams, 'amount' | 'unit_amount' | 'quantity'>

const collection = '/v1/invoice_items'

export const createInvoiceItems = (send: Send): InvoiceItems => ({
  create: (params, options) => send({ method: 'POST', path: collection, params }, options),
  retrieve: (id, options) => send({ method: 'GET', path: collection, id }, options),
  update: (id, params, options) => send({ method: 'POST', path: collection, id, params }, options),
  del: (id, options) => send({ method: 'DELETE', path: collection, id }, options),
})
