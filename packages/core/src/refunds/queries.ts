import type { List, Refund as WireRefund } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import { type MerchantId, parseId, type RefundId } from '../base/ids.ts'
import type { PageQuery } from '../pages/page.ts'
import { noSuchRefund } from './refusals.ts'
import { renderRefund } from './render.ts'
import { findRefund, listRefundRows, type RefundFilter } from './store.ts'

/** @throws Refusal resource_missing, the same for an ill-formed, an unknown and a foreign id (spec 7.2) */
export async function getRefund(
  { db }: Pick<Deps, 'db'>,
  merchantId: MerchantId,
  idText: string,
): Promise<WireRefund> {
  const id = parseId('re', idText)
  if (id === null) throw noSuchRefund()
  const { open, found: refund } = await findRefund(db.reader, merchantId, id)
  if (!open) throw clientDisabled()
  if (refund === undefined) throw noSuchRefund()
  return renderRefund(refund)
}

export async function listRefunds(
  { db }: Pick<Deps, 'db'>,
  merchantId: MerchantId,
  page: PageQuery<RefundId>,
  filter: RefundFilter,
): Promise<List<WireRefund>> {
  const { open, found } = await listRefundRows(db.lists, merchantId, page, filter)
  if (!open) throw clientDisabled()
  return { object: 'list', url: '/v1/refunds', has_more: found.hasMore, data: found.items.map(renderRefund) }
}
