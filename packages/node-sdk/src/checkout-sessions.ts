import type { CheckoutSessions } from './calls.ts'
import { listing } from './list.ts'
import { withCheckedArguments } from './request.ts'
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
  sessions: withCheckedArguments<CheckoutSessions>({
    create: (params, options) => send({ method: 'POST', path: collection, params }, options),
    list: (params, options) => listing(send, collection, params, options),
    retrieve: (id, options) => send({ method: 'GET', path: collection, id }, options),
    expire: (id, options) => send({ method: 'POST', path: collection, id, action: '/expire' }, options),
  }),
})
