import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { endWithThisProcess } from '@merchant-payments/testing/end-with-this-process'
import { onTestFinished } from 'vitest'
import { readUnit } from './unit-file.ts'

export const NODE = '/usr/bin/node'
export const CONFIG = '/etc/merchant-payments/merchant-payments.yaml'
const root = fileURLToPath(new URL('../../', import.meta.url))

interface StartedUnit {
  readonly lines: readonly string[]
  /** The exit code and the signal. */
  readonly ended: Promise<unknown[]>
  readonly stop: () => void
}

export const messageOf = (line: string): unknown => (JSON.parse(line) as { msg: unknown }).msg

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'merchant-payments-deploy-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** Runs the unit's command as systemd would, with its environment, these credentials and changes of the configuration. */
export async function startUnit(
  name: string,
  credentials: Readonly<Record<string, string>>,
  changes: object = {},
): Promise<StartedUnit> {
  const unit = await readUnit(name)
  const folder = await temporaryFolder()
  for (const [file, text] of Object.entries(credentials)) await writeFile(join(folder, file), text)
  const config = join(folder, 'merchant-payments.yaml')
  await writeFile(config, JSON.stringify({ ...deployment, ...changes }))
  const environment = unit.valuesOf('Environment').map((pair) => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at), pair.slice(at + 1).replace('%d', folder)] as const
  })
  const [command = ''] = unit.valuesOf('ExecStart')
  const local = command.replaceAll('$$', '$').replace(NODE, process.execPath).replace(CONFIG, config)
  const child = endWithThisProcess(
    spawn('/bin/sh', ['-c', `exec ${local}`], {
      cwd: root,
      env: {
        PATH: process.env['PATH'],
        CREDENTIALS_DIRECTORY: folder,
        ...Object.fromEntries(environment),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const lines: string[] = []
  createInterface(child.stdout).on('line', (line) => lines.push(line))
  return { lines, ended, stop: () => void child.kill('SIGTERM') }
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
