import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serverFlags } from '@merchant-payments/config'
import { cloneDatabase } from '@merchant-payments/testing'
import { requireProgram } from '@merchant-payments/testing/program'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { INSTALL_MS } from './rules.ts'
import { CONFIG, messageOf, NODE, startUnit, temporaryFolder } from './start-unit.ts'
import { readUnit, type UnitFile, unitNames } from './unit-file.ts'

/** In tenths, of 100. The exposure of a unit without any restriction is 96. */
const EXPOSURE_MAX = 15

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
    const started = await startUnit('merchant-payments-migrate.service', { DATABASE_OWNER_URL: url })
    expect(await started.ended).toEqual([0, null])
    expect(started.lines).toEqual(['The expand phase is done.'])
  })

  test.each(['api', 'worker'])('is the %s, which has its secrets from credentials', async (app) => {
    const { appUrl, drop } = await cloneDatabase()
    onTestFinished(drop)
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const [command = ''] = (await readUnit(`merchant-payments-${app}.service`)).valuesOf('ExecStart')
    expect(command.split(' ')).toEqual([NODE, ...serverFlags, `apps/${app}/start.mjs`, CONFIG])
    const started = await startUnit(`merchant-payments-${app}.service`, {
      DATABASE_URL: appUrl,
      SIGNING_KEY: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
      CLIENT_SECRET_KEY_1: 'k'.repeat(32),
    })
    await expect.poll(() => started.lines.map(messageOf)).toContain('ready')
    started.stop()
    expect(await started.ended).toEqual([0, null])
  })
})
