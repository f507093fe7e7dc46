import { chmod, copyFile, lchown, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import pg from 'pg'
import type { Account } from './account.ts'
import { clusterIn } from './cluster.ts'
import { claimDataDir } from './data-dir.ts'
import { type Postgres, type PostgresOptions, runCluster } from './start-postgres.ts'

export interface StandbyOptions extends PostgresOptions {
  /** What it is called at its primary: lower-case letters, digits and underscores. */
  readonly name: string
}

/** Every file of a cluster belongs to the server's account alone. */
const FOLDER_MODE = 0o700

/** What a copy must not have: the lock of the primary, and the state of its running processes (PostgreSQL, 25.3.3). */
const FILES_LEFT_OUT = new Set([
  'postmaster.pid',
  'postmaster.opts',
  'postgresql.auto.conf',
  'standby.signal',
])
const EMPTY_FOLDERS =
  /^(?:pg_wal|pg_replslot|pg_notify|pg_serial|pg_snapshots|pg_subtrans|pg_dynshmem|pg_stat_tmp)\/|pgsql_tmp/

/**
 * Copies a running server, as pg_basebackup does, and starts the copy as its hot standby. Earlier data in the folder
 * are removed. The settings must allow as many connections as the primary's do.
 */
export async function startStandby(
  primary: Postgres,
  { name, ...options }: StandbyOptions,
): Promise<Postgres> {
  const { dataDir, account } = await claimDataDir(options.dataDir, options.log ?? (() => {}))
  const cluster = clusterIn(dataDir)
  await rm(cluster, { recursive: true, force: true })
  const client = new pg.Client({ connectionString: primary.url })
  await client.connect()
  try {
    await client.query(
      'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1',
      [name],
    )
    // The slot keeps what the primary writes from now on until the standby has received it.
    await client.query('select pg_create_physical_replication_slot($1, true)', [name])
    await client.query('select pg_backup_start($1, fast => true)', [name])
    await copyCluster(clusterIn(primary.dataDir), cluster)
    const { rows } = await client.query<{ label: string }>(
      'select labelfile as label from pg_backup_stop(wait_for_archive => false)',
    )
    await writeFile(join(cluster, 'backup_label'), rows[0]?.label ?? '')
  } finally {
    await client.end()
  }
  for (const folder of ['pg_wal/archive_status', 'pg_wal/summaries']) await mkdir(join(cluster, folder))
  await writeFile(join(cluster, 'standby.signal'), '')
  const peer = `host=127.0.0.1 port=${primary.port} user=postgres application_name=${name}`
  await writeFile(
    join(cluster, 'postgresql.auto.conf'),
    `primary_conninfo = '${peer}'\nprimary_slot_name = '${name}'\n`,
  )
  await giveTo(account, cluster)
  return runCluster({ dataDir, account }, options)
}

async function copyCluster(source: string, target: string): Promise<void> {
  await mkdir(target)
  // A folder comes before what is in it.
  const entries = await readdir(source, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const path = relative(source, join(entry.parentPath, entry.name))
    if (FILES_LEFT_OUT.has(path) || EMPTY_FOLDERS.test(path)) continue
    if (entry.isDirectory()) await mkdir(join(target, path))
    else await copyFile(join(source, path), join(target, path)).catch(ignoreRemoved)
  }
}

/** The server may remove a file meanwhile; what it writes to its log brings the copy up to date. */
function ignoreRemoved(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}

async function giveTo({ uid, gid }: Account, cluster: string): Promise<void> {
  await chmod(cluster, FOLDER_MODE)
  if (uid === undefined || gid === undefined) return
  await lchown(cluster, uid, gid)
  const entries = await readdir(cluster, { recursive: true, withFileTypes: true })
  for (const { parentPath, name } of entries) await lchown(join(parentPath, name), uid, gid)
}
