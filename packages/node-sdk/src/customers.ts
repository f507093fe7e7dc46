import type { Customers } from './calls.ts'
import { listing } from './list.ts'
import type { Send } from './send.ts'

const collection = '/v1/customers'

export const createCustomers = (send: Send): Customers => ({
  create: (params, options) => send({ method: 'POST', path: collection, params }, options),
  list: (params, options) => listing(send, collection, params, options),
  retrieve: (id, options) => send({ method: 'GET', path: collection, id }, options),
  update: (id, params, options) => send({ method: 'POST', path: collection, id, params }, options),
  del: (id, options) => send({ method: 'DELETE', path: collection, id }, options),
})
