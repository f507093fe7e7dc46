import { instant, type Reader, type Tx } from '@merchant-payments/db'
import { sql } from 'kysely'
import { type MerchantId, uuidFloorOf } from '../base/ids.ts'
import { keyOfColumns, notResting } from '../queue/refusals/store.ts'
import { HOUR_MS } from './buckets.ts'

/** A code of a rail, but neither a number of a payer nor a sentence. Others count together. */
const CODE_SHAPE = '^([A-Za-z][A-Za-z_-]{0,63}|[0-9]{1,6})$'

/** Whole buckets of five minutes of one merchant. */
export interface Span {
  readonly merchantId: MerchantId
  readonly fromMs: number
  readonly untilMs: number
}

/** The bucket of an id, whose first twelve digits are its milliseconds. */
const bucketOf = (id: string) => sql`date_bin('5 minutes', to_timestamp(
  (('x' || left(replace(${sql.ref(id)}::text, '-', ''), 12))::bit(48)::bigint) / 1000.0), timestamptz '2000-01-01 00:00Z')`

const tables = [
  'charge_rollups',
  'charge_duration_rollups',
  'charge_decline_rollups',
  'intent_rollups',
] as const

async function clear(tx: Tx, { merchantId, fromMs, untilMs }: Span, sizeMin: number): Promise<void> {
  for (const table of tables) {
    await sql`
      delete from ${sql.table(table)}
      where size_min = ${sizeMin} and bucket >= ${instant(fromMs)}::timestamptz and bucket < ${instant(untilMs)}::timestamptz
        and merchant_id = ${merchantId}`.execute(tx)
  }
}

const idsOf = ({ merchantId, fromMs, untilMs }: Span) => sql`
  t.merchant_id = ${merchantId} and t.id >= ${uuidFloorOf(fromMs)}::uuid and t.id < ${uuidFloorOf(untilMs)}::uuid`

/** Counts the span's charges and payments anew, from the ledger. */
export async function rollUpBuckets(tx: Tx, span: Span): Promise<void> {
  await clear(tx, span, 5)
  const { merchantId } = span
  await sql`
    with c as materialized (
      select ${bucketOf('t.id')} as bucket, t.rail, t.currency, t.status, t.amount, t.rail_code,
        extract(epoch from t.settled_at - t.opened_at) * 1000 as ms
      from charges t where ${idsOf(span)}),
    counts as (
      insert into charge_rollups (size_min, bucket, merchant_id, rail, currency, opened, succeeded, failed, duplicate, waiting, amount)
      select 5, c.bucket, ${merchantId}, c.rail, c.currency, count(*), count(*) filter (where c.status = 'succeeded'),
        count(*) filter (where c.status in ('failed', 'abandoned')), count(*) filter (where c.status = 'duplicate'),
        count(*) filter (where c.status in ('submitting', 'live', 'unconfirmed')),
        coalesce(sum(c.amount) filter (where c.status = 'succeeded'), 0)
      from c group by c.bucket, c.rail, c.currency),
    durations as (
      insert into charge_duration_rollups (size_min, bucket, merchant_id, rail, k, n)
      select 5, c.bucket, ${merchantId}, c.rail, floor(ln(greatest(c.ms, 1)) / ln(1.1)), count(*)
      from c where c.status in ('succeeded', 'duplicate') and c.ms is not null group by 2, 4, 5)
    insert into charge_decline_rollups (size_min, bucket, merchant_id, rail, code, n)
    select 5, c.bucket, ${merchantId}, c.rail, case when c.rail_code ~ ${CODE_SHAPE} then c.rail_code else 'other' end, count(*)
    from c where c.status = 'failed' group by 2, 4, 5`.execute(tx)
  await sql`
    insert into intent_rollups (size_min, bucket, merchant_id, created, sent, approved)
    select 5, ${bucketOf('t.id')}, ${merchantId}, count(*),
      count(*) filter (where exists (
        select from charges c where c.merchant_id = t.merchant_id and c.payment_intent_id = t.id
          and (c.acknowledged_at is not null or c.status in ('live', 'succeeded', 'duplicate')))),
      count(*) filter (where t.status = 'succeeded')
    from payment_intents t where ${idsOf(span)} group by 2`.execute(tx)
}

/** Sums the buckets of the hours that a span touches. */
export async function rollUpHours(tx: Tx, span: Span): Promise<void> {
  const fromMs = Math.floor(span.fromMs / HOUR_MS) * HOUR_MS
  const untilMs = Math.ceil(span.untilMs / HOUR_MS) * HOUR_MS
  const hours = { ...span, fromMs, untilMs }
  await clear(tx, hours, 60)
  const hour = sql`date_trunc('hour', t.bucket, 'UTC')`
  const rows = sql`t.size_min = 5 and t.merchant_id = ${span.merchantId}
    and t.bucket >= ${instant(fromMs)}::timestamptz and t.bucket < ${instant(untilMs)}::timestamptz`
  await sql`
    with counts as (
      insert into charge_rollups (size_min, bucket, merchant_id, rail, currency, opened, succeeded, failed, duplicate, waiting, amount)
      select 60, ${hour}, t.merchant_id, t.rail, t.currency, sum(t.opened), sum(t.succeeded), sum(t.failed), sum(t.duplicate),
        sum(t.waiting), sum(t.amount)
      from charge_rollups t where ${rows} group by 2, 3, 4, 5),
    durations as (
      insert into charge_duration_rollups (size_min, bucket, merchant_id, rail, k, n)
      select 60, ${hour}, t.merchant_id, t.rail, t.k, sum(t.n) from charge_duration_rollups t where ${rows} group by 2, 3, 4, 5),
    declines as (
      insert into charge_decline_rollups (size_min, bucket, merchant_id, rail, code, n)
      select 60, ${hour}, t.merchant_id, t.rail, t.code, sum(t.n) from charge_decline_rollups t where ${rows} group by 2, 3, 4, 5)
    insert into intent_rollups (size_min, bucket, merchant_id, created, sent, approved)
    select 60, ${hour}, t.merchant_id, sum(t.created), sum(t.sent), sum(t.approved)
    from intent_rollups t where ${rows} group by 2, 3`.execute(tx)
}

export async function findLook(reader: Reader, look: string): Promise<number | null> {
  const row = await reader
    .selectFrom('rollup_looks')
    .select('until_at')
    .where('look', '=', look)
    .executeTakeFirst()
  return row?.until_at ?? null
}

export async function saveLook(tx: Tx, look: string, untilMs: number): Promise<void> {
  await sql`
    insert into rollup_looks as l (look, until_at) values (${look}, ${instant(untilMs)}::timestamptz)
    on conflict (look) do update set until_at = excluded.until_at`.execute(tx)
}

/** The oldest payment of a merchant: the first of its primary key. */
export async function findFirstIntent(reader: Reader, merchantId: MerchantId): Promise<string | null> {
  const row = await reader
    .selectFrom('payment_intents')
    .select('id')
    .where('merchant_id', '=', merchantId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}

/** Whether a merchant made a payment or a charge in the time: one step of each primary key. */
export async function isActive(reader: Reader, span: Span): Promise<boolean> {
  const { merchantId, fromMs, untilMs } = span
  for (const table of ['charges', 'payment_intents'] as const) {
    const row = await reader
      .selectFrom(table)
      .select('id')
      .where('merchant_id', '=', merchantId)
      .where('id', '>=', uuidFloorOf(fromMs))
      .where('id', '<', uuidFloorOf(untilMs))
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
    if (row !== undefined) return true
  }
  return false
}

/** Whether PostgreSQL has refused the merchant's counts lately. */
export async function isResting(reader: Reader, merchantId: MerchantId, nowMs: number): Promise<boolean> {
  const row = await reader
    .selectNoFrom(notResting('roll-up', keyOfColumns(sql`${merchantId}::text`), nowMs).as('free'))
    .executeTakeFirstOrThrow()
  return !row.free
}
