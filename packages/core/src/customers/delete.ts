import type { DeletedCustomer } from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../door.ts'
import { eraseCustomer } from '../erasure/erase.ts'
import { type MerchantId, parseId } from '../ids.ts'
import { noSuchCustomer } from './queries.ts'
import { renderDeleted } from './render.ts'
import { lockCustomer } from './store.ts'

/** Spec 3.2: the same answer again for an erased customer, without another event; the uniform 404 for a removed one. */
export async function deleteCustomer(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  merchantId: MerchantId,
  idText: string,
  requestId: string,
): Promise<DeletedCustomer> {
  const id = parseId('cus', idText)
  if (id === null) throw noSuchCustomer()
  const nowMs = clock()
  await db.transact(async (tx) => {
    const { open, found: customer } = await lockCustomer(tx, merchantId, id)
    if (!open) throw clientDisabled()
    if (customer === undefined) throw noSuchCustomer()
    if (customer.erasedAtMs === null) await eraseCustomer(tx, customer, { requestId, nowMs })
  })
  return renderDeleted(id)
}
