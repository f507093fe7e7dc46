import type { Invoices } from './calls.ts'
import { listing } from './list.ts'
import type { Send } from './send.ts'

const collection = '/v1/invoices'

export const createInvoices = (send: Send): Invoices => ({
  create: (params, options) => send({ method: 'POST', path: collection, params }, options),
  list: (params, options) => listing(send, collection, params, options),
  retrieve: (id, options) => send({ method: 'GET', path: collection, id }, options),
  update: (id, params, options) => send({ method: 'POST', path: collection, id, params }, options),
  del: (id, options) => send({ method: 'DELETE', path: collection, id }, options),
  finalizeInvoice: (id, options) =>
    send({ method: 'POST', path: collection, id, action: '/finalize' }, options),
  voidInvoice: (id, options) => send({ method: 'POST', path: collection, id, action: '/void' }, options),
  markUncollectible: (id, options) =>
    send({ method: 'POST', path: collection, id, action: '/mark_uncollectible' }, options),
  pay: (id, options) => send({ method: 'POST', path: collection, id, action: '/pay' }, options),
})
