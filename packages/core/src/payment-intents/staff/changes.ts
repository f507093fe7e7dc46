import { beforeOf, heldIfFound } from '../../audit/before.ts'
import { asMerchant, changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import type { Deps } from '../../deps.ts'
import { idIn, type MerchantId } from '../../base/ids.ts'
import { cancelIntent } from '../cancel.ts'
import { noSuchIntent } from '../refusals.ts'
import { holdRow } from '../../pages/staff/store.ts'
import { findIntentRow } from './store.ts'

export function cancelStaffIntent(
  deps: Pick<Deps, 'db' | 'clock' | 'fault'>,
  request: StaffRequest,
  idText: string,
): Promise<Changed> {
  const id = idIn('pi', idText, noSuchIntent)
  return changeOnce(deps, request, { action: 'payment_intent.cancel', target: id }, async (db, tx) => {
    await holdRow(tx, 'payment_intents', id)
    const before = heldIfFound(await findIntentRow(db.reader, id))
    if (before === undefined) throw noSuchIntent()
    const merchantId = before.merchant_id as MerchantId
    await asMerchant(db, request, merchantId, (claim) => cancelIntent({ ...deps, db }, claim, id, null))
    return {
      merchantId,
      before: beforeOf(before, ({ status }) => ({ status })),
      after: { status: 'canceled' },
    }
  })
}
