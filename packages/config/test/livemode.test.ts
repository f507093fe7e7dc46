import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { liveRules } from '../src/livemode.ts'
import { type Path, spelled } from '../src/path.ts'
import {
  canary,
  env,
  faultsOf,
  good,
  jwkOf,
  load,
  merchantKey,
  publicJwkOf,
  railOf,
  serviceKey,
  spoiled,
  written,
} from './fixture.ts'

const run = promisify(execFile)

const hook: Path = ['merchant_clients', 0, 'webhooks', 0]
const momo: Path = ['rails', 'mtn_momo_cm']
const orange: Path = ['rails', 'orange_money_cm']
const address = (rest: string) => `postgres://api@db.internal/payments${rest}`
/** The driver reads the file, and not yet what it says. */
const authority = `sslrootcert=${import.meta.filename}`
const servers = (named: string, rest: string) =>
  `postgres://${named}/payments?target_session_attrs=read-write${rest}`

interface Case {
  readonly at: Path
  readonly value: unknown
  readonly env?: Readonly<Record<string, string>>
  /** The path of the fault, if it is not the changed setting. */
  readonly fault?: string
}

/** For each rule of the table, the values that it must refuse. The first one is also tried on a process. */
const refused: Readonly<Record<string, readonly Case[]>> = {
  'our own address without TLS': [{ at: ['public_base_url'], value: 'http://pay.example' }],
  'the checkout page without TLS': [{ at: ['checkout_base_url'], value: 'http://checkout.example' }],
  'callbacks of rails without TLS': [{ at: ['callback_base_url'], value: 'http://callbacks.example' }],
  'the dashboard without TLS': [{ at: ['staff', 'dashboard_base_url'], value: 'http://staff.example' }],
  'an identity provider without TLS or on a test host': [
    { at: ['staff', 'issuer'], value: 'http://login.example' },
    { at: ['staff', 'issuer'], value: 'https://mock.login.example' },
  ],
  'an endpoint without TLS or on a test host': [
    'http://shop.example/hooks',
    'https://wiremock.shop.example',
    'https://my-STUB.example',
    'https://mock.example',
    'https://localhost:4000',
  ].map((value) => ({ at: [...hook, 'url'], value })),
  'a rail without TLS, on a test host or on a sandbox': [
    { at: [...momo, 'base_url'], value: 'https://sandbox.momodeveloper.mtn.com' },
    { at: [...momo, 'base_url'], value: 'http://proxy.momoapi.example' },
    { at: [...momo, 'base_url'], value: 'https://mock-rails.example' },
  ],
  'a token address without TLS, on a test host or on a sandbox': [
    { at: [...orange, 'token_url'], value: 'http://api.orange.example/oauth/v3/token' },
    { at: [...orange, 'token_url'], value: 'https://mock-rails.example/oauth/v3/token' },
    { at: [...orange, 'token_url'], value: 'https://sandbox.orange.example/oauth/v3/token' },
  ],
  'traces sent without TLS': [
    { at: ['tracing'], value: { endpoint: 'http://127.0.0.1:4318' }, fault: 'tracing.endpoint' },
  ],
  'the sandbox of MTN': [
    { at: [...momo, 'target_environment'], value: 'sandbox' },
    { at: [...momo, 'target_environment'], value: 'Sandbox' },
  ],
  'the sandbox of Orange': [{ at: [...orange, 'country'], value: 'dev' }],
  'a wire currency that is not the rail’s': [{ at: [...momo, 'wire_currency'], value: 'EUR' }],
  'a database password in the file': [
    { at: ['database', 'url'], value: `postgres://api:${canary}@db.internal/payments?sslmode=verify-full` },
    { at: ['database', 'url'], value: address(`?password=${canary}&sslmode=verify-full`) },
    { at: ['database', 'url'], value: servers(`api:${canary}@db-1,db-2`, '&sslmode=verify-full') },
  ],
  'a database connection that others can read': [
    { at: ['database', 'url'], value: address('?sslmode=disable') },
    { at: ['database', 'url'], value: 'postgres://api@127.0.0.1/payments?sslmode=disable' },
    { at: ['database', 'url'], value: address('') },
    { at: ['database', 'url'], value: address('?ssl=0') },
    { at: ['database', 'url'], value: address('?sslmode=no-verify') },
    { at: ['database', 'url'], value: address('?uselibpqcompat=true&sslmode=prefer') },
    { at: ['database', 'url'], value: address(`?uselibpqcompat=true&sslmode=verify-ca&${authority}`) },
    { at: ['database', 'url'], value: address(`?uselibpqcompat=true&sslmode=require&${authority}`) },
    { at: ['database', 'url'], value: { env: 'OPEN_URL' }, env: { OPEN_URL: address('?sslmode=disable') } },
    { at: ['database', 'url'], value: 'postgres:///payments?user=api', env: { PGHOST: 'db.internal' } },
    { at: ['database', 'url'], value: address(''), env: { PGSSLMODE: 'no-verify' } },
    { at: ['database', 'url'], value: 'postgres://api@127.db.example.com/payments' },
    { at: ['database', 'url'], value: servers('api@db-1,db-2', '') },
    { at: ['database', 'url'], value: servers('api@127.0.0.1,db-2', '') },
    { at: ['database', 'url'], value: 'postgres://[' },
  ],
  'a password of a standby in the file': [
    {
      at: ['database', 'reader_url'],
      value: `postgres://api:${canary}@db-3.internal/payments?sslmode=verify-full`,
    },
  ],
  'a connection to a standby that others can read': [
    { at: ['database', 'reader_url'], value: address('?sslmode=disable') },
    { at: ['database', 'reader_url'], value: address('') },
  ],
  'a publishable key of testmode': [
    { at: ['merchant_clients', 1, 'publishable_key'], value: 'pk_test_51a1fd77072f' },
  ],
  'an endpoint secret in the file': [{ at: [...hook, 'secrets', 0], value: canary.repeat(2) }],
  'a short endpoint secret': [{ at: [...hook, 'secrets', 0], value: { env: 'SHORT_SECRET' } }],
  'one secret or key of two owners': [
    {
      at: ['merchant_clients', 1, 'webhooks', 0, 'secrets'],
      value: [{ env: 'OTHER_WEBHOOK_SECRET' }, { env: 'SAME_SECRET' }],
      env: { SAME_SECRET: env.WEBHOOK_SECRET },
      fault: 'merchant_clients[1].webhooks[0].secrets[1]',
    },
    {
      at: [...hook.slice(0, -1), 1],
      value: { id: 'second', url: 'https://shop.example/more', secrets: [{ env: 'WEBHOOK_SECRET' }] },
      fault: 'merchant_clients[0].webhooks[1].secrets[0]',
    },
    {
      at: ['client_secret_keys', 0, 'key'],
      value: { env: 'WEBHOOK_SECRET' },
      fault: 'merchant_clients[0].webhooks[0].secrets[0]',
    },
    { at: ['staff', 'client_secret'], value: { env: 'CLIENT_SECRET_KEY' } },
    {
      at: ['staff', 'client_secret'],
      value: { env: 'SAME_SECRET' },
      env: { SAME_SECRET: env.OTHER_WEBHOOK_SECRET },
    },
    { at: [...orange, 'merchant_key'], value: { env: 'MTN_KEY' } },
    { at: [...momo, 'collection', 'api_key'], value: { env: 'WEBHOOK_SECRET' } },
    {
      at: ['client_secret_keys', 0, 'key'],
      value: { env: 'SAME_SECRET' },
      env: {
        SAME_SECRET: canary.repeat(2),
        DATABASE_URL: env.DATABASE_URL.replace(canary, canary.repeat(2)),
      },
    },
    { at: ['merchant_clients', 1, 'jwks', 'keys', 0], value: publicJwkOf(merchantKey) },
    // The same modulus in another spelling, with another exponent.
    {
      at: ['merchant_clients', 1, 'jwks', 'keys', 0],
      value: { kty: 'RSA', n: `AAAA${publicJwkOf(merchantKey).n}`, e: 'AQAD' },
    },
    {
      at: ['merchant_clients', 0, 'jwks', 'keys', 0],
      value: publicJwkOf(serviceKey),
    },
    {
      at: ['staff'],
      value: { ...good().staff, client_secret: undefined, client_key: { env: 'CLIENT_KEY' } },
      env: { CLIENT_KEY: JSON.stringify(jwkOf(serviceKey)) },
      fault: 'staff.client_key',
    },
  ],
  'a short client secret of staff': [{ at: ['staff', 'client_secret'], value: { env: 'SHORT_SECRET' } }],
  'endpoints inside the deployment': [
    { at: ['webhooks'], value: { allow_private_targets: true }, fault: 'webhooks.allow_private_targets' },
  ],
  'a log without the lines that a restore needs': ['silent', 'fatal', 'error', 'warn'].map((level) => ({
    at: ['log'],
    value: { level },
    fault: 'log.level',
  })),
  'TLS whose certificates nobody checks': [
    {
      at: ['livemode'],
      value: true,
      env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      fault: 'NODE_TLS_REJECT_UNAUTHORIZED',
    },
  ],
}

test('every rule of the table is tried here', () => {
  expect(Object.keys(refused)).toEqual(liveRules.map(({ refuses }) => refuses))
})

describe.each(Object.entries(refused))('livemode refuses %s [§6.3.10, §6.3.11, §8]', (_, cases) => {
  test.each(cases)('at $at: $value', ({ at, value, env: more, fault = spelled(at) }) => {
    const environment = { ...env, ...more }
    expect(faultsOf(spoiled([at, value]), environment)).toEqual([
      { path: fault, message: expect.stringMatching(/./) },
    ])
    expect(JSON.stringify(faultsOf(spoiled([at, value]), environment))).not.toContain(canary)
  })

  test('with status 78 and a line that names the setting', async () => {
    const [first] = cases
    if (first === undefined) throw new Error('the rule has no case')
    const { at, value, env: more, fault = spelled(at) } = first
    const booted = run(
      process.execPath,
      ['--input-type=module', '--eval', boot(written(spoiled([at, value])))],
      {
        env: { ...env, ...more },
      },
    )
    await expect(booted).rejects.toMatchObject({
      code: 78,
      stdout: '',
      stderr: `${fault}: ${faultsOf(spoiled([at, value]), { ...env, ...more })[0]?.message}\n`,
    })
  })
})

const boot = (path: string): string =>
  `import { exitOnFaults, loadConfig } from ${JSON.stringify(import.meta.resolve('../src/index.ts'))}
   try { loadConfig(${JSON.stringify(path)}, process.env) } catch (error) { exitOnFaults(error) }`

const all = Object.values(refused).flat()
const readable = all.filter(({ value }) => value !== 'postgres://[')

test.each(readable)('testmode takes $value at $at', ({ at, value, env: more }) => {
  const changes = spoiled([at, value], [['livemode'], false])
  expect(faultsOf(changes, { ...env, ...more })).toEqual([])
})

test.each([
  'postgres://api@127.0.0.1/payments',
  'postgres://api@localhost/payments',
  'postgres:///payments?user=api',
  'postgres://api@%2Fvar%2Frun%2Fpostgresql/payments',
  address('?sslmode=verify-full'),
  address('?ssl=true'),
  servers('api@db-1,db-2:5433', '&sslmode=verify-full'),
  servers('api@127.0.0.1:5432,127.0.0.1:5433', ''),
])('livemode takes a database at %s', (url) => {
  expect(faultsOf(spoiled([['database', 'url'], url]))).toEqual([])
})

test('livemode takes a database whose TLS the environment asks for', () => {
  const document = spoiled([['database', 'url'], address('')])
  expect(faultsOf(document, { ...env, PGSSLMODE: 'verify-full' })).toEqual([])
})

test('livemode names both holders of a secret', () => {
  const [fault] = faultsOf(spoiled([['staff', 'client_secret'], { env: 'CLIENT_SECRET_KEY' }]))
  expect(fault).toEqual({
    path: 'staff.client_secret',
    message: 'has the secret or key of client_secret_keys[0].key, too; each must have its own in livemode',
  })
})

test('livemode takes one account of two rails of an operator, and one key of a merchant twice', () => {
  const twice = ['one', 'two'].map((kid) => ({ ...publicJwkOf(merchantKey), kid }))
  const document = spoiled(
    [['rails', 'mtn_momo_cg'], good().rails.mtn_momo_cm],
    [['merchant_clients', 0, 'jwks', 'keys'], twice],
  )
  expect(faultsOf(document)).toEqual([])
})

test('livemode takes two secrets of one endpoint while they are rotated', () => {
  const secrets = [{ env: 'WEBHOOK_SECRET' }, { env: 'THIRD_WEBHOOK_SECRET' }]
  expect(faultsOf(spoiled([[...hook, 'secrets'], secrets]))).toEqual([])
})

test('testmode gives what livemode refuses as it is written', () => {
  const config = load(
    spoiled(
      [['livemode'], false],
      [
        [...hook, 'secrets'],
        ['whsec_one', 'whsec_two'],
      ],
      [[...momo, 'wire_currency'], 'EUR'],
      [[...orange, 'country'], 'dev'],
      [['webhooks'], { allow_private_targets: true }],
    ),
  )
  expect(config.merchantClients[0]?.webhooks[0]?.secrets.map((s) => s.reveal())).toEqual([
    'whsec_one',
    'whsec_two',
  ])
  expect(config.webhooks.allowPrivateTargets).toBe(true)
  expect(railOf(config, 'mtn_momo').wireCurrency).toBe('EUR')
  expect(railOf(config, 'orange_money').country).toBe('dev')
})

test('livemode reads the secret of each endpoint a fixed number of times, however many merchants there are', () => {
  const merchants = 100
  const [shop] = good().merchant_clients
  const clients = Array.from({ length: merchants }, (_, n) => ({
    ...shop,
    client_id: `shop_${n}`,
    publishable_key: `pk_${n}`,
    jwks: { keys: [{ kty: 'RSA', n: `${String(n).padStart(6, 'q')}${'q'.repeat(336)}`, e: 'AQAB' }] },
    webhooks: [{ id: 'main', url: 'https://shop.example/hooks', secrets: [{ env: `WEBHOOK_SECRET_${n}` }] }],
  }))
  const secrets = clients.map((_, n) => [`WEBHOOK_SECRET_${n}`, `${canary}-of-the-merchant-${n}`])
  let reads = 0
  const counted = new Proxy<Record<string, string>>(
    Object.fromEntries([...Object.entries(env), ...secrets]),
    {
      get: (all, name: string) => {
        if (name.startsWith('WEBHOOK_SECRET_')) reads += 1
        return all[name]
      },
    },
  )
  expect(faultsOf(spoiled([['merchant_clients'], clients]), counted)).toEqual([])
  expect(reads).toBe(3 * merchants)
})
