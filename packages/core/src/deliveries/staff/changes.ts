import { Refusal } from '@merchant-payments/contract'
import { beforeOf } from '../../audit/before.ts'
import { changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import type { Deps } from '../../deps.ts'
import { idIn, type MerchantId } from '../../base/ids.ts'
import { noSuchDelivery } from './queries.ts'
import { lockDelivery, replay } from './store.ts'

/** Spec 3.3, 6.3.8: runs the operator's SQL function. It starts a new ladder with an immediate attempt. */
export function replayDelivery(
  deps: Pick<Deps, 'db' | 'clock'>,
  request: StaffRequest,
  idText: string,
): Promise<Changed> {
  const id = idIn('wd', idText, noSuchDelivery)
  return changeOnce(deps, request, { action: 'delivery.replay', target: id }, async (db, tx) => {
    const before = await lockDelivery(tx, id)
    if (before === undefined) throw noSuchDelivery()
    if (!(await replay(db.writer, id, deps.clock()))) {
      throw new Refusal('delivery_not_replayable', 'The delivery has succeeded, or is still under way.')
    }
    return {
      merchantId: before.merchant_id as MerchantId,
      before: beforeOf(before, ({ status, attempts, dead_at: deadAt }) => ({
        status,
        attempts,
        dead_lettered: deadAt !== null,
      })),
      after: { status: 'pending', attempts: 0, dead_lettered: false },
    }
  })
}
