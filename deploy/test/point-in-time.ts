import { execFile } from 'node:child_process'
import { chmod, chown, copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Postgres, startPostgres } from '@merchant-payments/postgres'
import { expect } from 'vitest'
import { runStatement, withClient } from '@merchant-payments/testing/client'

const backup = new URL('../backup/', import.meta.url)
const SCRIPTS = ['archive-wal.sh', 'base-backup.sh', 'restore.sh']
/** Without this file in them, the scripts write neither into the archive nor into the folder of the bases. */
export const MARKER = 'backup-disk-is-here'
/** The server may run as another account than this process. */
const OPEN_TO_ALL = 0o777
const RECOVERY = { timeout: 30_000, interval: 50 }

/** A folder for servers, base backups and an archive, which the servers' account can use. */
export interface Site {
  readonly folder: string
  readonly archive: string
  readonly settings: Record<string, string>
  readonly remove: () => Promise<void>
}

/** Copies the scripts out of the checkout, which the server's account may be unable to reach. */
export async function openSite(): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'merchant-payments-restore-'))
  const archive = join(folder, 'wal')
  await mkdir(archive)
  await writeFile(join(archive, MARKER), '')
  for (const path of [folder, archive]) await chmod(path, OPEN_TO_ALL)
  for (const script of SCRIPTS) {
    await copyFile(new URL(script, backup), join(folder, script))
    await chmod(join(folder, script), 0o755)
  }
  const settings = {
    ...(await archivingSettings(join(folder, 'archive-wal.sh'), archive)),
    // The test outlives no crash of the machine.
    fsync: 'off',
  }
  return { folder, archive, settings, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** The settings of archiving.conf, with the places of this machine. */
async function archivingSettings(script: string, archive: string): Promise<Record<string, string>> {
  const text = await readFile(new URL('archiving.conf', backup), 'utf8')
  const lines = text.split('\n').filter((line) => /^\w/.test(line))
  const settings = lines.map((line) => {
    const [, name = '', value = ''] = /^(\w+) = '?(.*?)'?$/.exec(line) ?? []
    const here = value
      .replace('/opt/merchant-payments/deploy/backup/archive-wal.sh', script)
      .replace('/var/backups/payments/wal', archive)
    return [name, here] as const
  })
  expect(settings.map(([name]) => name)).toContain('archive_command')
  return Object.fromEntries(settings)
}

const clusterOf = ({ dataDir }: Postgres) => join(dataDir, 'cluster')

/** Runs a command as the account to which the server's files belong. */
async function asServer(postgres: Postgres, command: string, args: readonly string[]): Promise<string> {
  const { uid, gid } = await stat(clusterOf(postgres))
  const account = process.getuid?.() === 0 ? { uid, gid } : {}
  const { stdout } = await promisify(execFile)(command, [...args], { cwd: '/', ...account })
  return stdout
}

/** What a new server must not find. PostgreSQL's manual, "Making a Base Backup Using the Low Level API". */
const LEFT_OUT = [
  'postmaster.pid',
  'postmaster.opts',
  'pg_wal/*',
  'pg_replslot/*',
  'pg_dynshmem/*',
  'pg_notify/*',
  'pg_serial/*',
  'pg_snapshots/*',
  'pg_stat_tmp/*',
  'pg_subtrans/*',
  'pgsql_tmp*',
]

/**
 * Makes a base backup of the running server by the steps that pg_basebackup takes, which the embedded PostgreSQL has not.
 *
 * @returns the folder of the copy
 */
export async function copyBase(postgres: Postgres, { folder }: Site): Promise<string> {
  const base = join(folder, 'base')
  await withClient(postgres.url, async (client) => {
    await client.query(`select pg_backup_start('drill', fast => true)`)
    const excludes = LEFT_OUT.map((path) => `'--exclude=./${path}'`).join(' ')
    // 1 means that a file changed while it was read, as the files of a running server do. WAL corrects them.
    const copy = `set -e; mkdir -m 700 "$2"; tar -C "$1" ${excludes} -cf "$2.tar" . || [ $? -eq 1 ]; tar -C "$2" -xf "$2.tar"`
    await asServer(postgres, 'sh', ['-c', copy, 'sh', clusterOf(postgres), base])
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()')
    await writeFile(join(base, 'backup_label'), rows[0]?.labelfile ?? '')
    const { uid, gid } = await stat(base)
    await chown(join(base, 'backup_label'), uid, gid)
  })
  return base
}

/** Ends the current WAL segment and waits until it is in the archive, as archive_timeout does within a minute. */
export async function archiveAll({ url }: Postgres): Promise<void> {
  const [segment] = await runStatement<{ name: string }>(
    url,
    'select pg_walfile_name(pg_switch_wal()) as name',
  )
  await expect
    .poll(async () => {
      const [archived] = await runStatement<{ name: string | null }>(
        url,
        'select last_archived_wal as name from pg_stat_archiver',
      )
      return archived?.name ?? ''
    }, RECOVERY)
    .satisfies((name: string) => name >= (segment?.name ?? 'none'))
}

/** Restores the base to a time, and starts a server that pauses there. */
export async function restoreTo(
  primary: Postgres,
  site: Site,
  { base, time }: { readonly base: string; readonly time: string },
): Promise<Postgres> {
  const dataDir = join(site.folder, 'restored')
  await mkdir(dataDir)
  await chmod(dataDir, OPEN_TO_ALL)
  const args = [join(site.folder, 'restore.sh'), base, site.archive, join(dataDir, 'cluster'), time]
  expect(await asServer(primary, 'sh', args)).toBe(
    `${join(dataDir, 'cluster')} recovers to ${time} when the server starts\n`,
  )
  const restored = await startPostgres({ dataDir, settings: { fsync: 'off' } })
  await expect
    .poll(() => runStatement(restored.url, 'select pg_get_wal_replay_pause_state() as state'), RECOVERY)
    .toEqual([{ state: 'paused' }])
  return restored
}

/** Lets a server that pauses at its target take writes. */
export async function resume({ url }: Pick<Postgres, 'url'>): Promise<void> {
  await runStatement(url, 'select pg_wal_replay_resume()')
  await expect
    .poll(() => runStatement(url, 'select pg_is_in_recovery() as recovers'), RECOVERY)
    .toEqual([{ recovers: false }])
}
