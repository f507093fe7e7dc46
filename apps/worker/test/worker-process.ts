import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { endWithThisProcess } from '@merchant-payments/testing/end-with-this-process'
import { bundledProgram } from '@merchant-payments/testing/bundled-program'
import { type LogLines, readLogLines } from '@merchant-payments/testing/log-lines'
import { onTestFinished } from 'vitest'
import { MERCHANT, SECRET } from './harness.ts'

export interface WorkerProcess extends LogLines {
  kill(signal: NodeJS.Signals): void
  /** The text on stderr, available once the process has ended. */
  readonly complaints: Promise<string>
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

interface WorkerSettings {
  readonly databaseUrl: string
  readonly endpointUrl: string
  /** Livemode runs without a merchant, because its endpoint would have to be public. */
  readonly livemode?: boolean
  readonly faultPoint?: string
  readonly build?: string
  /** The port of its probes. Default: any that is free. */
  readonly internalPort?: number
  /** What Node runs before the worker. */
  readonly before?: string
  /** How far its clock runs ahead, in ms. */
  readonly clockOffsetMs?: number
  /** How far its machine's clock runs ahead of the database's, in ms. */
  readonly systemClockOffsetMs?: number
}

const rsaKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const signingKey = rsaKey().privateKey.export({ type: 'pkcs8', format: 'pem' })
const { kty, n, e } = rsaKey().publicKey.export({ format: 'jwk' })

/** Starts the worker as a deployment does. */
export async function startWorker(settings: WorkerSettings): Promise<WorkerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'merchant-payments-worker-'))
  const path = join(folder, 'deployment.yaml')
  await writeFile(path, JSON.stringify(deployment(settings)))
  const child = endWithThisProcess(
    spawn(process.execPath, [bundledProgram('apps/worker/src/main.ts'), path], {
      env: {
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        DATABASE_URL: settings.databaseUrl,
        SIGNING_KEY: String(signingKey),
        CLIENT_SECRET_KEY: 'k'.repeat(32),
        CLOCK_OFFSET_MS: String(settings.clockOffsetMs ?? 0),
        SYSTEM_CLOCK_OFFSET_MS: String(settings.systemClockOffsetMs ?? 0),
        ...(settings.faultPoint && { FAULT_POINT: settings.faultPoint }),
        ...(settings.before && {
          NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(settings.before)}`,
        }),
        ...(settings.build && { MERCHANT_PAYMENTS_BUILD: settings.build }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  const ended = once(child, 'exit').then(
    ([code, signal]: (number | NodeJS.Signals | null)[]) => code ?? signal ?? null,
  )
  const complaints = text(child.stderr)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true })
  })
  return {
    ...readLogLines(child.stdout, complaints),
    complaints,
    kill: (signal) => void child.kill(signal),
    ended,
  }
}

/** JSON is valid YAML. */
const deployment = ({ endpointUrl, livemode = false, internalPort = 0 }: WorkerSettings) => ({
  livemode,
  public_base_url: 'https://api.shop.example',
  database: { url: { env: 'DATABASE_URL' }, pool_size: 8 },
  client_secret_keys: [{ version: 1, key: { env: 'CLIENT_SECRET_KEY' } }],
  signing_key: { env: 'SIGNING_KEY' },
  merchant_clients: livemode
    ? []
    : [
        {
          client_id: MERCHANT,
          name: 'Acme',
          jwks: { keys: [{ kty, n, e }] },
          scopes: ['payments:read', 'payments:write'],
          audiences: ['service:v1'],
          publishable_key: 'pk_acme',
          webhooks: [{ id: 'main', url: endpointUrl, secrets: [SECRET] }],
        },
      ],
  rails: {},
  webhooks: { allow_private_targets: !livemode },
  worker: { poll_interval_ms: 50, internal_listen: { port: internalPort }, metrics: { port: 0 } },
})
