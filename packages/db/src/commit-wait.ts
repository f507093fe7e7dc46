import { sql } from 'kysely'
import type { Reader } from './database.ts'

/**
 * Time in ms that the oldest commit has waited for a synchronous standby, 0 if none waits. PostgreSQL shows the commits
 * of the reader's own role, and keeps them waiting after their clients have left. So the time grows until a standby
 * follows again, also without new commits.
 */
export async function readCommitWaitMs(reader: Reader): Promise<number> {
  const { ms } = await reader
    .selectNoFrom(
      sql<number>`(
        select coalesce(max(extract(epoch from clock_timestamp() - query_start)) * 1000, 0)::float8
        from pg_stat_activity where wait_event = 'SyncRep')`.as('ms'),
    )
    .executeTakeFirstOrThrow()
  return ms
}
