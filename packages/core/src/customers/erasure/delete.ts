import type { DeletedCustomer } from '@merchant-payments/contract'
import type { Tx } from '@merchant-payments/db'
import { clientDisabled } from '../../base/client-status.ts'
import { beginErasure, type ErasureDeps, eraseOn } from './erase.ts'
import type { Erasure } from './jobs-store.ts'
import { type CustomerId, idIn, type MerchantId } from '../../base/ids.ts'
import { noSuchCustomer } from '../queries.ts'
import { renderDeleted } from '../render.ts'
import { lockCustomer } from '../store.ts'

/**
 * Spec 3.2. An erased customer gets the same answer without another event, a removed one the uniform 404. Once
 * begun, the erasure is certain: the worker finishes what a request does not clear.
 */
export async function deleteCustomer(
  deps: ErasureDeps,
  merchantId: MerchantId,
  idText: string,
  requestId: string,
): Promise<DeletedCustomer> {
  const id = idIn('cus', idText, noSuchCustomer)
  const begun = await deps.db.transact((tx) => beginDelete(deps, tx, { merchantId, id, requestId }))
  if (begun !== null) await eraseOn(deps, begun.erasure)
  return renderDeleted(id)
}

/**
 * The part of a delete whose commit makes the erasure certain.
 *
 * @returns null for a customer who was erased before
 * @throws Refusal authentication_error, resource_missing
 */
export async function beginDelete(
  deps: Pick<ErasureDeps, 'clock'>,
  tx: Tx,
  { merchantId, id, requestId }: { merchantId: MerchantId; id: CustomerId; requestId: string },
): Promise<{ erasure: Erasure; keepsRow: boolean } | null> {
  const { open, found: customer } = await lockCustomer(tx, merchantId, id)
  if (!open) throw clientDisabled()
  if (customer === undefined) throw noSuchCustomer()
  return customer.erasedAtMs === null ? beginErasure(deps, tx, customer, requestId) : null
}
