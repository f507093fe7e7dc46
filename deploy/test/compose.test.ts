import { execFile } from 'node:child_process'
import { access, copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { loadConfig } from '@merchant-payments/config'
import { findRoleFaults, migrate } from '@merchant-payments/db'
import { openTestDatabase } from '@merchant-payments/db/testing'
import { startPostgres } from '@merchant-payments/postgres'
import { requireProgram } from '@merchant-payments/testing/program'
import { testFolder } from '@merchant-payments/testing/test-folder'
import { DCLinter } from 'dclint'
import { load } from 'js-yaml'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Compose, readCompose, type Service } from './compose.ts'
import { root } from './containerfile.ts'
import { INSTALL_MS } from './rules.ts'

const folder = `${root}deploy/`
const run = promisify(execFile)

let compose: Compose
let services: readonly (readonly [string, Service])[]
/** The folder of the secrets that make-secrets.sh makes. */
let secrets: string
beforeAll(async () => {
  requireProgram('openssl')
  compose = await readCompose()
  services = Object.entries(compose.services)
  secrets = await mkdtemp(join(tmpdir(), 'merchant-payments-compose-'))
  await makeSecrets()
}, INSTALL_MS)
afterAll(() => rm(secrets, { recursive: true }))

const makeSecrets = () => run(`${folder}compose/make-secrets.sh`, [secrets])

const secretsOf = ({ secrets = [] }: Service) =>
  secrets.map((one) => (typeof one === 'string' ? { source: one, target: one } : one))

const bindsOf = ({ volumes = [] }: Service) =>
  volumes.map((volume) => volume.split(':')).filter(([from]) => from?.startsWith('./'))

/** Fields that Debian 12's Compose, 1.29, is too old for. */
const NEWER_FIELDS = /^name: .*\n|^ +dockerfile_inline: \|\n(?: {8}.*\n)+/gm

/** What Compose makes of a text: anchors and variables are replaced, and services found that others name. */
async function readByCompose(text: string): Promise<Compose> {
  const file = join(await testFolder(), 'compose.yaml')
  await writeFile(file, text.replaceAll(NEWER_FIELDS, ''))
  const env = { PATH: process.env['PATH'] }
  const { stdout } = await run('docker-compose', ['--project-directory', folder, '--file', file, 'config'], {
    env,
  })
  return load(stdout) as Compose
}

/** The schema alone: the other rules are about style. */
const SCHEMA_RULE = 'invalid-schema'

interface LintResult {
  readonly messages: readonly { readonly rule: string; readonly message: string }[]
}

/** What Compose's schema finds in a text, such as unknown fields. */
async function schemaFaultsOf(text: string): Promise<string[]> {
  const file = join(await testFolder(), 'compose.yaml')
  await writeFile(file, text)
  const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] })
  // The package's types are not resolved under nodenext.
  const results = linter.lintFiles([file], false) as readonly LintResult[]
  const messages = results.flatMap((result) => result.messages)
  return messages.filter(({ rule }) => rule === SCHEMA_RULE).map(({ message }) => message)
}

/** Runs roles.sh. @returns what the arguments of its psql say */
async function makeRoles(env: NodeJS.ProcessEnv) {
  const bin = await testFolder()
  const file = join(bin, 'arguments')
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" >> '${file}'\nPATH='${env['PATH']}' exec psql "$@"\n`
  await writeFile(join(bin, 'psql'), script, { mode: 0o755 })
  const PATH = `${bin}:${env['PATH']}`
  await run(`${folder}compose/roles.sh`, [], {
    env: { ...env, PATH, POSTGRES_DB: 'payments', SECRETS: secrets },
  })
  const said = await readFile(file, 'utf8')
  const passwords = ['owner_password', 'service_password'].map((name) =>
    readFile(join(secrets, name), 'utf8'),
  )
  return {
    name: /^--dbname=(.*)$/m.exec(said)?.[1],
    hasPassword: (await Promise.all(passwords)).some((password) => said.includes(password.trim())),
  }
}

describe('compose.yaml', () => {
  test('has fields that Compose knows', async () => {
    const text = await readFile(`${folder}compose.yaml`, 'utf8')
    expect(await schemaFaultsOf(text)).toEqual([])
    const [fault] = await schemaFaultsOf(
      text.replace('  restart: unless-stopped', '  restarts: unless-stopped'),
    )
    expect(fault).toContain('additional properties')
  })

  test(
    'is read by Compose itself, with the defaults of its variables',
    async () => {
      requireProgram('docker-compose')
      const text = await readFile(`${folder}compose.yaml`, 'utf8')
      const read = await readByCompose(text)
      expect(Object.keys(read.services).toSorted()).toEqual(services.map(([name]) => name).toSorted())
      for (const [name, { command, environment, image }] of services)
        expect(read.services[name]).toMatchObject({
          image,
          ...(command && { command }),
          ...(environment && { environment }),
        })
      const spoiled = text.replace('depends_on: [haproxy]', 'depends_on: [gone]')
      await expect(readByCompose(spoiled)).rejects.toThrow(/gone.*undefined|undefined.*gone/)
    },
    INSTALL_MS,
  )

  test('mounts files that exist', async () => {
    const binds = services.flatMap(([, service]) => bindsOf(service))
    expect(binds.length).toBeGreaterThan(services.length / 2)
    for (const [from = '', , mode] of binds) {
      await access(`${folder}${from}`)
      expect(mode).toBe('ro')
    }
    for (const { build } of Object.values(compose.services)) {
      if (build !== undefined) await access(join(folder, build.context, build.dockerfile ?? ''))
    }
  })

  test('has the secrets that make-secrets.sh makes, each for those who read it', async () => {
    const made = (await readdir(secrets)).toSorted()
    expect(
      Object.values(compose.secrets)
        .map(({ file }) => basename(file))
        .toSorted(),
    ).toEqual(made)
    const given = services.flatMap(([, service]) => secretsOf(service))
    expect([...new Set(given.map(({ source }) => source))].toSorted()).toEqual(made)
    for (const [name, service] of services) {
      const targets = secretsOf(service).map(({ target }) => `/run/secrets/${target}`)
      const read = Object.values(service.environment ?? {}).filter((value) =>
        value.startsWith('/run/secrets/'),
      )
      expect({ name, read: read.filter((path) => !targets.includes(path)) }).toEqual({ name, read: [] })
    }
  })

  test('makes no secret twice', async () => {
    const all = async () =>
      Promise.all((await readdir(secrets)).map((name) => readFile(join(secrets, name), 'utf8')))
    const before = await all()
    await makeSecrets()
    expect(await all()).toEqual(before)
  })

  test('has variables that docs/operations.md lists, and no other', async () => {
    const page = await readFile(`${root}docs/operations.md`, 'utf8')
    const [, section = ''] = page.split('\n## Compose\n')
    const listed = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(
      ([, name = '']) => name,
    )
    expect(listed.toSorted()).toEqual(compose.variables.toSorted())
  })

  test.each(['api-a', 'api-b', 'worker-a', 'worker-b'])(
    'gives %s a configuration that loads',
    async (name) => {
      const service = compose.services[name]
      const environment = Object.entries(service?.environment ?? {})
      const env = environment.map(([key, value]) => [key, value.replace('/run/secrets', secrets)])
      const [[file = ''] = []] = bindsOf(service ?? {}).filter(([, to]) =>
        to?.endsWith('/merchant-payments.yaml'),
      )
      const config = loadConfig(`${folder}${file}`, Object.fromEntries(env) as Record<string, string>)
      const { username, host, pathname } = new URL(config.database.url.reveal())
      const login = name.startsWith('worker') ? 'payments_worker' : 'payments_service'
      expect([username, host, pathname]).toEqual([login, 'pgbouncer:6432', '/payments'])
      expect([config.listen.port, config.internalListen?.port, config.worker.internalListen?.port]).toEqual([
        8080, 9080, 9080,
      ])
      expect(await readdir(`${root}deploy/image/bin`)).toContain(service?.command?.[0])
    },
  )

  test('gives its processes no right, no place to write and the memory of the image', () => {
    const own = services.filter(([, { image = '' }]) => image.startsWith('localhost/merchant-payments:'))
    expect(own.map(([name]) => name)).toEqual(['migrate', 'api-a', 'api-b', 'worker-a', 'worker-b'])
    for (const [, service] of own) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
    }
  })

  test(
    'scrapes every process, by the rules',
    async () => {
      requireProgram('promtool', 'prometheus')
      const place = await testFolder()
      const file = join(place, 'prometheus.yaml')
      await copyFile(`${folder}compose/prometheus.yaml`, file)
      await copyFile(`${folder}prometheus/rules.yaml`, join(place, 'rules.yaml'))
      expect((await run('promtool', ['check', 'config', file])).stdout).toMatch(/SUCCESS: \d+ rules/)
      const targets = [...(await readFile(file, 'utf8')).matchAll(/"([\w-]+):(\d+)"/g)].map(
        ([, host, port]) => [host, port],
      )
      expect(targets).toEqual([
        ['api-a', '9464'],
        ['api-b', '9464'],
        ['worker-a', '9465'],
        ['worker-b', '9465'],
      ])
    },
    INSTALL_MS,
  )

  test(
    'gives haproxy its addresses',
    async () => {
      requireProgram('haproxy')
      const { environment = {}, ...haproxy } = compose.services['haproxy'] ?? {}
      const [[file = ''] = []] = bindsOf(haproxy)
      // haproxy takes a certificate's kind from the end of its name.
      const certificate = join(await testFolder(), 'certificate.pem')
      await copyFile(`${secrets}/certificate`, certificate)
      const env = { ...environment, CERTIFICATE: certificate, PATH: process.env['PATH'] }
      await expect(run('haproxy', ['-c', '-f', `${folder}${file}`], { env })).resolves.toMatchObject({
        stderr: '',
      })
      const named = [...(await readFile(`${folder}${file}`, 'utf8')).matchAll(/presetenv (\w+)/g)].map(
        ([, name]) => name,
      )
      expect(Object.keys(environment)).toEqual(named)
      const addressOf = (name: string) => compose.services[name]?.networks
      for (const [name, address] of [
        ['api-a', environment['API_A']],
        ['api-b', environment['API_B']],
        ['postgres', environment['POSTGRES_A']],
      ] as const) {
        expect(addressOf(name)).toMatchObject({ inside: { ipv4_address: address?.split(':')[0] } })
      }
    },
    INSTALL_MS,
  )

  test('makes the roles with which the migration and the service run', { timeout: INSTALL_MS }, async () => {
    requireProgram('psql', 'postgresql-client')
    const dataDir = await testFolder()
    const postgres = await startPostgres({ dataDir, settings: { fsync: 'off' } })
    onTestFinished(() => postgres.stop())
    const { hostname, port, username } = new URL(postgres.url)
    const env = { PATH: process.env['PATH'], PGHOST: hostname, PGPORT: port, POSTGRES_USER: username }
    await run(
      'psql',
      ['--username', username, '--dbname', 'postgres', '--command', 'create database payments'],
      { env },
    )
    // Everybody on the machine can read the arguments of a process.
    expect(await makeRoles(env)).toEqual({ name: 'payments', hasPassword: false })
    const urlOf = async (secret: string) =>
      (await readFile(join(secrets, secret), 'utf8')).trim().replace(/@[\w-]+:\d+/, `@${hostname}:${port}`)

    await migrate(await urlOf('database_owner_url'), { phase: 'expand' })
    const settings: string[] = []
    for (const secret of ['database_url', 'worker_database_url']) {
      const url = await urlOf(secret)
      const db = openTestDatabase(url, { readConnections: 1 })
      onTestFinished(() => db.close())
      expect(await findRoleFaults(db.reader)).toEqual([])
      const shown = "select concat_ws(' ', current_setting('jit'), current_setting('lock_timeout'))"
      settings.push(
        (await run('psql', ['--no-align', '--tuples-only', '--dbname', url, '--command', shown])).stdout,
      )
    }
    expect(settings).toEqual(['off 0\n', 'off 2s\n'])

    // PostgreSQL reads the file for this view before it uses it.
    const query = async (text: string) =>
      (
        await run('psql', ['--no-align', '--tuples-only', '--dbname', postgres.url, '--command', text])
      ).stdout.trim()
    await copyFile(`${folder}compose/pg_hba.conf`, await query('show hba_file'))
    expect(await query('select count(*), count(error) from pg_hba_file_rules')).toBe('4|0')
  })
})

test('the database’s settings that PgBouncer drops are those of the role', async () => {
  const roles = await readFile(`${folder}compose/roles.sh`, 'utf8')
  const setOf = (role: string) =>
    [...roles.matchAll(new RegExp(`alter role ${role} set (\\w+) =`, 'g'))].map(([, name]) => name)
  const source = await readFile(`${root}packages/db/src/database.ts`, 'utf8')
  const [, plan = ''] = /planSettings = \[([^\]]*)\]/.exec(source) ?? []
  const plans = [...plan.matchAll(/'(\w+)=/g)].map(([, name]) => name)
  const timeouts = ['statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout']
  expect(setOf('payments_service')).toEqual([...timeouts, ...plans])
  expect(setOf('payments_worker')).toEqual([...timeouts, ...plans, 'lock_timeout'])
})
