import { instant, type Placing, type Reader, statement } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { isNotMoving } from '../base/client-status.ts'
import { knownRails, payoutRails } from '../rails/known.ts'
import type { Rails } from '../rails/port.ts'
import { dueByRail, railsOf, UNKNOWN_RAIL_WAIT_MS } from './claim-by-rail.ts'
import { notRestingAt, plainUuid } from './refusals.ts'

export interface DueWork {
  readonly charges: boolean
  readonly refunds: boolean
  readonly returns: boolean
  readonly events: boolean
  readonly deliveries: boolean
  readonly bulk: boolean
  readonly erasures: boolean
  readonly alerts: boolean
  /** A charge is queried soon, so its payer is deciding now, and its rail may call back at any moment. */
  readonly payersDecide: boolean
}

/** Longer than the quick rungs of `charges/ladder.ts`, and shorter than the rungs that follow them. */
const DECIDING_MS = 25_000

interface Values {
  readonly now: string
  readonly unknownBy: string
  readonly decidedBy: string
  readonly known: readonly string[]
  readonly payouts: readonly string[]
  readonly leftOut: readonly string[]
}

/**
 * Looks into all queues in one read, which locks and writes nothing.
 *
 * @param rails those of this worker's configuration
 * @param leftOut rails whose charges this worker does not claim now
 */
export async function readDueWork(
  reader: Reader,
  nowMs: number,
  rails: Rails,
  leftOut: readonly string[],
): Promise<DueWork> {
  const [row] = await dueWork(reader, {
    now: instant(nowMs),
    unknownBy: instant(nowMs - UNKNOWN_RAIL_WAIT_MS),
    decidedBy: instant(nowMs + DECIDING_MS),
    known: knownRails(rails),
    payouts: payoutRails(rails),
    leftOut,
  })
  if (row === undefined) throw new Error('a look into the queues returned no row')
  return row
}

const dueWork = statement((value: Placing<Values>) => {
  const now = sql`${value('now')}::timestamptz`
  const known = sql`${value('known')}`
  const isUnleased = sql`(n.lease_until is null or n.lease_until <= ${now}) and ${isNotMoving(sql`n.merchant_id`)}`
  const isFree = sql`n.due_at <= ${now} and ${isUnleased}`
  const isFreeOf = (rails: RawBuilder<unknown>) =>
    sql`n.due_at <= ${dueByRail(rails, now, sql`${value('unknownBy')}`)} and ${isUnleased}`
  return sql<DueWork>`
    select
      ${ofRails('charge_jobs', isFreeOf(known), sql`rails.rail <> all (${value('leftOut')}::text[])`)} as charges,
      ${ofRails('refund_jobs', isFreeOf(sql`${value('payouts')}`))} as refunds,
      ${ofRails('return_jobs', isFreeOf(sql`${value('payouts')}`))} as returns,
      exists (
        select from fanout_jobs n where n.fanout_state = 'pending' and n.due_at <= ${now}
          and ${isNotMoving(sql`n.merchant_id`)} order by n.due_at limit 1) as events,
      exists (
        select from delivery_jobs n where n.dead_at is null and ${isFree} order by n.due_at limit 1) as deliveries,
      exists (
        select from bulk_jobs n where n.status = 'running' and n.due_at <= ${now}
          and (n.lease_until is null or n.lease_until <= ${now}) limit 1) as bulk,
      exists (select from customer_erasures n where ${isFree} order by n.due_at limit 1) as erasures,
      exists (
        select from raised_alerts a where ${notRestingAt('record-attention', plainUuid('a.id'), now)}
          and ${isNotMoving(sql`a.merchant_id`)} order by a.id limit 1) as alerts,
      ${ofRails(
        'charge_jobs',
        sql`n.due_at > ${now} and n.due_at <= ${value('decidedBy')}::timestamptz`,
        sql`rails.rail = any (${known}::text[])`,
      )} as "payersDecide"`
})

const ofRails = (jobs: string, where: RawBuilder<unknown>, rails: RawBuilder<unknown> = sql`true`) => sql`
      exists (
        with recursive ${railsOf(sql.table(jobs))}
        select from rails cross join lateral (
          select from ${sql.table(jobs)} n where n.rail = rails.rail and n.rested_at is null and ${where}
          order by n.rail, n.due_at limit 1) n
        where rails.rail is not null and ${rails})`
