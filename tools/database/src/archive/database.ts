import { connectTo, retryLocks } from '@merchant-payments/db'
import type pg from 'pg'

/** The advisory lock of a run. Any constant works if every run uses the same one. */
const ARCHIVE_LOCK = 7_239_116
/** The tries of `begin_archive`, whose lock other writers of the month would wait behind. */
const LOCK_TRIES_MAX = 20

/** The command cannot run in the present state. The message says what to do. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused'
}

/**
 * Connects as the owner of the tables. The session's lock keeps two runs apart, so it needs a direct connection, not one
 * of a pooler in transaction mode.
 */
export async function openOwner(url: string): Promise<pg.Client> {
  const client = await connectTo(url, { application_name: 'merchant-payments-archive' })
  try {
    // A month is read in one transaction, which takes as long as it takes.
    await client.query(`set role merchant_payments_owner; set timezone = 'UTC'; set statement_timeout = 0;
      set transaction_timeout = 0; set idle_in_transaction_session_timeout = 0`)
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      ARCHIVE_LOCK,
    ])
    if (rows[0]?.taken !== true) throw new ArchiveRefused('another run archives months of this database')
    return client
  } catch (error) {
    await client.end()
    throw error
  }
}

export interface Month {
  readonly month: string
  /** Something waits in it, so it is neither archived nor dropped. */
  readonly unfinished: boolean
  readonly archived: boolean
  /** It was archived and dropped, and has partitions again: a merchant came from another cell. */
  readonly isBack: boolean
  /** It came back, and its archive still has all of its rows. The worker drops it again. */
  readonly isEmpty: boolean
}

/** The months that ended at least this many days ago and that have partitions, the oldest first. */
export async function readMonths(client: pg.Client, days: number): Promise<Month[]> {
  const { rows } = await client.query<Month>(
    `select m.month, m.unfinished, a.verified_at is not null and a.dropped_at is null as archived,
      a.dropped_at is not null as "isBack",
      a.verified_at is not null and a.dropped_at is not null and not month_has_rows(m.month) as "isEmpty"
      from months_before(now() - make_interval(days => $1::integer)) m left join archived_months a using (month)
      order by m.month`,
    [days],
  )
  return rows
}

/** Watches the month from now on: what changes it takes the run's right to mark it. */
export const beginArchive = (client: pg.Client, month: string, run: string): Promise<void> =>
  retryLocks({ triesMax: LOCK_TRIES_MAX, report: () => undefined }, `the archive of ${month}`, async (ms) => {
    await client.query(`set lock_timeout = ${ms}`)
    await client.query('select begin_archive($1, $2)', [month, run])
    // The reads that follow hold nobody up, so they wait.
    await client.query('reset lock_timeout')
  })

/** @throws {ArchiveRefused} if the month has changed since the run began */
export async function markVerified(
  client: pg.Client,
  month: string,
  run: string,
  manifestSha256: string,
): Promise<void> {
  const { rowCount } = await client.query(
    `update archived_months set verified_at = now(), manifest_sha256 = $3
      where month = $1 and run = $2 and dropped_at is null`,
    [month, run, manifestSha256],
  )
  if (rowCount !== 1)
    throw new ArchiveRefused(`rows of ${month} came, went or changed while it was written: run it again`)
}

/** A month that is still in the database is written again by the next run, and not dropped before. */
export async function markFaulty(client: pg.Client, month: string): Promise<void> {
  await client.query(
    'update archived_months set verified_at = null where month = $1 and dropped_at is null',
    [month],
  )
}

interface Mark {
  /** Null until the files of the month's last run were read back. */
  readonly hash: string | null
  readonly isDropped: boolean
}

/** @returns null if the database knows no archive of the month */
export async function findMark(client: pg.Client, month: string): Promise<Mark | null> {
  const { rows } = await client.query<Mark>(
    `select manifest_sha256 as hash, dropped_at is not null as "isDropped" from archived_months where month = $1`,
    [month],
  )
  return rows[0] ?? null
}

/** The months whose files were read back once. The worker may drop them, or has dropped them. */
export async function readMarkedMonths(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ month: string }>(
    'select month from archived_months where verified_at is not null',
  )
  return rows.map(({ month }) => month)
}

/** Whether the archive of a month was marked once, in whichever folder. */
export async function hasArchives(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select from archived_months where manifest_sha256 is not null limit 1')
  return rows.length > 0
}

export async function readIdentity(client: pg.Client) {
  const { rows } = await client.query<{ name: string; system_identifier: string; version: number }>(
    `select current_database() as name, (select system_identifier::text from pg_control_system()) as system_identifier,
      (select max(version) from schema_migrations) as version`,
  )
  const [row] = rows
  if (row === undefined) throw new Error('the database names no identity')
  const { version, ...database } = row
  return { database, version }
}
