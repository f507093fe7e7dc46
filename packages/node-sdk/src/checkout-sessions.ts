import type {
  CheckoutSession,
  CheckoutSessionCreateParams,
  CheckoutSessionListParams,
} from './checkout-session.ts'
import { type Listing, listing } from './list.ts'
import { pathOf, type ReadOptions, type RequestOptions } from './request.ts'
import type { Result, Send } from './send.ts'

/**
 * Pages on which payers pay.
 *
 * @example
 * ```ts
 * const readOnly: Pick<CheckoutSessions, 'list' | 'retrieve'> = payments.checkout.sessions
 * ```
 */
export interface CheckoutSessions {
  /**
   * Creates a session, and its payment intent unless you name one. Send the payer to `url`; learn the outcome from the
   * intent's events. A {@link ConflictError} means that the named intent cannot have one.
   *
   * @example
   * ```ts
   * const session = await payments.checkout.sessions.create(
   *   {
   *     amount: 5000,
   *     currency: 'XAF',
   *     payment_method_types: ['mtn_momo_cm'],
   *     success_url: 'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}',
   *   },
   *   { idempotencyKey: `order-${order.id}` },
   * )
   * response.redirect(303, session.url)
   * ```
   */
  create(params: CheckoutSessionCreateParams, options?: RequestOptions): Promise<Result<CheckoutSession>>

  /**
   * All sessions of the merchant, or those of a payment, a customer, a status or a time, newest first.
   *
   * @example
   * ```ts
   * for await (const session of payments.checkout.sessions.list({ status: 'complete' })) console.log(session.id)
   * ```
   */
  list(params?: CheckoutSessionListParams, options?: ReadOptions): Listing<CheckoutSession>

  /**
   * Reads a session.
   *
   * @example
   * ```ts
   * const { payment_status } = await payments.checkout.sessions.retrieve('cs_0190b2c4e8f97d3ab6c51e2f40718293')
   * ```
   */
  retrieve(id: string, options?: ReadOptions): Promise<Result<CheckoutSession>>

  /**
   * Ends an open session; its page takes no payment any more, and its intent is not canceled. A {@link ConflictError}
   * means that it has ended, or that a charge is live.
   *
   * @example
   * ```ts
   * await payments.checkout.sessions.expire(session.id)
   * ```
   */
  expire(id: string, options?: RequestOptions): Promise<Result<CheckoutSession>>
}

/**
 * What payers pay through.
 *
 * @example
 * ```ts
 * const { sessions } = payments.checkout
 * ```
 */
export interface Checkout {
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
