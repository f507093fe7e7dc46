import { type Customer as WireCustomer, type List, Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import type { CustomerId, MerchantId } from '../base/ids.ts'
import { type PageQuery, renderList } from '../pages/page.ts'
import { getById } from '../reads/get-by-id.ts'
import { renderCustomer } from './render.ts'
import { findCustomer, listCustomerPage } from './store.ts'

export const noSuchCustomer = () => new Refusal('resource_missing', 'No such customer.')

/** A removed customer is missing too (spec 4.4.5). */
export const getStoredCustomer = getById('cus', findCustomer, noSuchCustomer)

export async function getCustomer(
  { db }: Pick<Deps, 'db'>,
  merchantId: MerchantId,
  idText: string,
): Promise<WireCustomer> {
  return renderCustomer(await getStoredCustomer(db, { merchantId }, idText))
}

/** Spec 4.2: erased customers are listed too. */
export async function listCustomers(
  { db }: Pick<Deps, 'db'>,
  merchantId: MerchantId,
  page: PageQuery<CustomerId>,
): Promise<List<WireCustomer>> {
  return renderList('/v1/customers', await listCustomerPage(db.lists, merchantId, page, {}), renderCustomer)
}
