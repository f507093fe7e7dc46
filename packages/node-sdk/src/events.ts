import type { Event } from './event.ts'
import { type Listing, listing, type ListParams } from './list.ts'
import { pathOf, type ReadOptions } from './request.ts'
import type { Result, Send } from './send.ts'

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
   * ```
   */
  list(params?: ListParams, options?: ReadOptions): Listing<Event>

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
