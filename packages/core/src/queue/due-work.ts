import { instant, type Placing, type Reader, statement } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { isNotMoving } from '../base/client-status.ts'
import { knownRails, payoutRails } from '../rails/known.ts'
import type { Rails } from '../rails/port.ts'
import {
  dueRanges,
  type Floors,
  floorsAt,
  isInRange,
  newFloors,
  type RangesJson,
  rangesTable,
} from './floors.ts'
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
  readonly charges: RangesJson
  readonly refunds: RangesJson
  readonly returns: RangesJson
  readonly fanoutsFrom: string
  readonly deliveriesFrom: string
  readonly erasuresFrom: string
  readonly decidedBy: string
  readonly known: readonly string[]
}

/**
 * Looks into all queues in one read, which locks and writes nothing.
 *
 * @param rails those of this worker's configuration
 * @param leftOut rails whose charges this worker does not claim now
 * @param floors those of this worker's claims, so that a look finds what a claim does
 */
export async function readDueWork(
  reader: Reader,
  nowMs: number,
  rails: Rails,
  leftOut: readonly string[],
  floors: Floors = newFloors(),
): Promise<DueWork> {
  const reading = await floorsAt(floors, reader, nowMs)
  const known = knownRails(rails)
  const payouts = { known: payoutRails(rails) }
  const [row] = await dueWork(reader, {
    now: instant(nowMs),
    charges: dueRanges(reading, 'charge_jobs', { known, leftOut }, nowMs),
    refunds: dueRanges(reading, 'refund_jobs', payouts, nowMs),
    returns: dueRanges(reading, 'return_jobs', payouts, nowMs),
    fanoutsFrom: instant(reading.fanouts),
    deliveriesFrom: instant(reading.deliveries),
    erasuresFrom: instant(reading.erasures),
    decidedBy: instant(nowMs + DECIDING_MS),
    known,
  })
  if (row === undefined) throw new Error('a look into the queues returned no row')
  return row
}

const dueWork = statement((value: Placing<Values>) => {
  const now = sql`${value('now')}::timestamptz`
  const isUnleased = sql`(n.lease_until is null or n.lease_until <= ${now}) and ${isNotMoving(sql`n.merchant_id`)}`
  const isFree = sql`n.due_at <= ${now} and ${isUnleased}`
  const isFreeInRange = sql`${isInRange} and ${isUnleased}`
  return sql<DueWork>`
    select
      ${ofRails('charge_jobs', rangesTable(value('charges')), isFreeInRange)} as charges,
      ${ofRails('refund_jobs', rangesTable(value('refunds')), isFreeInRange)} as refunds,
      ${ofRails('return_jobs', rangesTable(value('returns')), isFreeInRange)} as returns,
      exists (
        select from fanout_jobs n where n.fanout_state = 'pending' and n.due_at >= ${value('fanoutsFrom')}::timestamptz and n.due_at <= ${now}
          and ${isNotMoving(sql`n.merchant_id`)} order by n.due_at limit 1) as events,
      exists (
        select from delivery_jobs n where n.dead_at is null and n.due_at >= ${value('deliveriesFrom')}::timestamptz
          and ${isFree} order by n.due_at limit 1) as deliveries,
      exists (
        select from bulk_jobs n where n.status = 'running' and n.due_at <= ${now}
          and (n.lease_until is null or n.lease_until <= ${now}) limit 1) as bulk,
      exists (
        select from customer_erasures n where n.due_at >= ${value('erasuresFrom')}::timestamptz and ${isFree}
        order by n.due_at limit 1) as erasures,
      exists (
        select from raised_alerts a where ${notRestingAt('record-attention', plainUuid('a.id'), now)}
          and ${isNotMoving(sql`a.merchant_id`)} order by a.id limit 1) as alerts,
      ${ofRails(
        'charge_jobs',
        sql`unnest(${value('known')}::text[]) as rails (rail)`,
        sql`n.rail = rails.rail and n.rested_at is null
          and n.due_at > ${now} and n.due_at <= ${value('decidedBy')}::timestamptz`,
      )} as "payersDecide"`
})

/** @param rails the rails that are read, as a table `rails` */
const ofRails = (jobs: string, rails: RawBuilder<unknown>, where: RawBuilder<unknown>) => sql`
      exists (
        select from ${rails} cross join lateral (
          select from ${sql.table(jobs)} n where ${where} order by n.rail, n.due_at limit 1) n)`
