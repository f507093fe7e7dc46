import type { Overview } from '@merchant-payments/contract'
import { DAY_MS, secondsOf } from '../../base/clock.ts'
import type { Deps } from '../../deps.ts'
import { STUCK_AFTER_MS } from '../../charges/staff/queries.ts'
import { type OverviewRow, readOverview, type Waiting } from './store.ts'

const COUNTED_MS = DAY_MS
/** docs/spec-gaps.md, staff: the newest payments and charges of the last day that are counted. */
export const COUNTED_MAX = 10_000

export async function getOverview({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<Overview> {
  const nowMs = clock()
  const sinceMs = nowMs - COUNTED_MS
  const stuckBeforeMs = nowMs - STUCK_AFTER_MS
  const row = await readOverview(db.reader, { sinceMs, stuckBeforeMs, rowsMax: COUNTED_MAX })
  const waiting = renderWaiting(row)
  return {
    object: 'overview',
    at: secondsOf(nowMs),
    since: secondsOf(sinceMs),
    counted_at_most: COUNTED_MAX,
    payment_intents: [...row.intents],
    charges: [...row.charges],
    live_charges: waiting('live_charges'),
    stuck_charges: waiting('stuck_charges'),
    duplicate_charges: waiting('duplicate_charges'),
    mismatched_charges: waiting('mismatched_charges'),
    attention_items: waiting('attention_items'),
    pending_deliveries: waiting('pending_deliveries'),
    exhausted_deliveries: waiting('exhausted_deliveries'),
    dead_letters: waiting('dead_letters'),
    pending_fanouts: waiting('pending_fanouts'),
    failed_fanouts: waiting('failed_fanouts'),
    refunds_to_instruct: waiting('refunds_to_instruct'),
    pending_approvals: waiting('pending_approvals'),
    disabled_clients: row.disabled,
  }
}

const renderWaiting =
  ({ waiting }: OverviewRow) =>
  (name: Waiting) => ({ count: waiting[name].count, oldest: waiting[name].oldest_sec })
