import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serverFlags } from '@merchant-payments/config'
import { cloneDatabase } from '@merchant-payments/testing'
import { runStatement } from '@merchant-payments/testing/client'
import { requireProgram } from '@merchant-payments/testing/program'
import { testFolder } from '@merchant-payments/testing/test-folder'
import { freePort } from '@merchant-payments/testing/listen'
import { load } from 'js-yaml'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { root } from './containerfile.ts'
import { INSTALL_MS } from './rules.ts'
import { CONFIG, messageOf, NODE, startUnit } from './start-unit.ts'
import { readUnit, serviceNames, timerNames, type UnitFile, unitNames } from './unit-file.ts'

/** In tenths, of 100. The exposure of a unit without any restriction is 96. */
const EXPOSURE_MAX = 15

beforeAll(() => requireProgram('systemd-analyze', 'systemd'), INSTALL_MS)

test.each(unitNames)('%s holds no setting that systemd does not know', async (name) => {
  const folder = await testFolder()
  // A timer is checked with the service that it starts.
  for (const unit of unitNames) {
    // systemd looks for the program; Node is elsewhere on some machines.
    await writeFile(join(folder, unit), (await readUnit(unit)).text.replaceAll(NODE, process.execPath))
  }
  // An unknown setting is a line on stderr, and no failure.
  expect(await promisify(execFile)('systemd-analyze', ['verify', join(folder, name)])).toEqual({
    stdout: '',
    stderr: '',
  })
})

test('each timer starts a service of its name, also after a day on which the machine was off', async () => {
  expect(timerNames).toEqual(['merchant-payments-archive.timer'])
  for (const name of timerNames) {
    expect(serviceNames).toContain(name.replace(/timer$/, 'service'))
    const { valuesOf } = await readUnit(name)
    const facts = ['Unit', 'Persistent', 'WantedBy'].map((setting) => valuesOf(setting))
    expect(facts).toEqual([[], ['yes'], ['timers.target']])
    expect(valuesOf('OnCalendar')).toHaveLength(1)
    expect(valuesOf('RandomizedDelaySec')).toHaveLength(1)
  }
})

describe.each(serviceNames)('%s', (name) => {
  let unit: UnitFile
  beforeAll(async () => {
    unit = await readUnit(name)
  })

  test('gives the process few rights', async () => {
    const path = join(await testFolder(), name)
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

test('the migration and the archive of months alone get the owner’s URL, and their units say so', async () => {
  const units = await Promise.all(serviceNames.map(readUnit))
  const owners = units.filter(({ valuesOf }) =>
    valuesOf('LoadCredential').some((value) => value.startsWith('DATABASE_OWNER_URL:')),
  )
  const others = (name: string) => owners.map((owner) => owner.name).filter((other) => other !== name)
  expect(owners.map(({ name }) => name)).toEqual([
    'merchant-payments-archive.service',
    'merchant-payments-migrate.service',
  ])
  for (const { name, text } of owners) {
    expect(text).toContain(`# Only this unit and ${others(name).join()} get the owner's URL.`)
  }
})

test.each(['api', 'worker'])('journald drops no line of the %s: a restore needs each', async (app) => {
  const { valuesOf } = await readUnit(`merchant-payments-${app}.service`)
  expect(valuesOf('LogRateLimitIntervalSec')).toEqual(['0'])
})

test.each([
  ['api', '9080'],
  ['worker', '9081'],
])('the %s is asked whether it is ready at the port that the documents give it', async (app, port) => {
  const { valuesOf } = await readUnit(`merchant-payments-${app}.service`)
  const url = `http://127.0.0.1:${port}/readyz`
  expect(valuesOf('Environment')).toContain(`READY_URL=${url}`)
  expect(await readFile(`${root}docs/operations.md`, 'utf8')).toContain(`# curl -s ${url}\n`)
})

describe('what the units start', () => {
  test('migrates with the owner’s URL from its credential', async () => {
    const { url, drop } = await cloneDatabase()
    onTestFinished(drop)
    const started = await startUnit('merchant-payments-migrate.service', { DATABASE_OWNER_URL: url })
    expect(await started.ended).toEqual([0, null])
    expect(started.lines).toEqual(['The expand phase is done.'])
  })

  test('archives the months that are due, with the owner’s URL from its credential', async () => {
    const { url, drop } = await cloneDatabase()
    onTestFinished(drop)
    await runStatement(url, `select ensure_partitions('2024-02-15Z')`)
    const folder = join(await testFolder(), 'archive')
    const archive = () =>
      startUnit(
        'merchant-payments-archive.service',
        { DATABASE_OWNER_URL: url },
        { retention_days: 400, archive_folder: folder },
      )
    const first = await archive()
    expect(await first.ended).toEqual([0, null])
    expect(first.lines).toEqual([expect.stringMatching(/^202402: events 0, /)])
    const second = await archive()
    expect(await second.ended).toEqual([0, null])
    expect(second.lines).toEqual(['202402 is archived already'])
  })

  test('may write the folder that the example of a configuration names, and no other', async () => {
    const example = load(await readFile(`${root}docs/configuration.example.yaml`, 'utf8'))
    const written = await Promise.all(
      serviceNames.map(async (name) => {
        const { valuesOf } = await readUnit(name)
        expect([name, ...valuesOf('ReadWritePaths')]).toEqual([name])
        return [name, valuesOf('StateDirectory').map((path) => `/var/lib/${path}`)]
      }),
    )
    expect(Object.fromEntries(written)).toEqual({
      'merchant-payments-api.service': [],
      'merchant-payments-archive.service': [(example as { archive_folder: string }).archive_folder],
      'merchant-payments-migrate.service': [],
      'merchant-payments-worker.service': [],
    })
  })

  test.each(['api', 'worker'])(
    'is the %s, which has its secrets from credentials and has started once it is ready',
    async (app) => {
      const { appUrl, drop } = await cloneDatabase()
      onTestFinished(drop)
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const [command = ''] = (await readUnit(`merchant-payments-${app}.service`)).valuesOf('ExecStart')
      expect(command.split(' ')).toEqual([NODE, ...serverFlags, `apps/${app}/start.mjs`, CONFIG])
      const port = await freePort()
      const internal = { internal_listen: { port } }
      const started = await startUnit(
        `merchant-payments-${app}.service`,
        {
          DATABASE_URL: appUrl,
          SIGNING_KEY: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
          CLIENT_SECRET_KEY_1: 'k'.repeat(32),
        },
        app === 'api' ? internal : { worker: internal },
      )
      const readyUrl = `http://127.0.0.1:${port}/readyz`
      expect(await started.startPost(readyUrl)).toEqual([0])
      expect((await fetch(readyUrl)).status).toBe(200)
      await expect.poll(() => started.lines.map(messageOf)).toContain('ready')
      started.stop()
      expect(await started.ended).toEqual([0, null])
      // A process that has ended is not waited for.
      expect(await started.startPost(readyUrl)).toEqual([1])
    },
  )
})
