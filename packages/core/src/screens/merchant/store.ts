import type { Currency, IntentStatus } from '@merchant-payments/contract'
import { instant, type Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn } from '../../base/columns.ts'
import { type MerchantId, uuidFloorOf } from '../../base/ids.ts'
import { searchAlong } from '../../pages/staff/search-store.ts'

export const PAYMENTS_MAX = 5_000
export const ATTEMPTS_MAX = 500
const WAITING_MAX = 10_000
const FAILURES_MAX = 10

interface VolumeRow {
  readonly status: IntentStatus
  readonly currency: Currency
  readonly count: number
  readonly amount: number
}

export const readVolume = (reader: Reader, merchantId: MerchantId, sinceMs: number): Promise<VolumeRow[]> =>
  reader
    .selectFrom(
      sql<VolumeRow>`(
        select t.status, t.currency, count(*) as count, sum(t.amount)::bigint as amount from (
          select status, currency, amount from payment_intents
          where merchant_id = ${merchantId} and id >= ${uuidFloorOf(sinceMs)}::uuid
          order by id desc limit ${PAYMENTS_MAX}) t
        group by t.status, t.currency)`.as<'r'>(sql.ref('r')),
    )
    .select(columnsIn('r', ['status', 'currency', 'count', 'amount']))
    .orderBy('r.status')
    .orderBy('r.currency')
    .execute()

interface HealthRow {
  /** Whether the search ended before it had found ATTEMPTS_MAX deliveries or looked at all. */
  readonly is_cut: boolean
  readonly attempts: number
  readonly succeeded: number
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly last_success_at: number | null
  readonly failures: readonly { readonly cause: string; readonly count: number }[]
  readonly exhausted: number
  readonly due: number
}

/** The merchant's newest deliveries, by the key. All that they are searched by is in its index. */
const walk = (merchantId: MerchantId) => (columns: RawBuilder<unknown>, rowsMax: number) =>
  sql`
    select ${columns} from deliveries t where t.merchant_id = ${merchantId}
    order by t.merchant_id desc, t.event_id desc limit ${rowsMax}`

export const readHealth = (
  reader: Reader,
  merchantId: MerchantId,
  endpointId: string,
  nowMs: number,
): Promise<HealthRow> => {
  const isGood = sql`a.status_code between 200 and 299`
  const newest = searchAlong(walk(merchantId), {
    columns: ['event_id'],
    where: sql<boolean>`t.endpoint_id = ${endpointId}`,
    rowsMax: ATTEMPTS_MAX,
  })
  return reader
    .selectFrom(
      sql<HealthRow>`(
        with newest as materialized (${newest}),
        a as materialized (
          select l.started_at, l.duration_ms, l.status_code, l.error from newest
          cross join lateral (
            select id from deliveries
            where merchant_id = ${merchantId} and event_id = newest.event_id and endpoint_id = ${endpointId} limit 1) d
          cross join lateral (
            select started_at, duration_ms, status_code, error from delivery_attempts
            where merchant_id = ${merchantId} and delivery_id = d.id order by number desc limit 1) l
          where newest.fits)
        select
          exists (select from newest where not newest.fits) as is_cut,
          (select count(*) from a) as attempts,
          (select count(*) from a where ${isGood}) as succeeded,
          (select percentile_disc(0.5) within group (order by a.duration_ms) from a) as p50_ms,
          (select percentile_disc(0.95) within group (order by a.duration_ms) from a) as p95_ms,
          (select max(a.started_at) from a where ${isGood}) as last_success_at,
          (select coalesce(json_agg(f order by f.count desc, f.cause), '[]') from (
            select coalesce(a.status_code::text, a.error, 'unknown') as cause, count(*) as count from a
            where not coalesce(${isGood}, false) group by 1 order by 2 desc, 1 limit ${FAILURES_MAX}) f) as failures,
          (select count(*) from (
            select 1 from deliveries
            where endpoint_id = ${endpointId} and merchant_id = ${merchantId} and status = 'exhausted'
            limit ${WAITING_MAX}) e) as exhausted,
          (select count(*) from (
            select 1 from delivery_jobs
            where merchant_id = ${merchantId} and endpoint_id = ${endpointId} and dead_at is null
              and due_at <= ${instant(nowMs)}::timestamptz
            limit ${WAITING_MAX}) d) as due)`.as<'r'>(sql.ref('r')),
    )
    .select(
      columnsIn('r', [
        'is_cut',
        'attempts',
        'succeeded',
        'p50_ms',
        'p95_ms',
        'last_success_at',
        'failures',
        'exhausted',
        'due',
      ]),
    )
    .executeTakeFirstOrThrow()
}
