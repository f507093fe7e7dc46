import type { Invoices } from './calls.ts'
import { listing } from './list.ts'
import { pathOf } from './request.ts'
import type { Send } from './send.ts'

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
