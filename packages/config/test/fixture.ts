import { createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Config, ConfigError, type Environment, type ConfigProblem, loadConfig } from '../src/index.ts'
import type { Path } from '../src/path.ts'

/** Is gone when the test ends. The files of a worker share this module, so that a hook of it would run for one of them. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'merchant-payments-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const privateKey = (modulusLength: number, publicExponent?: number): KeyObject =>
  generateKeyPairSync('rsa', { modulusLength, ...(publicExponent && { publicExponent }) }).privateKey
export const jwkOf = (key: KeyObject): JsonWebKey => key.export({ format: 'jwk' })
export const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString()
export const publicJwkOf = (key: KeyObject): JsonWebKey => jwkOf(createPublicKey(key))

export const serviceKey = privateKey(2048)
export const merchantKey = privateKey(2048)
const stallKey = privateKey(2048)
export const otherKey = privateKey(3072)
export const shortKey = privateKey(1024)
export const weakKey = privateKey(2048, 3)
const ecKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

export const canary = 'canary-5e9f1c7b2a4d8e6035f7'

export const env = {
  DATABASE_URL: `postgres://api:${canary}@db.internal/payments?sslmode=verify-full`,
  STANDBYS_TOO: `postgres://api:${canary}@db-1.internal,db-2.internal/payments?sslmode=verify-full`,
  SIGNING_KEY: pemOf(serviceKey),
  SHORT_SIGNING_KEY: pemOf(shortKey),
  EC_SIGNING_KEY: pemOf(ecKey),
  WEAK_SIGNING_KEY: pemOf(weakKey),
  NO_SIGNING_KEY: canary,
  PUBLIC_SIGNING_KEY: JSON.stringify(publicJwkOf(serviceKey)),
  CLIENT_SECRET_KEY: `${canary}-client-secrets-1`,
  NEXT_CLIENT_SECRET_KEY: `${canary}-client-secrets-2`,
  WEBHOOK_SECRET: `${canary}-webhooks-0001`,
  OTHER_WEBHOOK_SECRET: `${canary}-webhooks-0002`,
  THIRD_WEBHOOK_SECRET: `${canary}-webhooks-0003`,
  SHORT_SECRET: 'a'.repeat(31),
  MTN_KEY: `${canary}-mtn`,
  ORANGE_KEY: `${canary}-orange`,
  STAFF_SECRET: `${canary}-staff`,
  EMPTY: '',
} satisfies Environment

/** A valid livemode file. Each row of the tables below breaks one setting of it. JSON is valid YAML. */
export const good = () => ({
  livemode: true,
  public_base_url: 'https://pay.example',
  database: { url: { env: 'DATABASE_URL' } },
  client_secret_keys: [{ version: 1, key: { env: 'CLIENT_SECRET_KEY' } }],
  signing_key: { env: 'SIGNING_KEY' },
  merchant_clients: [
    client('shop', 'pk_shop', 'WEBHOOK_SECRET', merchantKey),
    client('stall', 'pk_stall', 'OTHER_WEBHOOK_SECRET', stallKey),
  ],
  rails: { mtn_momo_cm: rail(), orange_money_cm: orangeRail() },
  statements: [statements()],
  staff: staff(),
})

const statements = () => ({
  rail: 'mtn_momo_cm',
  date: 'Date',
  status: 'Status',
  succeeded: ['Successful'],
  type: 'Type',
  charges: ['Debit'],
  transaction: 'Id',
  amount: ['Amount'],
})

const staff = () => ({
  issuer: 'https://login.example/realm',
  client_id: 'dashboard',
  client_secret: { env: 'STAFF_SECRET' },
  roles: { pay_admins: 'admin', pay_support: 'viewer' } as Record<string, string>,
  step_up: { max_age_sec: 300, acr_values: ['urn:mfa'] },
  limits: {
    operator: { refunds: { count: 20, amount: { XAF: 500_000 } }, rulings: { amount: {} } },
    admin: { refunds: { amount: {} } },
  },
})

const client = (clientId: string, publishableKey: string, secret: string, key: KeyObject) => ({
  client_id: clientId,
  name: 'A shop',
  jwks: { keys: [{ ...publicJwkOf(key), kid: 'one' }] },
  scopes: ['payments:read', 'payments:write'],
  audiences: ['service:v1'],
  publishable_key: publishableKey,
  webhooks: [{ id: 'main', url: 'https://shop.example/hooks?a=b', secrets: [{ env: secret }] }],
})

export const rail = () => ({
  adapter: 'mtn_momo',
  display_name: 'MTN Mobile Money',
  settlement_currency: 'XAF',
  base_url: 'https://proxy.momoapi.example',
  target_environment: 'mtncameroon',
  collection: { subscription_keys: [{ env: 'MTN_KEY' }], api_user: 'd1a0', api_key: { env: 'MTN_KEY' } },
})

const orangeRail = () => ({
  adapter: 'orange_money',
  display_name: 'Orange Money',
  settlement_currency: 'XAF',
  base_url: 'https://api.orange.example',
  country: 'cm',
  merchant_key: { env: 'ORANGE_KEY' },
  client_id: 'c1f0',
  client_secret: { env: 'ORANGE_KEY' },
})

export function spoiled(...changes: readonly (readonly [Path, unknown])[]): unknown {
  const document: unknown = good()
  for (const [path, value] of changes) {
    const holder = path
      .slice(0, -1)
      .reduce((at, part) => Reflect.get(at as object, part) as unknown, document)
    const key = path.at(-1) ?? ''
    if (value === undefined) Reflect.deleteProperty(holder as object, key)
    else Reflect.set(holder as object, key, value)
  }
  return document
}

/** The configured rail of an adapter, typed with the adapter's fields. */
export function railOf<A extends Config['rails'][number]['adapter']>({ rails }: Config, adapter: A) {
  const found = rails.find((rail) => rail.adapter === adapter)
  if (found === undefined) throw new Error(`no rail of ${adapter}`)
  return found as Extract<typeof found, { adapter: A }>
}

export function written(document: unknown): string {
  const path = join(temporaryFolder(), 'deployment.yaml')
  writeFileSync(path, typeof document === 'string' ? document : JSON.stringify(document))
  return path
}

export const load = (document: unknown, environment: Environment = env): Config =>
  loadConfig(written(document), environment)

export function faultsOf(document: unknown, environment?: Environment): readonly ConfigProblem[] {
  try {
    load(document, environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}
