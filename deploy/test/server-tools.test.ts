import { execFile, execFileSync } from 'node:child_process'
import { access, chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runStatement } from '@merchant-payments/testing/client'
import { requireProgram } from '@merchant-payments/testing/program'
import { freePort } from '@merchant-payments/testing/listen'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { MARKER, openSite, resume, type Site } from './point-in-time.ts'
import { INSTALL_MS } from './rules.ts'

// The scripts and a runbook call tools of PostgreSQL that the embedded server does not have. Debian's server has them. Its
// version may be too old for the service.

const BASEBACKUP = 'pg_basebackup'
/** Where Debian keeps the programs of each version. */
const PROGRAMS = '/usr/lib/postgresql'
const HOST = '127.0.0.1'
const POLL = { timeout: 30_000, interval: 50 }

const account = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
/** PostgreSQL does not run as root. */
const asServer = () => (process.getuid?.() === 0 ? { uid: account('-u'), gid: account('-g') } : {})

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

let bin: string
beforeAll(() => {
  requireProgram(BASEBACKUP, 'postgresql')
  const [, major] = /(\d+)/.exec(execFileSync(BASEBACKUP, ['--version'], { encoding: 'utf8' })) ?? []
  bin = `${PROGRAMS}/${major}/bin`
}, INSTALL_MS)

let site: Site
beforeEach(async ({ skip }) => {
  if (!(await exists(`${bin}/initdb`))) skip(`PostgreSQL has no server in ${bin}`)
  site = await openSite()
  onTestFinished(site.remove)
})

interface Server {
  readonly url: string
  readonly env: Record<string, string>
  readonly stop: () => Promise<unknown>
}

const run = async (command: string, args: readonly string[], env: Record<string, string> = {}) => {
  // The PATH of a service. Debian has only some of the tools there.
  const options = { cwd: '/', env: { PATH: '/usr/bin:/bin', ...env }, ...asServer() }
  return (await promisify(execFile)(command, [...args], options)).stdout.trim()
}

async function initialize(name: string): Promise<string> {
  const dataDir = join(site.folder, name)
  await run(`${bin}/initdb`, ['-D', dataDir, '--username=postgres', '--auth=trust', '--no-sync'])
  return dataDir
}

/** Starts a server on its folder, with the settings of archiving.conf. */
async function start(dataDir: string, settings: Record<string, string> = site.settings): Promise<Server> {
  const port = await freePort()
  const all = { ...settings, port: String(port), listen_addresses: HOST, unix_socket_directories: '' }
  const options = Object.entries(all).map(
    ([name, value]) => `-c ${name}='${value.replaceAll("'", String.raw`'\''`)}'`,
  )
  const log = `${dataDir}.log`
  await run(`${bin}/pg_ctl`, ['-D', dataDir, '-l', log, '-w', '-o', options.join(' '), 'start'])
  let stopped: Promise<unknown> | undefined
  const stop = () => (stopped ??= run(`${bin}/pg_ctl`, ['-D', dataDir, '-m', 'immediate', '-w', 'stop']))
  onTestFinished(async () => void (await stop()))
  return {
    url: `postgres://postgres@${HOST}:${port}/postgres`,
    env: { PGHOST: HOST, PGPORT: String(port), PGUSER: 'postgres' },
    stop,
  }
}

const namesIn = async ({ url }: Server) =>
  (await runStatement<{ name: string }>(url, 'select name from payments order by name')).map(
    ({ name }) => name,
  )

/** The folder of the bases. */
async function makeBases(): Promise<string> {
  const bases = join(site.folder, 'bases')
  await mkdir(bases)
  await writeFile(join(bases, MARKER), '')
  await chmod(bases, 0o777)
  return bases
}

/** What a primary with standbys has in the file that a copy brings along. Not loaded, because no standby follows yet. */
const nameStandbys = ({ url }: Server) =>
  runStatement(url, `alter system set synchronous_standby_names = 'ANY 1 (db_1, db_3)'`)

const standbysOf = ({ url }: Server) => runStatement(url, 'show synchronous_standby_names')
const NO_STANDBYS = [{ synchronous_standby_names: '' }]

test('base-backup.sh copies a primary with standbys, and restore.sh brings it back to a time, without them', async () => {
  const primary = await start(await initialize('primary'))
  await nameStandbys(primary)
  await runStatement(primary.url, `create table payments (name text); insert into payments values ('before')`)
  const bases = await makeBases()
  const base = await run('sh', [join(site.folder, 'base-backup.sh'), bases], primary.env)
  expect(base).toMatch(/\/bases\/\d{8}T\d{6}Z$/)

  await runStatement(primary.url, `insert into payments values ('kept')`)
  const [good] = await runStatement<{ time: string }>(primary.url, 'select clock_timestamp()::text as time')
  await runStatement(primary.url, `insert into payments values ('mistake')`)
  const [{ name: segment } = { name: '' }] = await runStatement<{ name: string }>(
    primary.url,
    'select pg_walfile_name(pg_switch_wal()) as name',
  )
  await expect.poll(() => exists(join(site.archive, segment)), POLL).toBe(true)
  await primary.stop()

  const restored = join(site.folder, 'restored')
  await run('sh', [join(site.folder, 'restore.sh'), base, site.archive, restored, good?.time ?? ''])
  const server = await start(restored, {})
  await expect
    .poll(() => runStatement(server.url, 'select pg_get_wal_replay_pause_state() as state'), POLL)
    .toEqual([{ state: 'paused' }])
  expect(await namesIn(server)).toEqual(['before', 'kept'])
  await resume(server)
  expect(await standbysOf(server)).toEqual(NO_STANDBYS)
  await runStatement(server.url, `insert into payments values ('after')`)
})

test('a copy that base-backup.sh could not check is not named as a base', async () => {
  const primary = await start(await initialize('primary'))
  const tools = join(site.folder, 'tools')
  await mkdir(tools)
  // Damages the copy before it is checked.
  await writeFile(
    join(tools, 'pg_basebackup'),
    `#!/bin/sh\n"${bin}/pg_basebackup" "$@" || exit\ncase "$1" in --pgdata=*) echo x >> "\${1#--pgdata=}/PG_VERSION" ;; esac\n`,
  )
  await chmod(join(tools, 'pg_basebackup'), 0o755)
  const bases = await makeBases()
  const env = { ...primary.env, PATH: `${tools}:/usr/bin:/bin` }
  await expect(run('sh', [join(site.folder, 'base-backup.sh'), bases], env)).rejects.toThrow('PG_VERSION')
  expect(await run('ls', [bases])).toMatch(/^\d{8}T\d{6}Z\.part\nbackup-disk-is-here$/)
})

test('the commands of the runbook "Fail over" make a standby that can become the primary', async () => {
  const page = await readFile(fileURLToPath(new URL('../../docs/operations.md', import.meta.url)), 'utf8')
  const [, written = ''] = /\$ (pg_basebackup -h [^]*?)\n\$ systemctl unmask/.exec(page) ?? []
  const primary = await start(await initialize('primary'))
  await runStatement(primary.url, 'create role replicator login replication')
  await runStatement(primary.url, `create table payments (name text); insert into payments values ('before')`)
  await nameStandbys(primary)
  const standbyDir = join(site.folder, 'standby')
  const { PGPORT: port = '' } = primary.env
  const commands = written
    .replaceAll('\n$ ', '\n')
    .replace('-h db-2', `-h ${HOST} -p ${port}`)
    .replaceAll('/var/lib/postgresql/18/main', standbyDir)
  expect(commands).toContain(standbyDir)
  await run('sh', ['-ec', commands])
  const standby = await start(standbyDir, { archive_mode: 'off' })
  await runStatement(primary.url, 'select pg_reload_conf()')
  await expect
    .poll(
      () => runStatement(primary.url, 'select application_name, state, sync_state from pg_stat_replication'),
      POLL,
    )
    .toEqual([{ application_name: 'db_1', state: 'streaming', sync_state: 'quorum' }])
  await runStatement(primary.url, `insert into payments values ('later')`)
  await expect.poll(() => namesIn(standby), POLL).toEqual(['before', 'later'])

  await primary.stop()
  await runStatement(standby.url, 'select pg_promote()')
  expect(await standbysOf(standby)).toEqual(NO_STANDBYS)
  await runStatement(standby.url, `insert into payments values ('promoted')`)
})
