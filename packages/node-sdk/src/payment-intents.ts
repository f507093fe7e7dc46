import type { PaymentIntents } from './calls.ts'
import { listing } from './list.ts'
import type { Send } from './send.ts'

const collection = '/v1/payment_intents'

export const createPaymentIntents = (send: Send): PaymentIntents => ({
  create: (params, options) => send({ method: 'POST', path: collection, params }, options),
  list: (params, options) => listing(send, collection, params, options),
  retrieve: (id, options) => send({ method: 'GET', path: collection, id }, options),
  confirm: (id, params, options) =>
    send({ method: 'POST', path: collection, id, action: '/confirm', params }, options),
  cancel: (id, params, options) =>
    send({ method: 'POST', path: collection, id, action: '/cancel', params }, options),
})
