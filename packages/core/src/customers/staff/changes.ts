import { heldRow } from '../../audit/before.ts'
import { asMerchant, changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import { idIn } from '../../base/ids.ts'
import { beginDelete } from '../erasure/delete.ts'
import { noSuchCustomer } from '../queries.ts'
import { type ErasureDeps, eraseOn } from '../erasure/erase.ts'
import type { Erasure } from '../erasure/jobs-store.ts'
import { findCustomerRow } from './store.ts'

/** Deletes like /v1. The audit entry commits with the intention, which makes the erasure certain. */
export async function eraseStaffCustomer(
  deps: ErasureDeps,
  request: StaffRequest,
  idText: string,
): Promise<Changed> {
  const id = idIn('cus', idText, noSuchCustomer)
  let begun: Erasure | undefined
  const changed = await changeOnce(
    deps,
    request,
    { action: 'customer.erase', target: id },
    async ({ reader }, tx) => {
      const before = await findCustomerRow(reader, id)
      if (before === undefined) throw noSuchCustomer()
      const { merchantId } = before
      const { requestId } = request
      const intention = await asMerchant({ reader }, request, merchantId, () =>
        beginDelete(deps, tx, { merchantId, id, requestId }),
      )
      begun = intention?.erasure
      return {
        merchantId,
        before: heldRow({ state: intention === null ? 'erased' : 'live' }),
        after: { state: intention === null || intention.keepsRow ? 'erased' : 'removed' },
      }
    },
  )
  if (begun !== undefined) await eraseOn(deps, begun)
  return changed
}
