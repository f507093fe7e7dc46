import type { List, StaffCustomer } from '@merchant-payments/contract'
import {
  type AuditRead,
  readOfCustomers,
  recordReadOnce,
  type StaffReader,
  type Viewed,
} from '../../audit/read.ts'
import { secondsOf, secondsOrNull } from '../../base/clock.ts'
import { idIn } from '../../base/ids.ts'
import type { Customer } from '../customer.ts'
import { noSuchCustomer } from '../queries.ts'
import { renderCustomer } from '../render.ts'
import type { Deps } from '../../deps.ts'
import type { StaffDeps } from '../../staff/limits.ts'
import { readOfNumber } from '../../staff/payer-numbers.ts'
import { renderPage, type StaffPage } from '../../pages/staff/page.ts'
import { findCustomerRow, listCustomerRows } from './store.ts'

export async function listStaffCustomers(
  deps: Pick<StaffDeps, 'db' | 'clock' | 'payerNumbers'>,
  by: StaffReader,
  page: StaffPage,
  payer: string | null,
): Promise<Viewed<List<StaffCustomer>>> {
  const number = payer === null ? null : deps.payerNumbers.numberOf(payer)
  const found = await listCustomerRows(deps.db.reader, page, number)
  const read = number === null ? readOfList(found.items) : readOfNumber(deps, number)
  return {
    answer: renderPage('/customers', found, renderStaffCustomer),
    entry: read && (await recordReadOnce(deps, by, read)),
  }
}

/** A customer has a name, an e-mail or a phone until the erasure. */
const readOfList = (customers: readonly Customer[]): AuditRead | null =>
  customers.some(({ erasedAtMs }) => erasedAtMs === null) ? readOfCustomers : null

/** @throws Refusal resource_missing */
export async function getStaffCustomer(
  deps: Pick<Deps, 'db' | 'clock'>,
  by: StaffReader,
  idText: string,
): Promise<Viewed<StaffCustomer>> {
  const id = idIn('cus', idText, noSuchCustomer)
  const customer = await findCustomerRow(deps.db.reader, id)
  if (customer === undefined) throw noSuchCustomer()
  const { id: target, merchantId } = customer
  const entry = await recordReadOnce(deps, by, { action: 'customer.view', target, merchantId })
  return { answer: renderStaffCustomer(customer), entry }
}

const renderStaffCustomer = (customer: Customer): StaffCustomer => ({
  ...renderCustomer(customer),
  merchant: customer.merchantId,
  last_used_at: secondsOf(customer.lastUsedAtMs),
  erased_at: secondsOrNull(customer.erasedAtMs),
})
