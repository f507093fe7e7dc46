import { instant, type Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn } from '../../base/columns.ts'
import { type MerchantId, uuidFloorOf } from '../../base/ids.ts'
import { all, newestSince } from '../../pages/staff/store.ts'
import { ALL_MERCHANTS } from '../../rollups/store.ts'

const DECLINES_MAX = 20
const NEWEST_CHARGES = 5_000

/** Whole buckets: a count has no part of one. */
export interface Rolled {
  readonly sizeMin: 5 | 60
  readonly fromMs: number
  readonly untilMs: number
  readonly merchantId: MerchantId | null
  readonly rail: string | null
}

const within = ({ sizeMin, fromMs, untilMs, merchantId, rail }: Rolled) =>
  all([
    sql`t.size_min = ${sql.lit(sizeMin)}`,
    sql`t.bucket >= ${instant(fromMs)}::timestamptz`,
    sql`t.bucket < ${instant(untilMs)}::timestamptz`,
    sql`t.merchant_id = ${merchantId ?? ALL_MERCHANTS}`,
    rail === null ? null : sql`t.rail = ${rail}`,
  ])

export interface Outcomes {
  readonly opened: number
  readonly succeeded: number
  readonly failed: number
  readonly duplicate: number
  readonly waiting: number
  readonly amount: number
  /** The places of the percentiles in the histogram; null without a paid charge. */
  readonly p50: number | null
  readonly p95: number | null
}

const outcomeColumns = [
  'opened',
  'succeeded',
  'failed',
  'duplicate',
  'waiting',
  'amount',
  'p50',
  'p95',
] as const

const outcomesBy = (key: RawBuilder<unknown>, where: RawBuilder<unknown>) => sql`(
  with counts as (
    select ${key} as key, sum(t.opened)::bigint as opened, sum(t.succeeded)::bigint as succeeded,
      sum(t.failed)::bigint as failed, sum(t.duplicate)::bigint as duplicate, sum(t.waiting)::bigint as waiting,
      coalesce(sum(t.amount) filter (where t.currency = 'XAF'), 0)::bigint as amount
    from charge_rollups t where ${where} group by 1),
  added as (
    select ${key} as key, t.k, sum(t.n) as n from charge_duration_rollups t where ${where} group by 1, 2),
  ranked as (
    select a.key, a.k, sum(a.n) over (partition by a.key order by a.k) as upto, sum(a.n) over (partition by a.key) as total
    from added a),
  times as (
    select r.key, min(r.k) filter (where r.upto >= 0.5 * r.total) as p50, min(r.k) filter (where r.upto >= 0.95 * r.total) as p95
    from ranked r group by r.key)
  select c.key, c.opened, c.succeeded, c.failed, c.duplicate, c.waiting, c.amount, t.p50, t.p95
  from counts c left join times t on t.key = c.key)`

export const readPoints = (
  reader: Reader,
  rolled: Rolled,
  { sizeSec, offsetSec }: { readonly sizeSec: number; readonly offsetSec: number },
): Promise<(Outcomes & { readonly key: number })[]> => {
  const size = sql.lit(sizeSec)
  const offset = sql.lit(offsetSec)
  const key = sql`(floor((extract(epoch from t.bucket) + ${offset}) / ${size}) * ${size} - ${offset})::bigint`
  return reader
    .selectFrom(sql<Outcomes & { key: number }>`${outcomesBy(key, within(rolled))}`.as<'r'>(sql.ref('r')))
    .select(columnsIn('r', ['key', ...outcomeColumns]))
    .orderBy('r.key')
    .execute()
}

export const readRails = (reader: Reader, rolled: Rolled): Promise<(Outcomes & { readonly key: string })[]> =>
  reader
    .selectFrom(
      sql<Outcomes & { key: string }>`${outcomesBy(sql`t.rail`, within(rolled))}`.as<'r'>(sql.ref('r')),
    )
    .select(columnsIn('r', ['key', ...outcomeColumns]))
    .execute()

export const readDeclines = (
  reader: Reader,
  rolled: Rolled,
): Promise<{ rail: string; code: string; count: number }[]> =>
  reader
    .selectFrom(
      sql<{ rail: string; code: string; count: number }>`(
        select t.rail, t.code, sum(t.n)::bigint as count from charge_decline_rollups t where ${within(rolled)}
        group by t.rail, t.code having sum(t.n) > 0 order by 3 desc, 1, 2 limit ${sql.lit(DECLINES_MAX)})`.as<'r'>(
        sql.ref('r'),
      ),
    )
    .select(['r.rail', 'r.code', 'r.count'])
    .orderBy('r.count', 'desc')
    .orderBy('r.rail')
    .orderBy('r.code')
    .execute()

/** For one rail, counts the payments that offer it. Payments that offer several are counted once among all. */
export const readFunnel = (
  reader: Reader,
  rolled: Rolled,
): Promise<{ created: number; sent: number; approved: number }> =>
  reader
    .selectFrom(
      sql<{ created: number; sent: number; approved: number }>`(
        select coalesce(sum(t.created), 0)::bigint as created, coalesce(sum(t.sent), 0)::bigint as sent,
          coalesce(sum(t.approved), 0)::bigint as approved
        from ${sql.table(rolled.rail === null ? 'intent_rollups' : 'intent_rail_rollups')} t where ${within(rolled)})`.as<'r'>(
        sql.ref('r'),
      ),
    )
    .select(['r.created', 'r.sent', 'r.approved'])
    .executeTakeFirstOrThrow()

interface LastError {
  readonly rail: string
  readonly rail_code: string | null
  readonly rail_message: string | null
  readonly settled_at: number | null
}

const errorColumns = ['id', 'rail', 'status', 'rail_code', 'rail_message', 'settled_at'] as const

export const readLastErrors = (reader: Reader): Promise<LastError[]> => {
  const newest = newestSince('charges', errorColumns, {
    sinceUuid: uuidFloorOf(0),
    rowsMax: NEWEST_CHARGES,
  })
  return reader
    .selectFrom(
      sql<LastError>`(
        select distinct on (n.rail) n.rail, n.rail_code, n.rail_message, n.settled_at
        from (${newest}) n
        where n.status = 'failed' order by n.rail, n.id desc)`.as<'r'>(sql.ref('r')),
    )
    .select(['r.rail', 'r.rail_code', 'r.rail_message', 'r.settled_at'])
    .execute()
}
