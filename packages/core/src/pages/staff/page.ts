import type { List } from '@merchant-payments/contract'
import type { Id, MerchantId } from '../../base/ids.ts'
import { type Page, type PageQuery, parsePage } from '../page.ts'

type AnyId = Id<'pi' | 'ch' | 're' | 'wd' | 'evt' | 'cus' | 'in' | 'au' | 'apr' | 'att' | 'blk'>

/** `merchantId` is null for a list of every merchant. */
export interface StaffPage extends PageQuery<AnyId> {
  readonly merchantId: MerchantId | null
}

export const parseStaffPage = (
  query: Parameters<typeof parsePage>[0] & { readonly merchant?: string | undefined },
): StaffPage => ({
  ...parsePage<AnyId>(query),
  merchantId: (query.merchant ?? null) as MerchantId | null,
})

export const renderPage = <Item, Wire>(
  path: string,
  { items, hasMore }: Page<Item>,
  render: (item: Item) => Wire,
): List<Wire> => ({ object: 'list', url: `/dash/v1${path}`, has_more: hasMore, data: items.map(render) })
