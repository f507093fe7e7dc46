import { asMerchant, changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import type { Deps } from '../../deps.ts'
import { type MerchantId, parseId } from '../../base/ids.ts'
import { cancelIntent } from '../cancel.ts'
import { noSuchIntent } from '../refusals.ts'
import { findIntentRow } from './store.ts'

export function cancelStaffIntent(
  deps: Pick<Deps, 'db' | 'clock' | 'fault'>,
  request: StaffRequest,
  idText: string,
): Promise<Changed> {
  const id = parseId('pi', idText)
  if (id === null) throw noSuchIntent()
  return changeOnce(deps, request, { action: 'payment_intent.cancel', target: id }, async (db) => {
    const before = await findIntentRow(db.reader, id)
    if (before === undefined) throw noSuchIntent()
    const merchantId = before.merchant_id as MerchantId
    await asMerchant(db, request, merchantId, (claim) => cancelIntent({ ...deps, db }, claim, id, null))
    return { merchantId, before: { status: before.status }, after: { status: 'canceled' } }
  })
}
