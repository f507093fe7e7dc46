import { Refusal } from '@merchant-payments/contract'
import { heldRow } from '../../audit/before.ts'
import { changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import type { Deps } from '../../deps.ts'
import type { MerchantId } from '../../base/ids.ts'
import { disable, enable, isDisabled } from './store.ts'

const clientShape = /^[A-Za-z0-9_.-]{1,64}$/

const noSuchClient = () => new Refusal('resource_missing', 'No such merchant client.')

/** Spec 5.1.5: takes effect on the merchant's next request. A second call changes nothing and keeps the first reason. */
export function disableMerchantClient(
  deps: Pick<Deps, 'db' | 'clock' | 'deployment'>,
  request: StaffRequest,
  clientId: string,
): Promise<Changed> {
  const merchantId = clientId as MerchantId
  const isRegistered = deps.deployment.merchants.find(merchantId) !== undefined
  if (!clientShape.test(clientId) || !isRegistered) throw noSuchClient()
  return changeOnce(
    deps,
    request,
    { action: 'merchant_client.disable', target: clientId },
    async (_db, tx) => {
      const inserted = await disable(tx, clientId, request.reason, deps.clock())
      return { merchantId, before: heldRow({ disabled: !inserted }), after: { disabled: true } }
    },
  )
}

/** Also accepts a disabled merchant that has left the configuration. */
export function enableMerchantClient(
  deps: Pick<Deps, 'db' | 'clock' | 'deployment'>,
  request: StaffRequest,
  clientId: string,
): Promise<Changed> {
  const merchantId = clientId as MerchantId
  if (!clientShape.test(clientId)) throw noSuchClient()
  const isRegistered = deps.deployment.merchants.find(merchantId) !== undefined
  return changeOnce(deps, request, { action: 'merchant_client.enable', target: clientId }, async (db, tx) => {
    if (!isRegistered && !(await isDisabled(db.reader, clientId))) throw noSuchClient()
    const removed = await enable(tx, clientId)
    return { merchantId, before: heldRow({ disabled: removed }), after: { disabled: false } }
  })
}
