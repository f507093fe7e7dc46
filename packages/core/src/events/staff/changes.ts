import { Refusal } from '@merchant-payments/contract'
import { beforeOf } from '../../audit/before.ts'
import { changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import type { Deps } from '../../deps.ts'
import { idIn, type MerchantId } from '../../base/ids.ts'
import { lockFanout, retry } from './store.ts'

const noSuchFanout = () => new Refusal('resource_missing', 'No such event.')

/** Spec 3.4: only an operator takes an event out of failed. */
export function retryFanout(
  deps: Pick<Deps, 'db' | 'clock'>,
  request: StaffRequest,
  idText: string,
): Promise<Changed> {
  const id = idIn('evt', idText, noSuchFanout)
  return changeOnce(deps, request, { action: 'fanout.retry', target: id }, async (db, tx) => {
    const before = await lockFanout(tx, id)
    if (before === undefined) throw noSuchFanout()
    if (!(await retry(db.writer, id, deps.clock()))) {
      throw new Refusal('fanout_not_failed', 'The fan-out of the event has not failed.')
    }
    return {
      merchantId: before.merchant_id as MerchantId,
      before: beforeOf(before, ({ fanout_state: state, failures }) => ({ state, failures })),
      after: { state: 'pending', failures: 0 },
    }
  })
}
