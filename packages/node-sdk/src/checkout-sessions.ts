import type { CheckoutSessions } from './calls.ts'
import { listing } from './list.ts'
import { pathOf } from './request.ts'
import type { Send } from './send.ts'

/**
 * Checkout resources.
 *
 * @example
 * ```ts
 * const { sessions } = payments.checkout
 * ```
 */
export interface Checkout {
  /** The sessions, each for one payment. */
  readonly sessions: CheckoutSessions
}

const collection = '/v1/checkout/sessions'

export const createCheckout = (send: Send): Checkout => ({
  sessions: {
    create: (params, options) => send({ method: 'POST', path: collection, params }, options),
    list: (params, options) => listing(send, collection, params, options),
    retrieve: async (id, options) => send({ method: 'GET', path: pathOf(collection, id) }, options),
    expire: async (id, options) => send({ method: 'POST', path: pathOf(collection, id, '/expire') }, options),
  },
})
