import type { InvoiceStatus } from '@merchant-payments/contract'
import type { Reader } from '@merchant-payments/db'
import { sql } from 'kysely'
import { columnsIn } from '../../base/columns.ts'
import { type CustomerId, type InvoiceId, uuidOf } from '../../base/ids.ts'
import { itemColumns, itemOf } from '../item-row.ts'
import type { Invoice } from '../invoice.ts'
import {
  invoiceColumns,
  invoiceOf,
  type InvoiceRow,
  listedInvoiceHeads,
  type WholeInvoice,
} from '../store.ts'
import { shownColumns } from '../../pages/cut.ts'
import type { Page } from '../../pages/page.ts'
import type { StaffPage } from '../../pages/staff/page.ts'
import { all, rowById } from '../../pages/staff/store.ts'
import { foundPageOf, newestRows } from '../../pages/staff/search-store.ts'

export interface InvoiceFilter {
  readonly status: InvoiceStatus | null
  readonly customerId: CustomerId | null
}

export async function listInvoiceRows(
  reader: Reader,
  page: StaffPage,
  { status, customerId }: InvoiceFilter,
): Promise<Page<Invoice>> {
  const where = all([
    status === null ? null : sql`t.status = ${status}`,
    customerId === null ? null : sql`t.customer_id = ${uuidOf(customerId)}::uuid`,
  ])
  const rows = await reader
    .selectFrom(newestRows(listedInvoiceHeads, page, where).as<'r'>(sql.ref('r')))
    .select(columnsIn('r', [...shownColumns(listedInvoiceHeads), 'fits']))
    .execute()
  return foundPageOf(rows, page, invoiceOf)
}

export async function findInvoiceRow(reader: Reader, id: InvoiceId): Promise<WholeInvoice | undefined> {
  const row = await reader
    .selectFrom(rowById<InvoiceRow>('invoices', id, invoiceColumns).as<'r'>(sql.ref('r')))
    .select(columnsIn('r', invoiceColumns))
    .executeTakeFirst()
  if (row === undefined) return undefined
  const items = await reader
    .selectFrom('invoice_items')
    .select(itemColumns)
    .where('merchant_id', '=', row.merchant_id)
    .where('invoice_id', '=', row.id)
    .orderBy('id')
    .execute()
  return { invoice: invoiceOf(row), items: items.map(itemOf) }
}
