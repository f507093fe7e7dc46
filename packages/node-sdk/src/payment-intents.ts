import type { PaymentIntents } from './calls.ts'
import { listing } from './list.ts'
import { pathOf } from './request.ts'
import type { Send } from './send.ts'

const collection = '/v1/payment_intents'

export const createPaymentIntents = (send: Send): PaymentIntents => ({
  create: (params, options) => send({ method: 'POST', path: collection, params }, options),
  list: (params, options) => listing(send, collection, params, options),
  retrieve: async (id, options) => send({ method: 'GET', path: pathOf(collection, id) }, options),
  confirm: async (id, params, options) =>
    send({ method: 'POST', path: pathOf(collection, id, '/confirm'), params }, options),
  cancel: async (id, params, options) =>
    send({ method: 'POST', path: pathOf(collection, id, '/cancel'), params }, options),
})
