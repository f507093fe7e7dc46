import type { Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn, columnsOf } from '../../base/columns.ts'
import type { Customer } from '../customer.ts'
import { customerColumns, customerOf, type CustomerRow, listedCustomers } from '../store.ts'
import type { CustomerId } from '../../base/ids.ts'
import type { Page } from '../../pages/page.ts'
import { type Shown, shownColumns } from '../../pages/cut.ts'
import type { Msisdn } from '../../base/phone.ts'
import type { StaffPage } from '../../pages/staff/page.ts'
import { all, cutRows, inOrder, onPage, rowById } from '../../pages/staff/store.ts'
import { foundPageOf, newestRows } from '../../pages/staff/search-store.ts'

export async function listCustomerRows(
  reader: Reader,
  page: StaffPage,
  phone: Msisdn | null,
): Promise<Page<Customer>> {
  const source: RawBuilder<Shown<CustomerRow>> =
    phone === null ? newestRows(listedCustomers, page) : withPhone(page, phone)
  const rows = await reader
    .selectFrom(source.as<'r'>(sql.ref('r')))
    .select(columnsIn('r', shownColumns(listedCustomers)))
    .execute()
  return foundPageOf(rows, page, customerOf)
}

// Repeats the condition of the index, which leaves out erased numbers.
function withPhone(page: StaffPage, phone: Msisdn) {
  const id = sql.ref('t.id')
  const where = all([
    sql`t.phone = ${phone} and t.phone is not null and t.phone <> '[redacted]'`,
    page.merchantId === null ? null : sql`t.merchant_id = ${page.merchantId}`,
    onPage(page, id),
  ])
  return cutRows<CustomerRow>(
    listedCustomers,
    page,
    sql`select ${columnsOf('t', listedCustomers.columns)} from customers t where ${where} ${inOrder(page, id)}`,
  )
}

export async function findCustomerRow(reader: Reader, id: CustomerId): Promise<Customer | undefined> {
  const row = await reader
    .selectFrom(rowById<CustomerRow>('customers', id, customerColumns).as<'r'>(sql.ref('r')))
    .select(columnsIn('r', customerColumns))
    .executeTakeFirst()
  return row && customerOf(row)
}
