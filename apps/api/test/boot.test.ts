import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { adoptSigningKey } from '@merchant-payments/core'
import { readTimeMs } from '@merchant-payments/db'
import { openTestDatabase } from '@merchant-payments/db/testing'
import { cloneDatabase, lockTable, openProxy } from '@merchant-payments/testing'
import { listen } from '@merchant-payments/testing/listen'
import { startOlderServer } from '@merchant-payments/testing/older-server'
import { refuseBuilds, revokeSigningKey, savePayment, setReadOnly } from '@merchant-payments/testing/operator'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSigner } from '../src/oauth/signing-key.ts'
import { makeKey, orangeMoney, startApi } from './api-process.ts'

const key = makeKey('first')

const MINUTE_MS = 60_000
const named = { public_base_url: 'https://payments.shop.example' }

/** The text on stderr of a process that refuses to start. */
async function refusalOf(changes: object, env: object = {}): Promise<string> {
  const api = await startApi(key, changes, { ORANGE_KEY: 'orange-key', ...env })
  const { code, stderr } = await api.ended
  expect({ code, lines: api.lines }).toEqual({ code: 78, lines: [] })
  return stderr
}

test('a retired signing key is refused with status 78 [§5.5]', async () => {
  const { appUrl: url, drop } = await cloneDatabase()
  onTestFinished(drop)
  const db = openTestDatabase(url)
  for (const [nowMs, { jwk }] of [key, makeKey('second')].map(createSigner).entries()) {
    await adoptSigningKey(db, { jwk, nowMs })
  }
  await db.close()

  expect(await refusalOf({ database: { url } })).toBe(
    'signing_key: was retired; configure a new key, a retired one cannot return (spec 5.5)\n',
  )
})

async function takePort() {
  const server = createServer()
  return { port: await listen(server), free: () => server.close() }
}

async function connected(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  return once(socket, 'connect').then(
    () => true,
    () => false,
  )
}

test('a start with a new signing key that finds its port in use leaves the key of the others as it is [§5.5]', async () => {
  const { appUrl: url, drop } = await cloneDatabase()
  onTestFinished(drop)
  const { port } = await takePort()
  const first = await startApi(key, { database: { url } })
  await first.said('ready')

  const second = await startApi(makeKey('second'), { database: { url }, listen: { port } })
  expect((await second.ended).code).toBe(69)
  const again = await startApi(key, { database: { url } })
  expect(await Promise.race([again.said('ready'), again.ended])).toMatchObject({ level: 'info' })
})

test('requests that come before the signing key is there wait for it, and readiness fails meanwhile', async () => {
  const { url: owner, appUrl: url, drop } = await cloneDatabase()
  onTestFinished(drop)
  const letGo = await lockTable(owner, 'signing_keys', 'exclusive')
  const [clients, probes] = [await takePort(), await takePort()]
  for (const { free } of [clients, probes]) free()

  const ports = { listen: { port: clients.port }, internal_listen: { port: probes.port } }
  const api = await startApi(key, { database: { url }, ...ports })
  const ready = async () => (await fetch(`http://127.0.0.1:${probes.port}/readyz`)).status
  const keys = () => fetch(`http://127.0.0.1:${clients.port}/v1/oauth/jwks.json`)
  const isBound = () => connected(clients.port)
  await expect.poll(isBound).toBe(true)
  const early = keys()
  expect(await ready()).toBe(503)

  await letGo()
  await api.said('ready')
  expect(await (await early).json()).toMatchObject({ keys: [{ kid: 'first' }] })
  expect(await ready()).toBe(200)
})

test('a process that waits for its database ends on SIGTERM with status 0', async () => {
  const api = await startApi(key, {})
  await api.said('waiting for the database')
  api.kill('SIGTERM')
  expect(await api.ended).toEqual({ code: 0, stderr: '' })
  expect(api.lines.at(-1)).toMatchObject({ msg: 'stopped' })
})

test('a failed start writes a line without any address', async () => {
  const canary = '237670000001'
  const { appUrl, drop } = await cloneDatabase()
  onTestFinished(drop)
  const url = Object.assign(new URL(appUrl), { pathname: `/${canary}` }).href
  const api = await startApi(key, { database: { url } })
  const { code, stderr } = await api.ended
  expect(code).toBe(69)
  expect(api.lines).toMatchObject([
    {
      level: 'fatal',
      app: 'api',
      msg: 'start refused',
      reason: 'database_refused',
      hint: expect.stringContaining('create the role and the database') as unknown,
      err: { code: '3D000' },
    },
  ])
  expect(JSON.stringify(api.lines) + stderr).not.toContain(canary)
})

test('a server older than PostgreSQL 17 is refused with status 78, in a line that says what to do', async () => {
  const api = await startApi(key, { database: { url: await startOlderServer() } })
  expect(await api.ended).toEqual({ code: 78, stderr: '' })
  expect(api.lines).toMatchObject([
    {
      level: 'fatal',
      msg: 'start refused',
      reason: 'postgres_too_old',
      hint: 'the server of database.url is too old: use a server of PostgreSQL 17 or newer',
    },
  ])
})

test('a start waits for a database that is away', async () => {
  const { appUrl, drop } = await cloneDatabase()
  onTestFinished(drop)
  const proxy = await openProxy(appUrl)
  proxy.cut()
  const api = await startApi(key, { database: { url: proxy.url } })
  expect(await api.said('waiting for the database')).toMatchObject({
    level: 'warn',
    err: { code: 'ECONNREFUSED' },
  })
  await proxy.mend()
  expect(await api.said('ready')).toMatchObject({ level: 'info' })
})

test('a start waits for a server that takes no writes', async () => {
  const { url, appUrl, drop } = await cloneDatabase()
  onTestFinished(drop)
  await setReadOnly(url, 'on')
  const api = await startApi(key, { database: { url: appUrl } })
  expect(await api.said('waiting for the database')).toMatchObject({ err: { code: '25006' } })
  await setReadOnly(url, 'off')
  expect(await api.said('ready')).toMatchObject({ level: 'info' })
})

describe('a database that lacks a migration', () => {
  async function withoutOne() {
    const database = await cloneDatabase()
    onTestFinished(database.drop)
    const owner = openTestDatabase(database.url)
    onTestFinished(() => owner.close())
    await owner.transact(async (tx) => {
      await tx.schema.dropTable('refused_rows').execute()
      await tx.deleteFrom('schema_migrations').where('version', '=', 26).execute()
    })
    return database
  }

  test('is refused in a line that says so, and is left as it is', async () => {
    const { url } = await withoutOne()
    const api = await startApi(key, { database: { url } })
    expect((await api.ended).code).toBe(69)
    expect(api.lines).toMatchObject([
      {
        level: 'fatal',
        msg: 'start refused',
        reason: 'schema_behind',
        hint: expect.stringContaining('run "migrate up expand"') as unknown,
        err: { code: 'schema_behind' },
      },
    ])
  })

  test('is migrated by a process that is told to', async () => {
    const { url } = await withoutOne()
    const api = await startApi(key, { database: { url, migrate_on_boot: true } })
    expect(await api.said('ready')).toMatchObject({ level: 'info' })
  })
})

test('a revoked signing key is refused with status 78', async () => {
  const { url, drop } = await cloneDatabase()
  onTestFinished(drop)
  const db = openTestDatabase(url)
  await adoptSigningKey(db, { jwk: createSigner(key).jwk, nowMs: 0 })
  await db.close()
  await revokeSigningKey(url, key.kid)

  expect(await refusalOf({ database: { url } })).toBe('signing_key: was revoked; configure a new key\n')
})

test.each([10 * MINUTE_MS, -10 * MINUTE_MS])(
  'a machine’s clock that is %i ms off is not used',
  async (offMs) => {
    const { appUrl: url, drop } = await cloneDatabase()
    onTestFinished(drop)
    const db = openTestDatabase(url)
    onTestFinished(() => db.close())
    const beforeMs = await readTimeMs(db.reader)
    const api = await startApi(key, { database: { url } }, { SYSTEM_CLOCK_OFFSET_MS: String(offMs) })
    await api.said('ready')
    const { first_used_at: usedMs } = await db.reader
      .selectFrom('signing_keys')
      .select('first_used_at')
      .executeTakeFirstOrThrow()
    expect(usedMs).toBeGreaterThan(beforeMs - MINUTE_MS)
    expect(usedMs).toBeLessThan((await readTimeMs(db.reader)) + MINUTE_MS)
  },
)

describe('in livemode a database role is refused with status 78', () => {
  const live = {
    livemode: true,
    public_base_url: 'https://payments.shop.example',
    database: { url: { env: 'DATABASE_URL' } },
  }

  test('that is a superuser', async () => {
    const { url, drop } = await cloneDatabase()
    onTestFinished(drop)
    expect(await refusalOf(live, { DATABASE_URL: url })).toMatch(
      /^database\.url: connects as \w+, a superuser\n$/,
    )
  })

  test('that is the app role is accepted', async () => {
    const { appUrl, drop } = await cloneDatabase()
    onTestFinished(drop)
    const api = await startApi(key, live, { DATABASE_URL: appUrl })
    expect(await api.said('ready')).toMatchObject({ level: 'info' })
  })
})

test.each([
  ['testmode', false, true],
  ['livemode', true, false],
])(
  'a database with payments of %s alone is refused by the other mode with status 78, because a refund would go to another rail',
  async (mode, livemode, other) => {
    const { url, appUrl, drop } = await cloneDatabase()
    onTestFinished(drop)
    await savePayment(url, livemode)
    const changes = {
      public_base_url: 'https://payments.shop.example',
      database: { url: { env: 'DATABASE_URL' } },
    }
    const env = { DATABASE_URL: appUrl }
    expect(await refusalOf({ ...changes, livemode: other }, env)).toBe(
      `database.url: has payments of ${mode}; each mode needs a database of its own\n`,
    )
    const api = await startApi(key, { ...changes, livemode }, env)
    expect(await api.said('ready')).toMatchObject({ level: 'info' })
  },
)

test('a start does without the row of its build, if that cannot be written', async () => {
  const { url, appUrl, drop } = await cloneDatabase()
  onTestFinished(drop)
  await refuseBuilds(url)
  const api = await startApi(key, { database: { url: appUrl } }, { MERCHANT_PAYMENTS_BUILD: '1.2.0 abc' })
  expect(await api.said('could not record the build')).toMatchObject({ err: { code: '42501' } })
  expect(await api.said('ready')).toMatchObject({ level: 'info' })
})

test('a rail whose callback address is too long is refused with status 78, before the database is changed', async () => {
  // The rail accepts 120 characters: 33 of the origin, 24 of the path and 30 of the reference leave too little room.
  const [fits, tooLong] = ['a'.repeat(33), 'b'.repeat(34)]
  expect(await refusalOf({ rails: { [fits]: orangeMoney, [tooLong]: orangeMoney } })).toBe(
    `rails.${tooLong}: needs a shorter callback_base_url (by default public_base_url): its callback address exceeds the limit of the rail\n`,
  )
})

test('in livemode, a host that the rail refuses in the addresses of payments is refused with status 78, before the database is asked', async () => {
  const live = {
    livemode: true,
    database: { url: { env: 'DATABASE_URL' } },
    rails: { orange_money_cm: { ...orangeMoney, base_url: 'https://api.orange.example' } },
  }
  const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
  const needs = (setting: string) =>
    `rails.orange_money_cm: needs the name of a public host in ${setting} (by default public_base_url) in livemode: the rail refuses IP addresses and localhost\n`
  expect(await refusalOf({ ...live, public_base_url: 'https://203.0.113.9' }, env)).toBe(
    needs('callback_base_url') + needs('checkout_base_url'),
  )
  expect(await refusalOf({ ...live, ...named, callback_base_url: 'https://[2001:db8::9]' }, env)).toBe(
    needs('callback_base_url'),
  )
  expect(await refusalOf({ ...live, ...named, checkout_base_url: 'https://localhost:8443' }, env)).toBe(
    needs('checkout_base_url'),
  )
})

test('a file with many faults is refused with one line for each, by its path, in one run [§6.3.11]', async () => {
  const hook = (url: string, secret: unknown) => ({ id: 'main', url, secrets: [secret] })
  const client = (clientId: string, webhook: object) => ({
    client_id: clientId,
    name: 'A shop',
    jwks: { keys: [] },
    scopes: ['payments:read'],
    audiences: ['reports:v1'],
    publishable_key: 'pk_shop',
    webhooks: [webhook],
  })
  const stderr = await refusalOf(
    {
      livemode: true,
      public_base_url: 'http://payments.merchant.example/',
      live_mode: true,
      webhooks: { allow_private_targets: true },
      merchant_clients: [
        client('shop', hook('http://shop.example/hooks', { env: 'NOT_SET' })),
        client(
          'stall',
          hook('https://wiremock.stall.example/hooks', 'in-the-file-0123456789abcdef0123456789'),
        ),
        client('shop', hook('https://localhost/hooks', { env: 'SHORT_SECRET' })),
      ],
      rails: { orange_money_cm: { ...orangeMoney, country: 'dev' } },
      worker: { poll_interval_ms: 6_000 },
    },
    { SHORT_SECRET: 'short' },
  )

  const lines = stderr.trimEnd().split('\n')
  const hookPaths = (n: number) => [
    `merchant_clients[${n}].jwks.keys`,
    `merchant_clients[${n}].audiences`,
    `merchant_clients[${n}].webhooks[0].url`,
    `merchant_clients[${n}].webhooks[0].secrets[0]`,
  ]
  expect(lines.map((line) => line.slice(0, line.indexOf(': '))).toSorted()).toEqual(
    [
      'live_mode',
      'public_base_url',
      'webhooks.allow_private_targets',
      'worker.poll_interval_ms',
      'rails.orange_money_cm.base_url',
      'rails.orange_money_cm.country',
      ...[0, 1, 2].flatMap(hookPaths),
      'merchant_clients[1].publishable_key',
      'merchant_clients[2].publishable_key',
      'merchant_clients[2].client_id',
    ].toSorted(),
  )
  expect(stderr).not.toContain('in-the-file')
})
