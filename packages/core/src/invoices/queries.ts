import type { Invoice as WireInvoice, List } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import type { InvoiceId, MerchantId } from '../base/ids.ts'
import { type PageQuery, renderList } from '../pages/page.ts'
import { getById } from '../reads/get-by-id.ts'
import { noSuchInvoice } from './refusals.ts'
import { renderInvoice } from './render.ts'
import { findInvoice, type InvoiceFilter, listInvoicePage } from './store.ts'

export const getWhole = getById('in', findInvoice, noSuchInvoice)

export async function getInvoice(
  { db }: Pick<Deps, 'db'>,
  merchantId: MerchantId,
  idText: string,
): Promise<WireInvoice> {
  const { invoice, items } = await getWhole(db, { merchantId }, idText)
  return renderInvoice(invoice, items)
}

export async function listInvoices(
  { db }: Pick<Deps, 'db'>,
  merchantId: MerchantId,
  page: PageQuery<InvoiceId>,
  filter: InvoiceFilter,
): Promise<List<WireInvoice>> {
  const listed = await listInvoicePage(db.lists, merchantId, page, filter)
  return renderList('/v1/invoices', listed, ({ invoice, items }) => renderInvoice(invoice, items))
}
