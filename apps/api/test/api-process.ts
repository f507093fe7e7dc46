import { spawn } from 'node:child_process'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Scope, SigningKey } from '@merchant-payments/config'
import { endWithThisProcess } from '@merchant-payments/testing/end-with-this-process'
import { bundledProgram } from '@merchant-payments/testing/bundled-program'
import { type LogLines, readLogLines } from '@merchant-payments/testing/log-lines'
import { onTestFinished } from 'vitest'

export interface ApiProcess extends LogLines {
  kill(signal: NodeJS.Signals): void
  /** The exit status or signal, and the text on stderr. */
  readonly ended: Promise<{ readonly code: number | NodeJS.Signals | null; readonly stderr: string }>
}

export const makeKey = (kid: string): SigningKey => ({
  kid,
  privateKey: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
})

/** Runs the API as a deployment does, with a configuration file of these changes. */
export async function startApi(
  key: SigningKey,
  changes: object,
  env: object = {},
  args: readonly string[] = [],
): Promise<ApiProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'merchant-payments-api-'))
  const path = join(folder, 'deployment.yaml')
  // JSON is valid YAML.
  await writeFile(path, JSON.stringify({ ...deployment, ...changes }))
  const jwk = JSON.stringify({ ...key.privateKey.export({ format: 'jwk' }), kid: key.kid })
  const child = endWithThisProcess(
    spawn(process.execPath, [bundledProgram('apps/api/src/main.ts'), ...args, path], {
      env: {
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        SIGNING_KEY: jwk,
        CLIENT_SECRET_KEY: 'k'.repeat(32),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  const complaints = text(child.stderr)
  const ended = Promise.all([once(child, 'close'), complaints]).then(
    ([[code, signal], stderr]: [(number | NodeJS.Signals | null)[], string]) => ({
      code: code ?? signal ?? null,
      stderr,
    }),
  )
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true })
  })
  return { ...readLogLines(child.stdout, complaints), kill: (signal) => void child.kill(signal), ended }
}

/** A rail whose secrets are in ORANGE_KEY. Nothing listens at its address. */
export const orangeMoney = {
  adapter: 'orange_money',
  display_name: 'Orange Money',
  settlement_currency: 'XAF',
  base_url: 'http://127.0.0.1:1',
  country: 'cm',
  merchant_key: { env: 'ORANGE_KEY' },
  client_id: 'client',
  client_secret: { env: 'ORANGE_KEY' },
}

/** A rail whose secrets are in RAIL_KEY. Nothing listens at its address. */
export const mtnMomo = {
  adapter: 'mtn_momo',
  display_name: 'MTN Mobile Money',
  settlement_currency: 'XAF',
  base_url: 'http://127.0.0.1:1',
  target_environment: 'mtncameroon',
  collection: {
    subscription_keys: [{ env: 'RAIL_KEY' }],
    api_user: '6f0c1b52-3a5e-4a7d-9d0e-2b8c4f1e7a90',
    api_key: { env: 'RAIL_KEY' },
  },
}

/** A merchant that signs its assertions with this key. */
export const merchantClient = (
  id: string,
  publicKey: KeyObject,
  scopes: readonly Scope[] = ['payments:read', 'payments:write'],
) => ({
  client_id: id,
  name: `The ${id}`,
  jwks: { keys: [publicKey.export({ format: 'jwk' })] },
  scopes,
  audiences: ['service:v1'],
  publishable_key: `pk_${id}`,
})

const deployment = {
  livemode: false,
  public_base_url: 'https://payments.merchant.example',
  // No server listens there, so a refusal before it proves that it was not contacted.
  database: { url: 'postgres://127.0.0.1:1/payments' },
  listen: { port: 0 },
  client_secret_keys: [{ version: 1, key: { env: 'CLIENT_SECRET_KEY' } }],
  signing_key: { env: 'SIGNING_KEY' },
  merchant_clients: [],
  rails: {},
}
