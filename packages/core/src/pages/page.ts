import { type List, Refusal, type SecondsRange } from '@merchant-payments/contract'
import { clientDisabled, type Guarded } from '../base/client-status.ts'

export interface PageQuery<Cursor> {
  readonly limit: number
  readonly startingAfter: Cursor | null
  readonly endingBefore: Cursor | null
  /** The time of creation, by which lists are ordered. Null for any. */
  readonly created: SecondsRange | null
  /** Shows the page oldest first. Its cursors were exchanged. */
  readonly isOldestFirst?: boolean
}

export interface Page<T> {
  readonly items: readonly T[]
  readonly hasMore: boolean
}

export function parsePage<Cursor extends string>(query: {
  readonly limit: number
  readonly starting_after?: string | undefined
  readonly ending_before?: string | undefined
  readonly created?: SecondsRange | undefined
}): PageQuery<Cursor> {
  const { limit, starting_after: after, ending_before: before } = query
  if (after !== undefined && before !== undefined) {
    throw new Refusal('invalid_request', 'cannot be combined with starting_after', { param: 'ending_before' })
  }
  return {
    limit,
    startingAfter: (after ?? null) as Cursor | null,
    endingBefore: (before ?? null) as Cursor | null,
    created: query.created ?? null,
  }
}

export const cutPageOf = <Row extends { readonly followed: boolean }, T>(
  rows: readonly Row[],
  query: Direction,
  itemOf: (row: Row) => T,
): Page<T> => {
  const items = rows.map(itemOf)
  const hasMore = rows.at(-1)?.followed === true
  return { items: inShownOrder(items, query), hasMore }
}

/** Cuts the extra row that tells `has_more`, for rows with small columns. A backward page was read oldest first. */
export function pageOf<T>(
  rows: readonly T[],
  { limit, ...direction }: Direction & Pick<PageQuery<string>, 'limit'>,
): Page<T> {
  return { items: inShownOrder(rows.slice(0, limit), direction), hasMore: rows.length > limit }
}

/** @throws Refusal authentication_error if the client is disabled */
export function renderList<Item, Wire>(
  url: string,
  { open, found }: Guarded<Page<Item>>,
  render: (item: Item) => Wire,
): List<Wire> {
  if (!open) throw clientDisabled()
  return { object: 'list', url, has_more: found.hasMore, data: found.items.map(render) }
}

type Direction = Pick<PageQuery<string>, 'endingBefore' | 'isOldestFirst'>

function inShownOrder<T>(items: T[], { endingBefore, isOldestFirst = false }: Direction): T[] {
  const wasReadOldestFirst = endingBefore !== null
  return wasReadOldestFirst === isOldestFirst ? items : items.reverse()
}
