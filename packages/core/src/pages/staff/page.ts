import type { List } from '@merchant-payments/contract'
import type { Id, MerchantId } from '../../base/ids.ts'
import { type Page, type PageQuery, parsePage } from '../page.ts'

type AnyId = Id<'pi' | 'ch' | 're' | 'wd' | 'evt' | 'cus' | 'in' | 'au' | 'apr' | 'att' | 'blk'>

/** `merchantId` is null for a list of every merchant. */
export interface StaffPage extends PageQuery<AnyId> {
  readonly merchantId: MerchantId | null
}

interface StaffQuery {
  readonly merchant?: string | undefined
  readonly order?: 'newest' | 'oldest' | undefined
}

export const parseStaffPage = (query: Parameters<typeof parsePage>[0] & StaffQuery): StaffPage => {
  const page = { ...parsePage<AnyId>(query), merchantId: (query.merchant ?? null) as MerchantId | null }
  return query.order === 'oldest' ? oldestFirst(page) : page
}

const beforeAll = `pi_${'0'.repeat(32)}` as AnyId

/** Reads the pages from their other end, so that each list's statement and its index serve both orders. */
const oldestFirst = ({ startingAfter, endingBefore, ...page }: StaffPage): StaffPage => ({
  ...page,
  startingAfter: endingBefore,
  endingBefore: startingAfter ?? (endingBefore === null ? beforeAll : null),
  isOldestFirst: true,
})

export const renderPage = <Item, Wire>(
  path: string,
  { items, hasMore }: Page<Item>,
  render: (item: Item) => Wire,
): List<Wire> => ({ object: 'list', url: `/dash/v1${path}`, has_more: hasMore, data: items.map(render) })
