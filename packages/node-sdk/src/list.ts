import { DecodeError } from './errors.ts'
import type { ReadOptions } from './request.ts'
import { type PendingCall, pendingCall, type Result } from './result.ts'
import type { Send } from './send.ts'
import type { ListParams } from './wire.ts'

/**
 * One page, newest first in both directions.
 *
 * @example
 * ```ts
 * const { data, has_more }: List<PaymentIntent> = await payments.paymentIntents.list().page()
 * ```
 */
export interface List<T> {
  /** The kind of this object: always `list`. */
  object: 'list'
  /** The path of the list, without its query. */
  url: string
  /** Whether more objects follow in the direction of paging. */
  has_more: boolean
  /** The objects of this page, newest first in both directions. */
  data: T[]
}

/**
 * One page with its response. `nextPage` is not enumerable, so it stays out of JSON, spreads and comparisons.
 *
 * @example
 * ```ts
 * let page: Page<PaymentIntent> | null = await payments.paymentIntents.list({ limit: 50 }).page()
 * while (page !== null) {
 *   show(page.data)
 *   page = await page.nextPage()
 * }
 * ```
 */
export type Page<T> = Result<List<T>> & {
  /** Fetches the page that follows in the direction of paging; null after the last. */
  nextPage(): Promise<Page<T> | null>
}

/**
 * A list. The client sends a request only when the list is read.
 *
 * @example
 * ```ts
 * for await (const intent of payments.paymentIntents.list({ limit: 50 })) console.log(intent.id)
 * const firstPage = await payments.paymentIntents.list().page()
 * const latest = await payments.paymentIntents.list().toArray({ limit: 200 })
 * ```
 */
export interface Listing<T> extends AsyncIterable<T> {
  /** Fetches one page. */
  page(): PendingCall<Page<T>>
  /** Fetches the first `limit` objects (at most 10 000), over pages of 100 unless the list has a `limit` of its own. */
  toArray(options: {
    /** The greatest number of objects, from 1 to 10 000. */
    limit: number
  }): Promise<T[]>
}

const TO_ARRAY_LIMIT_MAX = 10_000

/** The largest page of the service. */
const PAGE_LIMIT_MAX = 100

export function listing<T extends { id: string }>(
  send: Send,
  path: string,
  params: ListParams = {},
  options?: ReadOptions,
): Listing<T> {
  const fetchPage = async (pageParams: ListParams): Promise<Page<T>> => {
    const page = checked(await send<List<T>>({ method: 'GET', path, params: pageParams }, options))
    const nextParams = paramsAfter(page, pageParams)
    const nextPage = async () => {
      if (nextParams === null) return null
      // A repeated cursor would page forever.
      if (nextParams === undefined) throw unusable(page, 'does not lead to the next')
      return fetchPage(nextParams)
    }
    return Object.defineProperty(page, 'nextPage', { value: nextPage }) as Page<T>
  }
  return {
    page: () => pendingCall(fetchPage(params)),
    [Symbol.asyncIterator]: () => iterate(fetchPage, params),
    toArray: async (given: { limit: number } | undefined) => {
      const limit = given?.limit ?? 0
      if (!Number.isInteger(limit) || limit < 1 || limit > TO_ARRAY_LIMIT_MAX) {
        throw new TypeError(`limit must be an integer from 1 to ${TO_ARRAY_LIMIT_MAX}`)
      }
      const items: T[] = []
      const paged = { ...params, limit: params.limit ?? Math.min(limit, PAGE_LIMIT_MAX) }
      for await (const item of iterate(fetchPage, paged)) {
        if (items.push(item) === limit) break
      }
      return items
    },
  }
}

type FetchPage<T> = (params: ListParams) => Promise<Page<T>>

const cursorOf = ({ ending_before }: ListParams) =>
  ending_before === undefined ? 'starting_after' : 'ending_before'

/** Read before the caller has the page, and may sort its data. Null after the last page, undefined if the page leads nowhere. */
function paramsAfter({ has_more, data }: List<{ id: string }>, params: ListParams) {
  if (!has_more) return null
  const cursor = cursorOf(params)
  const next: unknown = data.at(cursor === 'ending_before' ? 0 : -1)?.id
  return typeof next !== 'string' || next === params[cursor] ? undefined : { ...params, [cursor]: next }
}

/** Backwards, each page is reversed, so that all objects come oldest first. */
async function* iterate<T extends { id: string }>(
  fetchPage: FetchPage<T>,
  first: ListParams,
): AsyncGenerator<T, void, undefined> {
  for (let page: Page<T> | null = await fetchPage(first); page !== null; page = await page.nextPage()) {
    yield* cursorOf(first) === 'ending_before' ? page.data.toReversed() : page.data
  }
}

function checked<T>(page: Result<List<T>>): Result<List<T>> {
  if (!Array.isArray(page.data) || typeof page.has_more !== 'boolean') throw unusable(page, 'is not a list')
  return page
}

const unusable = ({ lastResponse: { status, headers, requestId } }: Result<object>, reason: string) =>
  new DecodeError(`The page ${reason}.`, { type: 'decode_error', status, headers, requestId })
