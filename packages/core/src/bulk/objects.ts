import type { Tx } from '@merchant-payments/db'
import { acknowledgeMany, type HandledRow, resolveMany } from '../attention/store.ts'
import type { MerchantId } from '../base/ids.ts'
import { queryMany } from '../charges/staff/changes.ts'
import { replayMany } from '../deliveries/staff/store.ts'
import { retryMany } from '../events/staff/store.ts'
import type { BulkJob, ObjectChange } from './job.ts'

/**
 * Changes the objects whose state allows it, by the operator's SQL functions where there is one.
 *
 * @returns the changes. An object that was left alone has none.
 */
export async function changeObjects(
  tx: Tx,
  { kind, actor }: BulkJob,
  uuids: readonly string[],
  nowMs: number,
): Promise<readonly ObjectChange[]> {
  switch (kind) {
    case 'delivery.replay': {
      const rows = await replayMany(tx, uuids, nowMs)
      return rows.map((row) => ({
        ...ofRow(row),
        before: { status: row.status, attempts: row.attempts, dead_lettered: row.is_dead },
        after: { status: 'pending', attempts: 0, dead_lettered: false },
      }))
    }
    case 'fanout.retry': {
      const rows = await retryMany(tx, uuids, nowMs)
      return rows.map((row) => ({
        ...ofRow(row),
        before: { state: 'failed', failures: row.failures },
        after: { state: 'pending', failures: 0 },
      }))
    }
    case 'charge.query':
      return queryMany(tx, uuids, nowMs)
    case 'attention.acknowledge': {
      const after = { status: 'acknowledged', assignee: actor.subject }
      return (await acknowledgeMany(tx, uuids, actor, true)).map((row) => handled(row, after))
    }
    case 'attention.resolve': {
      const rows = await resolveMany(tx, uuids, nowMs)
      return rows.map((row) => handled(row, { status: 'resolved', assignee: row.assignee }))
    }
  }
}

const ofRow = ({ id, merchant_id }: { readonly id: string; readonly merchant_id: string }) => ({
  uuid: id,
  merchantId: merchant_id as MerchantId,
})

const handled = (
  row: HandledRow,
  after: { readonly status: string; readonly assignee: string | null },
): ObjectChange => {
  const { alert, object, facts, status, assignee } = row
  return {
    ...ofRow(row),
    before: { ...facts, alert, object, status, assignee },
    after: { alert, object, ...after },
  }
}
