import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'

/** The writes to a table with its partitions: per payment, or since the statistics began. */
export interface TableWrites {
  readonly table: string
  readonly inserts: number
  readonly updates: number
  /** The updates that touched no index. */
  readonly hotUpdates: number
  readonly deletes: number
}

/** PGSTAT_IDLE_INTERVAL of PostgreSQL: an idle connection has reported all its writes after ten seconds. */
const REPORTED_AFTER_MS = 10_500

/** Waits until every connection has reported its writes. No request may be under way. */
export async function readWrites(client: pg.Client): Promise<TableWrites[]> {
  await delay(REPORTED_AFTER_MS)
  await client.query('select pg_stat_clear_snapshot()')
  const { rows } = await client.query<TableWrites>(`
    select coalesce(i.inhparent, s.relid)::regclass::text as "table", sum(n_tup_ins)::integer as inserts,
      sum(n_tup_upd)::integer as updates, sum(n_tup_hot_upd)::integer as "hotUpdates", sum(n_tup_del)::integer as deletes
    from pg_stat_user_tables s left join pg_inherits i on i.inhrelid = s.relid
    group by 1 order by 1`)
  return rows
}

/** Bytes of write-ahead log since the server was set up. */
export async function readLogBytes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    "select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes",
  )
  return rows[0]?.bytes ?? Number.NaN
}

export function writesPer(
  payments: number,
  before: readonly TableWrites[],
  after: readonly TableWrites[],
): TableWrites[] {
  const was = new Map(before.map((writes) => [writes.table, writes]))
  return after
    .map((now) => {
      const then = was.get(now.table)
      const per = (count: (writes: TableWrites) => number) =>
        (count(now) - (then === undefined ? 0 : count(then))) / payments
      return {
        table: now.table,
        inserts: per(({ inserts }) => inserts),
        updates: per(({ updates }) => updates),
        hotUpdates: per(({ hotUpdates }) => hotUpdates),
        deletes: per(({ deletes }) => deletes),
      }
    })
    .filter(({ inserts, updates, deletes }) => inserts + updates + deletes > 0)
}
