import { Refusal } from '@merchant-payments/contract'
import type { Tx } from '@merchant-payments/db'
import { beforeOf, type Held } from '../../audit/before.ts'
import { changeOnce, type Changed, type StaffRequest } from '../../audit/change.ts'
import { type AttentionItemId, idIn, type MerchantId, uuidOf } from '../../base/ids.ts'
import type { Deps } from '../../deps.ts'
import { versionOf } from '../item.ts'
import { acknowledgeMany, type AttentionRow, lockItem, resolveMany } from '../store.ts'

const noSuchItem = () => new Refusal('resource_missing', 'No such item.')

/**
 * The reason is a note for the next shift, which the audit log keeps.
 *
 * @param seenAssignee the subject of the assignee that the author saw, empty for nobody; null is not compared
 * @throws Refusal attention_changed if the item has another assignee
 */
export function acknowledgeItem(
  deps: Pick<Deps, 'db' | 'clock'>,
  request: StaffRequest,
  idText: string,
  seenAssignee: string | null,
): Promise<Changed> {
  const id = idIn('att', idText, noSuchItem)
  return changeOnce(deps, request, { action: 'attention.acknowledge', target: id }, async (_db, tx) => {
    const item = await lockWaiting(tx, id)
    if (seenAssignee !== null && seenAssignee !== (item.assignee ?? '')) throw takenSince()
    await acknowledgeMany(tx, [uuidOf(id)], request.staff)
    return changeOf(item, { status: 'acknowledged', assignee: request.staff.subject })
  })
}

/**
 * Ends an item of which the author has seen everything.
 *
 * @throws Refusal attention_changed if an alert has told of something new since
 */
export function resolveItem(
  deps: Pick<Deps, 'db' | 'clock'>,
  request: StaffRequest,
  idText: string,
  seenVersion: string,
): Promise<Changed> {
  const id = idIn('att', idText, noSuchItem)
  return changeOnce(deps, request, { action: 'attention.resolve', target: id }, async (_db, tx) => {
    const item = await lockWaiting(tx, id)
    if (versionOf(item) !== seenVersion) throw changedSince()
    await resolveMany(tx, [uuidOf(id)], deps.clock())
    return changeOf(item, { status: 'resolved', assignee: item.assignee })
  })
}

async function lockWaiting(tx: Tx, id: AttentionItemId): Promise<Held<AttentionRow>> {
  const item = await lockItem(tx, id)
  if (item === undefined) throw noSuchItem()
  if (item.status === 'resolved') throw new Refusal('attention_resolved', 'The item is already resolved.')
  return item
}

const takenSince = () =>
  new Refusal(
    'attention_changed',
    'The item has another assignee than you saw. Look at it again before you take it.',
  )

const changedSince = () =>
  new Refusal(
    'attention_changed',
    'An alert has told of something new since you saw this item. Look at it again before you resolve it.',
  )

const changeOf = (
  item: Held<AttentionRow>,
  after: { readonly status: string; readonly assignee: string | null },
) => ({
  merchantId: item.merchant_id as MerchantId,
  before: beforeOf(item, ({ facts, alert, object, status, assignee }) => ({
    ...facts,
    alert,
    object,
    status,
    assignee,
  })),
  after: { alert: item.alert, object: item.object, ...after },
})
