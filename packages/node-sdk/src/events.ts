import type { Events } from './calls.ts'
import { listing } from './list.ts'
import type { Send } from './send.ts'

const collection = '/v1/events'

export const createEvents = (send: Send): Events => ({
  list: (params, options) => listing(send, collection, params, options),
  retrieve: (id, options) => send({ method: 'GET', path: collection, id }, options),
})
