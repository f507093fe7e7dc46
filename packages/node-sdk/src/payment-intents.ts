import { type Listing, listing, type ListParams } from './list.ts'
import type {
  PaymentIntent,
  PaymentIntentCancelParams,
  PaymentIntentConfirmParams,
  PaymentIntentCreateParams,
} from './payment-intent.ts'
import { pathOf, type ReadOptions, type RequestOptions } from './request.ts'
import type { Result, Send } from './send.ts'

/**
 * Payments and their life: create, confirm against a rail, read until settled.
 *
 * @example
 * ```ts
 * const readOnly: Pick<PaymentIntents, 'list' | 'retrieve'> = payments.paymentIntents
 * ```
 */
export interface PaymentIntents {
  /**
   * Creates an intent. Nothing is charged yet.
   *
   * @example
   * ```ts
   * const intent = await payments.paymentIntents.create(
   *   { amount: 5000, currency: 'XAF', payment_method_types: ['mtn_momo_cm'] },
   *   { idempotencyKey: `order-${order.id}` },
   * )
   * ```
   */
  create(params: PaymentIntentCreateParams, options?: RequestOptions): Promise<Result<PaymentIntent>>

  /**
   * All intents of the merchant, newest first.
   *
   * @example
   * ```ts
   * for await (const intent of payments.paymentIntents.list({ limit: 50 })) console.log(intent.id, intent.status)
   * ```
   */
  list(params?: ListParams, options?: ReadOptions): Listing<PaymentIntent>

  /**
   * Reads an intent: the truth about a payment, whatever a browser was redirected to.
   *
   * @example
   * ```ts
   * const { status } = await payments.paymentIntents.retrieve('pi_0190b2c4e8f97d3ab6c51e2f40718293')
   * ```
   */
  retrieve(id: string, options?: ReadOptions): Promise<Result<PaymentIntent>>

  /**
   * Opens a charge on a rail. The answer is `processing` once the rail accepted; the outcome follows as an event. A
   * {@link ConflictError} means that a charge is already live or paid: read the intent instead of trying again.
   *
   * @example
   * ```ts
   * await payments.paymentIntents.confirm(intent.id, {
   *   payment_method_data: { mtn_momo_cm: { msisdn: '237670000001' } },
   * })
   * ```
   */
  confirm(
    id: string,
    params: PaymentIntentConfirmParams,
    options?: RequestOptions,
  ): Promise<Result<PaymentIntent>>

  /**
   * Stops waiting for the payment. A payment that the rail still reports later succeeds nevertheless.
   *
   * @example
   * ```ts
   * await payments.paymentIntents.cancel(intent.id, { cancellation_reason: 'abandoned' })
   * ```
   */
  cancel(
    id: string,
    params?: PaymentIntentCancelParams,
    options?: RequestOptions,
  ): Promise<Result<PaymentIntent>>
}

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
