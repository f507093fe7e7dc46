import { sql } from 'kysely'
import type { Reader } from './database.ts'

export type SnapshotHolder = 'session' | 'standby' | 'slot' | 'prepared'

export interface HeldSnapshot {
  readonly holder: SnapshotHolder
  readonly name: string
  /** Null while no transaction has got a number since, so that no row is kept. */
  readonly xmin: string | null
  /** In ms, at least: a session's statement can be younger than its snapshot. Null of standbys and slots. */
  readonly ageMs: number | null
}

/**
 * The snapshots for which PostgreSQL keeps rows of this database that are gone. There is at least one session, that of this
 * read, unless the owner of the tables may not read the state of sessions (docs/operations.md, "Database roles").
 */
export const readHeldSnapshots = (reader: Reader): Promise<HeldSnapshot[]> =>
  reader
    .selectFrom(
      sql<HeldSnapshot>`(
        select holder, name, xmin, (extract(epoch from age) * 1000)::float8 as "ageMs" from held_snapshots())`.as(
        'h',
      ),
    )
    .select(['h.holder', 'h.name', 'h.xmin', 'h.ageMs'])
    .execute()
