import type { List, StaffCustomer } from '@merchant-payments/contract'
import { secondsOf } from '../../clock.ts'
import type { Customer } from '../../customers/customer.ts'
import { noSuchCustomer } from '../../customers/queries.ts'
import { renderCustomer } from '../../customers/render.ts'
import type { Deps } from '../../deps.ts'
import { parseId } from '../../ids.ts'
import type { StaffDeps } from '../../staff/limits.ts'
import { renderPage, type StaffPage } from '../pages/page.ts'
import { findCustomerRow, listCustomerRows } from './store.ts'

export async function listStaffCustomers(
  { db, payerNumbers }: Pick<StaffDeps, 'db' | 'payerNumbers'>,
  page: StaffPage,
  payer: string | null,
): Promise<List<StaffCustomer>> {
  const number = payer === null ? null : payerNumbers.numberOf(payer)
  return renderPage('/customers', await listCustomerRows(db.reader, page, number), renderStaffCustomer)
}

/** @throws Refusal resource_missing */
export async function getStaffCustomer({ db }: Pick<Deps, 'db'>, idText: string): Promise<StaffCustomer> {
  const id = parseId('cus', idText)
  const customer = id === null ? undefined : await findCustomerRow(db.reader, id)
  if (customer === undefined) throw noSuchCustomer()
  return renderStaffCustomer(customer)
}

const renderStaffCustomer = (customer: Customer): StaffCustomer => ({
  ...renderCustomer(customer),
  merchant: customer.merchantId,
  last_used_at: secondsOf(customer.lastUsedAtMs),
  erased_at: customer.erasedAtMs === null ? null : secondsOf(customer.erasedAtMs),
})
