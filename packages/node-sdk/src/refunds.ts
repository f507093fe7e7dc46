import type { Refunds } from './calls.ts'
import { listing } from './list.ts'
import { pathOf } from './request.ts'
import type { Send } from './send.ts'

const collection = '/v1/refunds'

export const createRefunds = (send: Send): Refunds => ({
  create: (params, options) => send({ method: 'POST', path: collection, params }, options),
  list: (params, options) => listing(send, collection, params, options),
  retrieve: async (id, options) => send({ method: 'GET', path: pathOf(collection, id) }, options),
  update: async (id, params, options) =>
    send({ method: 'POST', path: pathOf(collection, id), params }, options),
  cancel: async (id, options) => send({ method: 'POST', path: pathOf(collection, id, '/cancel') }, options),
})
