import { openTestDatabase } from '@merchant-payments/db/testing'
import { sql } from 'kysely'
import { batchWrites } from '../src/commit/writes.ts'
import type { World } from './world.ts'

/** A world whose statements all run on one connection, so that the rows they read can be counted. */
export async function onOneConnection(
  world: World,
  onConnectionLost: (error: Error) => void = () => undefined,
): Promise<World> {
  const db = openTestDatabase(world.appUrl, { onConnectionLost })
  await world.db.close()
  return Object.assign(world, { db, writes: batchWrites(db.writer) })
}

/** Rows read by this database's statements so far, through indexes and by scans. */
export async function rowsRead({ db }: Pick<World, 'db'>): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db.writer)
  const { rows } = await sql<{ read: number }>`
    select (select sum(seq_tup_read) from pg_stat_user_tables)::bigint
      + (select sum(idx_tup_read) from pg_stat_user_indexes)::bigint as read`.execute(db.writer)
  return rows[0]?.read ?? 0
}
