import { instant, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'

/** Rows of one removal: short enough to hold nobody up. */
export const REMOVAL_MAX = 5_000

/** Spec 8: a key lives 24 hours. @returns how many keys past their life were removed */
export async function removeExpiredKeys(writer: Writer, nowMs: number): Promise<number> {
  const result = await sql<{ removed: number }>`
    with expired as materialized (
      select merchant_id, scope, key from idempotency_keys
      where expires_at <= ${instant(nowMs)}::timestamptz
      order by expires_at limit ${REMOVAL_MAX} for update skip locked
    ),
    gone as (
      delete from idempotency_keys k using expired e
      where k.merchant_id = e.merchant_id and k.scope = e.scope and k.key = e.key
      returning 1
    )
    select count(*)::integer as removed from gone`.execute(writer)
  return result.rows[0]?.removed ?? 0
}

/** A spent jti outlives its assertion by more than any leeway (spec 5.2), so that it can never be spent again. */
const JTI_MARGIN_MS = 60 * 60 * 1_000

/** @returns how many jtis, whose assertions nobody takes any more, were removed */
export async function removeSpentJtis(writer: Writer, nowMs: number): Promise<number> {
  const result = await sql<{ removed: number }>`
    with expired as materialized (
      select jti from spent_jtis where expires_at <= ${instant(nowMs - JTI_MARGIN_MS)}::timestamptz
      order by expires_at limit ${REMOVAL_MAX} for update skip locked
    ),
    gone as (delete from spent_jtis s using expired e where s.jti = e.jti returning 1)
    select count(*)::integer as removed from gone`.execute(writer)
  return result.rows[0]?.removed ?? 0
}

/** Months ahead for which partitions exist: a worker may rest for a season before a row lands in the default one. */
const MONTHS_AHEAD = 3

/** Makes the partitions of this month and of the coming ones, where they are missing. */
export async function ensurePartitions(writer: Writer, nowMs: number): Promise<void> {
  await sql`
    select ensure_partitions(${instant(nowMs)}::timestamptz + make_interval(months => n))
    from generate_series(0, ${MONTHS_AHEAD}::integer) as n`.execute(writer)
}

interface OldMonth {
  /** As the partitions are named, YYYYMM. */
  readonly month: string
  readonly dropped: boolean
}

/** Drops the oldest month of events, deliveries and attempts that is past its days. @returns it, and those that stay for what waits in them */
export async function dropOldMonth(
  writer: Writer,
  nowMs: number,
  retentionDays: number,
): Promise<OldMonth[]> {
  const { rows } = await sql<OldMonth>`
    select month, dropped from drop_old_month(
      ${instant(nowMs)}::timestamptz - make_interval(days => ${retentionDays}::integer))`.execute(writer)
  return rows
}
