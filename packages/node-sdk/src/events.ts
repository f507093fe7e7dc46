import type { Event, EventType } from './event.ts'
import { type CreatedFilter, type Listing, listing, type ListParams } from './list.ts'
import { pathOf, type ReadOptions } from './request.ts'
import type { Result, Send } from './send.ts'

/**
 * Which events a list shows. Give `type` or `types`, not both.
 *
 * @example
 * ```ts
 * const paid: EventListParams = { types: ['payment_intent.succeeded', 'invoice.paid'], created: { gte: 1767225600 } }
 * ```
 */
export interface EventListParams extends ListParams {
  /** One type, or a group of them by its beginning. */
  type?: EventType | `${string}.*` | undefined
  /** At most 20. */
  types?: readonly EventType[] | undefined
  created?: CreatedFilter | undefined
}

/**
 * What happened, for catching up when webhooks were missed.
 *
 * @example
 * ```ts
 * const latest = await payments.events.list().toArray({ limit: 20 })
 * ```
 */
export interface Events {
  /**
   * All events of the merchant, newest first; with `ending_before`, the newer ones, oldest first.
   *
   * @example
   * ```ts
   * for await (const event of payments.events.list({ ending_before: lastSeenId, limit: 100 })) await handle(event)
   * const refusals = await payments.events.list({ type: 'payment_intent.payment_failed' }).page()
   * ```
   */
  list(params?: EventListParams, options?: ReadOptions): Listing<Event>

  /**
   * Reads an event.
   *
   * @example
   * ```ts
   * const event = await payments.events.retrieve('evt_0190b2c4e8f97d3ab6c51e2f40718293')
   * ```
   */
  retrieve(id: string, options?: ReadOptions): Promise<Result<Event>>
}

const collection = '/v1/events'

export const createEvents = (send: Send): Events => ({
  list: (params, options) => listing(send, collection, params, options),
  retrieve: async (id, options) => send({ method: 'GET', path: pathOf(collection, id) }, options),
})
