import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadConfig } from '@merchant-payments/config'
import { DEFAULT_SETTINGS } from '@merchant-payments/mock-rails'
import { testFolder } from '@merchant-payments/testing/test-folder'
import { expect, test } from 'vitest'
import { type Surroundings, writeConfig } from './config-file.ts'
import { ensureDeployment } from './deployment.ts'

const around: Surroundings = {
  ports: {
    api: 1,
    apiInternal: 2,
    workerInternal: 3,
    apiMetrics: 8,
    workerMetrics: 9,
  },
  publicUrl: 'http://127.0.0.1:1',
  databaseUrl: 'postgres://somebody:secret@127.0.0.1:4/payments',
  wireUrl: 'http://127.0.0.1:5',
  operators: DEFAULT_SETTINGS,
  checkoutPageDir: null,
  dashboardDir: null,
  webhookUrl: 'http://127.0.0.1:7/webhooks/main',
  staff: {
    issuer: 'http://127.0.0.1:10',
    clientId: 'dashboard',
    clientSecret: 'secret-of-the-dashboard',
    roles: { 'payments-admin': 'admin' },
  },
}

test('a folder keeps its keys and secrets, and another has different ones', async () => {
  const folder = await testFolder()
  const first = await ensureDeployment(folder)
  const keyText = await readFile(first.privateKeyFile, 'utf8')

  expect(await ensureDeployment(folder)).toEqual(first)
  expect(await readFile(first.privateKeyFile, 'utf8')).toBe(keyText)
  const other = await ensureDeployment(await testFolder())
  expect(other.webhookSecret).not.toBe(first.webhookSecret)
  expect(other.publishableKey).not.toBe(first.publishableKey)
  expect(other.clientSecretKey).not.toBe(first.clientSecretKey)
  expect(other.publicKey).not.toEqual(first.publicKey)
})

test('the private key file is a JWK of the registered public key', async () => {
  const { privateKeyFile, publicKey } = await ensureDeployment(await testFolder())
  const key = JSON.parse(await readFile(privateKeyFile, 'utf8')) as JsonWebKey

  expect(key.d).toEqual(expect.any(String))
  expect(createPublicKey({ key, format: 'jwk' }).export({ format: 'jwk' })).toEqual(publicKey)
})

test('every file is readable only by its owner', async () => {
  const folder = await testFolder()
  await writeConfig(folder, await ensureDeployment(folder), around)

  const files = (await readdir(folder)).sort()
  const modes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).mode & 0o777))
  expect(files).toEqual([
    'merchant-payments.yaml',
    'merchant-private-key.json',
    'merchant-secrets.json',
    'service-secrets.json',
    'signing-key.json',
  ])
  expect(new Set(modes)).toEqual(new Set([0o600]))
})

test('a damaged file is named, and its content is not printed', async () => {
  const folder = await testFolder()
  await writeFile(join(folder, 'merchant-secrets.json'), '{"webhook_secret":"whsec_canary')

  const message = await ensureDeployment(folder).catch((error: Error) => error.message)
  expect(message).toBe(
    `${join(folder, 'merchant-secrets.json')} is not valid JSON: remove it, and the next start creates a new one`,
  )
})

test('both processes accept the configuration', async () => {
  const folder = await testFolder()
  const { path, env } = await writeConfig(folder, await ensureDeployment(folder), around)

  const config = loadConfig(path, env)

  expect(config).toMatchObject({
    livemode: false,
    publicBaseUrl: 'http://127.0.0.1:1',
    listen: { host: '127.0.0.1', port: 1 },
    internalListen: { host: '127.0.0.1', port: 2 },
    metrics: { host: '127.0.0.1', port: 8 },
    worker: {
      internalListen: { host: '127.0.0.1', port: 3 },
      metrics: { host: '127.0.0.1', port: 9 },
    },
    rails: [
      { code: 'mtn_momo_cm', adapter: 'mtn_momo', settlementCurrency: 'XAF', baseUrl: around.wireUrl },
      { code: 'orange_money_cm', adapter: 'orange_money', country: 'cm', baseUrl: around.wireUrl },
    ],
    merchantClients: [
      {
        clientId: 'demo_shop',
        scopes: ['payments:read', 'payments:write'],
        audiences: ['service:v1'],
        webhooks: [{ id: 'main', url: around.webhookUrl }],
      },
    ],
    webhooks: { allowPrivateTargets: true },
    compat: { shouldRetryHeader: 'stripe-should-retry' },
  })
  expect(config.database.url.reveal()).toBe(around.databaseUrl)
})

test('the configuration itself holds no secret', async () => {
  const folder = await testFolder()
  const deployment = await ensureDeployment(folder)
  const { path, env } = await writeConfig(folder, deployment, around)
  const { SIGNING_KEY_FILE: signingKeyFile, ...secrets } = env

  const text = await readFile(path, 'utf8')

  expect(signingKeyFile).toBe(deployment.signingKeyFile)
  expect(Object.keys(secrets).sort()).toEqual([
    'CLIENT_SECRET_KEY',
    'DATABASE_URL',
    'MTN_API_KEY',
    'MTN_COLLECTION_KEY',
    'MTN_DISBURSEMENT_KEY',
    'ORANGE_CLIENT_SECRET',
    'ORANGE_MERCHANT_KEY',
    'STAFF_CLIENT_SECRET',
    'WEBHOOK_SECRET',
  ])
  expect(Object.values(secrets).filter((secret) => text.includes(secret))).toEqual([])
})

test('without a receiver the configuration has no endpoint', async () => {
  const folder = await testFolder()
  const { path, env } = await writeConfig(folder, await ensureDeployment(folder), {
    ...around,
    webhookUrl: null,
  })

  expect(loadConfig(path, env).merchantClients.map(({ webhooks }) => webhooks)).toEqual([[]])
})
