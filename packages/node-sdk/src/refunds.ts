import { type Listing, listing } from './list.ts'
import type { Refund, RefundCreateParams, RefundListParams, RefundUpdateParams } from './refund.ts'
import { pathOf, type ReadOptions, type RequestOptions } from './request.ts'
import type { Result, Send } from './send.ts'

/**
 * Money paid back to a mobile-money account, in part or in full.
 *
 * @example
 * ```ts
 * const readOnly: Pick<Refunds, 'list' | 'retrieve'> = payments.refunds
 * ```
 */
export interface Refunds {
  /**
   * Writes a refund, reserves its amount against the payment and instructs the rail (spec 4.5). The answer says `pending`
   * whatever the rail answered: a rail that refuses is told by the event `charge.refund.updated`, with `failed`. Rejects
   * with a {@link ConflictError} for a payment that has not succeeded, with an {@link InvalidRequestError} naming `amount`
   * when less is left, and with a {@link NotSupportedError} on a rail without refunds.
   *
   * @example
   * ```ts
   * const refund = await payments.refunds.create(
   *   {
   *     payment_intent: intent.id,
   *     amount: 2000,
   *     destination: { mtn_momo_cm: { msisdn: '237670000001' } },
   *   },
   *   { idempotencyKey: `refund-${order.id}` },
   * )
   * ```
   */
  create(params: RefundCreateParams, options?: RequestOptions): Promise<Result<Refund>>

  /**
   * All refunds of the merchant, or those of one payment or of a time, newest first.
   *
   * @example
   * ```ts
   * for await (const refund of payments.refunds.list({ payment_intent: intent.id })) console.log(refund.id, refund.status)
   * ```
   */
  list(params?: RefundListParams, options?: ReadOptions): Listing<Refund>

  /**
   * Reads a refund.
   *
   * @example
   * ```ts
   * const { status, failure_reason } = await payments.refunds.retrieve('re_0190b2c4e8f97d3ab6c51e2f40718293')
   * ```
   */
  retrieve(id: string, options?: ReadOptions): Promise<Result<Refund>>

  /**
   * Changes the metadata of a refund, which is all that can be changed (spec 4.2).
   *
   * @example
   * ```ts
   * await payments.refunds.update(refund.id, { metadata: { ticket: '4711' } })
   * ```
   */
  update(id: string, params: RefundUpdateParams, options?: RequestOptions): Promise<Result<Refund>>

  /**
   * Refuses every refund that `create` makes, since its rail has been instructed: rejects with a {@link ConflictError}
   * (spec 3.5).
   *
   * @example
   * ```ts
   * await payments.refunds.cancel(refund.id).catch((error) => console.log(error.code))
   * ```
   */
  cancel(id: string, options?: RequestOptions): Promise<Result<Refund>>
}

const collection = '/v1/refunds'

export const createRefunds = (send: Send): Refunds => ({
  create: (params, options) => send({ method: 'POST', path: collection, params }, options),
  list: (params, options) => listing(send, collection, params, options),
  retrieve: async (id, options) => send({ method: 'GET', path: pathOf(collection, id) }, options),
  update: async (id, params, options) =>
    send({ method: 'POST', path: pathOf(collection, id), params }, options),
  cancel: async (id, options) => send({ method: 'POST', path: pathOf(collection, id, '/cancel') }, options),
})
