import { execFile, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cloneDatabase } from '@merchant-payments/testing'
import { requireProgram } from '@merchant-payments/testing/program'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { INSTALL_MS } from './rules.ts'
import { readUnit, type UnitFile, unitNames } from './unit-file.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const NODE = '/usr/bin/node'
const CONFIG = '/etc/merchant-payments/merchant-payments.yaml'
/** In tenths, of 100. The exposure of a unit without any restriction is 96. */
const EXPOSURE_MAX = 15

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'merchant-payments-deploy-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

describe.each(unitNames)('%s', (name) => {
  let unit: UnitFile
  beforeAll(async () => {
    requireProgram('systemd-analyze', 'systemd')
    unit = await readUnit(name)
  }, INSTALL_MS)

  test('holds no setting that systemd does not know', async () => {
    const path = join(await temporaryFolder(), name)
    // systemd looks for the program; Node is elsewhere on some machines.
    await writeFile(path, unit.text.replaceAll(NODE, process.execPath))
    // An unknown setting is a line on stderr, and no failure.
    expect(await promisify(execFile)('systemd-analyze', ['verify', path])).toEqual({ stdout: '', stderr: '' })
  })

  test('gives the process few rights', async () => {
    const path = join(await temporaryFolder(), name)
    await writeFile(path, unit.text)
    const args = ['security', '--offline=true', `--threshold=${EXPOSURE_MAX}`, path]
    await expect(promisify(execFile)('systemd-analyze', args)).resolves.toMatchObject({ stderr: '' })
  })

  test('names the file of each credential that it loads', () => {
    const loaded = unit.valuesOf('LoadCredential').map((value) => value.slice(0, value.indexOf(':')))
    const read = [...unit.text.matchAll(/(?:%d|CREDENTIALS_DIRECTORY)\/(\w+)/g)].map(([, file]) => file)
    expect(loaded.length).toBeGreaterThan(0)
    expect(read).toEqual(loaded)
  })
})

describe('what the units start', () => {
  test('migrates with the owner’s URL from its credential', async () => {
    const { url, drop } = await cloneDatabase()
    onTestFinished(drop)
    const started = await start('merchant-payments-migrate.service', { DATABASE_OWNER_URL: url })
    expect(await started.ended).toEqual([0, null])
    expect(started.lines).toEqual(['The schema is up to date.'])
  })

  test.each(['api', 'worker'])('is the %s, which has its secrets from credentials', async (app) => {
    const { appUrl, drop } = await cloneDatabase()
    onTestFinished(drop)
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const started = await start(`merchant-payments-${app}.service`, {
      DATABASE_URL: appUrl,
      SIGNING_KEY: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
      CLIENT_SECRET_KEY_1: 'k'.repeat(32),
    })
    await expect.poll(() => started.lines.map(messageOf)).toContain('ready')
    started.stop()
    expect(await started.ended).toEqual([0, null])
  })
})

const messageOf = (line: string): unknown => (JSON.parse(line) as { msg: unknown }).msg

/** Runs the unit's command as systemd would, with its environment and these credentials. */
async function start(name: string, credentials: Readonly<Record<string, string>>) {
  const unit = await readUnit(name)
  const folder = await temporaryFolder()
  for (const [file, text] of Object.entries(credentials)) await writeFile(join(folder, file), text)
  const config = join(folder, 'merchant-payments.yaml')
  await writeFile(config, JSON.stringify(deployment))
  const environment = unit.valuesOf('Environment').map((pair) => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at), pair.slice(at + 1).replace('%d', folder)] as const
  })
  const [command = ''] = unit.valuesOf('ExecStart')
  const local = command.replaceAll('$$', '$').replace(NODE, process.execPath).replace(CONFIG, config)
  const child = spawn('/bin/sh', ['-c', `exec ${local}`], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      CREDENTIALS_DIRECTORY: folder,
      ...Object.fromEntries(environment),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const lines: string[] = []
  createInterface(child.stdout).on('line', (line) => lines.push(line))
  return { lines, ended, stop: () => child.kill('SIGTERM') }
}

const deployment = {
  livemode: false,
  public_base_url: 'https://payments.merchant.example',
  database: { url: { env: 'DATABASE_URL' } },
  listen: { port: 0 },
  client_secret_keys: [{ version: 1, key: { env: 'CLIENT_SECRET_KEY_1' } }],
  signing_key: { env: 'SIGNING_KEY' },
  merchant_clients: [],
  rails: {},
}
