import type { Refunds } from './calls.ts'
import { listing } from './list.ts'
import type { Send } from './send.ts'

const collection = '/v1/refunds'

export const createRefunds = (send: Send): Refunds => ({
  create: (params, options) => send({ method: 'POST', path: collection, params }, options),
  list: (params, options) => listing(send, collection, params, options),
  retrieve: (id, options) => send({ method: 'GET', path: collection, id }, options),
  update: (id, params, options) => send({ method: 'POST', path: collection, id, params }, options),
  cancel: (id, options) => send({ method: 'POST', path: collection, id, action: '/cancel' }, options),
})
