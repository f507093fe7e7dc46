import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { endWithThisProcess } from '@merchant-payments/testing/end-with-this-process'
import { testFolder } from '@merchant-payments/testing/test-folder'
import { onTestFinished } from 'vitest'
import { readUnit } from './unit-file.ts'

export const NODE = '/usr/bin/node'
export const CONFIG = '/etc/merchant-payments/merchant-payments.yaml'
const root = fileURLToPath(new URL('../../', import.meta.url))

interface StartedUnit {
  readonly lines: readonly string[]
  /** The exit code and the signal. */
  readonly ended: Promise<unknown[]>
  /** What systemd runs before it says that the unit has started. Resolves with the exit codes. */
  readonly startPost: (readyUrl: string) => Promise<readonly number[]>
  readonly stop: () => void
}

export const messageOf = (line: string): unknown => (JSON.parse(line) as { msg: unknown }).msg

/** Runs the unit's command as systemd would, with its environment, these credentials and changes of the configuration. */
export async function startUnit(
  name: string,
  credentials: Readonly<Record<string, string>>,
  changes: object = {},
): Promise<StartedUnit> {
  const unit = await readUnit(name)
  const folder = await testFolder()
  for (const [file, text] of Object.entries(credentials)) await writeFile(join(folder, file), text)
  const config = join(folder, 'merchant-payments.yaml')
  await writeFile(config, JSON.stringify({ ...deployment, ...changes }))
  const environment = unit.valuesOf('Environment').map((pair) => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at), pair.slice(at + 1).replace('%d', folder)] as const
  })
  const localOf = (command: string) =>
    command.replace(/^-/, '').replaceAll('$$', '$').replace(NODE, process.execPath).replace(CONFIG, config)
  const [command = ''] = unit.valuesOf('ExecStart')
  const env = {
    PATH: process.env['PATH'],
    CREDENTIALS_DIRECTORY: folder,
    ...Object.fromEntries(environment),
  }
  const child = endWithThisProcess(
    spawn('/bin/sh', ['-c', `exec ${localOf(command)}`], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  const startPost = (readyUrl: string) => {
    const changed = { ...env, MAINPID: String(child.pid), READY_URL: readyUrl }
    const codes = unit.valuesOf('ExecStartPost').map(
      (post) =>
        new Promise<number>((resolve) => {
          execFile('/bin/sh', ['-c', `exec ${localOf(post)}`], { cwd: root, env: changed }, (error) =>
            resolve(error === null ? 0 : Number(error.code)),
          )
        }),
    )
    return Promise.all(codes)
  }
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const lines: string[] = []
  createInterface(child.stdout).on('line', (line) => lines.push(line))
  return { lines, ended, startPost, stop: () => void child.kill('SIGTERM') }
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
