import type { List, StaffInvoice } from '@merchant-payments/contract'
import { idIn } from '../../base/ids.ts'
import type { Deps } from '../../deps.ts'
import { noSuchInvoice } from '../refusals.ts'
import { renderInvoice } from '../render.ts'
import { renderPage, type StaffPage } from '../../pages/staff/page.ts'
import { findInvoiceRow, type InvoiceFilter, listInvoiceRows } from './store.ts'

/** Without the lines, because an invoice may have hundreds. */
export const listStaffInvoices = async (
  { db }: Pick<Deps, 'db'>,
  page: StaffPage,
  filter: InvoiceFilter,
): Promise<List<StaffInvoice>> =>
  renderPage('/invoices', await listInvoiceRows(db.reader, page, filter), (invoice) => ({
    ...renderInvoice(invoice, []),
    merchant: invoice.merchantId,
  }))

export async function getStaffInvoice({ db }: Pick<Deps, 'db'>, idText: string): Promise<StaffInvoice> {
  const id = idIn('in', idText, noSuchInvoice)
  const found = await findInvoiceRow(db.reader, id)
  if (found === undefined) throw noSuchInvoice()
  return { ...renderInvoice(found.invoice, found.items), merchant: found.invoice.merchantId }
}
