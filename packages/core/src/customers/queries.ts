import { type Customer as WireCustomer, type List, Refusal } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import { type CustomerId, type MerchantId, parseId } from '../base/ids.ts'
import type { PageQuery } from '../pages/page.ts'
import { renderCustomer } from './render.ts'
import { findCustomer, listCustomerPage } from './store.ts'

export const noSuchCustomer = () => new Refusal('resource_missing', 'No such customer.')

/** @throws Refusal resource_missing, the same for an ill-formed, an unknown, a foreign and a removed id (spec 4.4.5) */
export async function getCustomer(
  { db }: Pick<Deps, 'db'>,
  merchantId: MerchantId,
  idText: string,
): Promise<WireCustomer> {
  const id = parseId('cus', idText)
  if (id === null) throw noSuchCustomer()
  const { open, found: customer } = await findCustomer(db.reader, merchantId, id)
  if (!open) throw clientDisabled()
  if (customer === undefined) throw noSuchCustomer()
  return renderCustomer(customer)
}

/** Spec 4.2: erased customers are listed too. */
export async function listCustomers(
  { db }: Pick<Deps, 'db'>,
  merchantId: MerchantId,
  page: PageQuery<CustomerId>,
): Promise<List<WireCustomer>> {
  const { open, found } = await listCustomerPage(db.lists, merchantId, page, {})
  if (!open) throw clientDisabled()
  return {
    object: 'list',
    url: '/v1/customers',
    has_more: found.hasMore,
    data: found.items.map(renderCustomer),
  }
}
