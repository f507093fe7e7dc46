import type { List, Refund as WireRefund } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import type { MerchantId, RefundId } from '../base/ids.ts'
import { type PageQuery, renderList } from '../pages/page.ts'
import { getById } from '../reads/get-by-id.ts'
import { noSuchRefund } from './refusals.ts'
import { renderRefund } from './render.ts'
import { findRefund, listRefundRows, type RefundFilter } from './store.ts'

export const getStoredRefund = getById('re', findRefund, noSuchRefund)

export async function getRefund(
  { db }: Pick<Deps, 'db'>,
  merchantId: MerchantId,
  idText: string,
): Promise<WireRefund> {
  return renderRefund(await getStoredRefund(db, { merchantId }, idText))
}

export async function listRefunds(
  { db }: Pick<Deps, 'db'>,
  merchantId: MerchantId,
  page: PageQuery<RefundId>,
  filter: RefundFilter,
): Promise<List<WireRefund>> {
  return renderList('/v1/refunds', await listRefundRows(db.lists, merchantId, page, filter), renderRefund)
}
