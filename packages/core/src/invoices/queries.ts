import type { Invoice as WireInvoice, List } from '@merchant-payments/contract'
import type { CommandDeps, Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import { type InvoiceId, type MerchantId, parseId } from '../base/ids.ts'
import type { PageQuery } from '../pages/page.ts'
import { noSuchInvoice } from './refusals.ts'
import { renderInvoice } from './render.ts'
import { findInvoice, type InvoiceFilter, listInvoicePage, type WholeInvoice } from './store.ts'

/** @throws Refusal resource_missing, the same for an ill-formed, an unknown and a foreign id (spec 7.2) */
export async function getWhole(
  { db }: Pick<CommandDeps, 'db'>,
  merchantId: MerchantId,
  idText: string,
): Promise<WholeInvoice> {
  const id = parseId('in', idText)
  if (id === null) throw noSuchInvoice()
  const { open, found } = await findInvoice(db.reader, merchantId, id)
  if (!open) throw clientDisabled()
  if (found === undefined) throw noSuchInvoice()
  return found
}

export async function getInvoice(
  deps: Pick<Deps, 'db'>,
  merchantId: MerchantId,
  idText: string,
): Promise<WireInvoice> {
  const { invoice, items } = await getWhole(deps, merchantId, idText)
  return renderInvoice(invoice, items)
}

export async function listInvoices(
  { db }: Pick<Deps, 'db'>,
  merchantId: MerchantId,
  page: PageQuery<InvoiceId>,
  filter: InvoiceFilter,
): Promise<List<WireInvoice>> {
  const { open, found } = await listInvoicePage(db.lists, merchantId, page, filter)
  if (!open) throw clientDisabled()
  return {
    object: 'list',
    url: '/v1/invoices',
    has_more: found.hasMore,
    data: found.items.map(({ invoice, items }) => renderInvoice(invoice, items)),
  }
}
