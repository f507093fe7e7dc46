import { cloneDatabase, openProxy } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import { startOlderServer } from '@merchant-payments/testing/older-server'
import { setReadOnly } from '@merchant-payments/testing/operator'
import { describe, expect, onTestFinished, test } from 'vitest'
import { untilWritable } from '../src/boot.ts'
import { isReady, migrate, PostgresTooOldError, prepareDatabase } from '../src/index.ts'
import { POSTGRES_MAJOR_MIN, requirePostgres } from '../src/postgres-version.ts'
import { openTestDatabase } from '../src/testing.ts'

function open(url: string) {
  const db = openTestDatabase(url, { readConnections: 1 })
  onTestFinished(() => db.close())
  return db.reader
}

test('a start that waited long enough fails with the last error', async () => {
  const errors: unknown[] = []
  const away = open('postgres://api@127.0.0.1:1/payments')
  const waiting = untilWritable(away, { onAway: (error) => errors.push(error), waitMaxMs: 2_000 })
  await expect(waiting).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  expect(errors.length).toBeGreaterThan(0)
  for (const error of errors) expect(error).toMatchObject({ code: 'ECONNREFUSED' })
})

test.each([
  ['a database', '3D000', (url: URL) => Object.assign(url, { pathname: '/nowhere' })],
  ['a role', '28000', (url: URL) => Object.assign(url, { username: 'nobody' })],
])('a start does not wait for %s that does not exist', async (_what, code, change) => {
  const { appUrl, drop } = await cloneDatabase()
  onTestFinished(drop)
  const reader = open(change(new URL(appUrl)).href)
  const onAway = () => expect.unreachable()
  await expect(untilWritable(reader, { onAway })).rejects.toMatchObject({ code })
})

test('a server that takes no writes is not ready, and its connection is not used again', async () => {
  const { url, appUrl, drop } = await cloneDatabase()
  onTestFinished(drop)
  await setReadOnly(url, 'on')
  const reader = open(appUrl)
  await expect(isReady(reader)).rejects.toMatchObject({ code: '25006' })
  await setReadOnly(url, 'off', 'kept')
  await expect.poll(() => isReady(reader).catch(() => false)).toBe(true)
})

test('a start whose connection breaks while it migrates finds the database away', async () => {
  const { url, drop } = await cloneDatabase()
  onTestFinished(drop)
  const [holder, onlooker] = [await connect(url), await connect(url)]
  onTestFinished(async () => {
    await Promise.all([holder.end(), onlooker.end()])
  })
  await holder.query('begin; lock table schema_migrations in access exclusive mode')
  const proxy = await openProxy(url)
  const starting = prepareDatabase({
    url: proxy.url,
    servers: undefined,
    namedStatements: true,
    onConnectionLost: () => undefined,
    onAway: () => expect.unreachable(),
    migrateOnBoot: true,
    livemode: false,
  })
  const ended = starting.catch((error: unknown) => error)
  const waiting = `select from pg_stat_activity
    where application_name = 'merchant-payments-migrate' and wait_event_type = 'Lock' and datname = current_database()`
  await expect.poll(async () => (await onlooker.query(waiting)).rowCount).toBe(1)
  proxy.cut()
  expect(await ended).toMatchObject({ name: 'DatabaseAwayError', code: 'connection_lost' })
})

describe('a server older than PostgreSQL 17', () => {
  test('is refused at once, because it does not know the settings of a connection', async () => {
    const reader = open(await startOlderServer())
    const onAway = () => expect.unreachable()
    await expect(untilWritable(reader, { onAway })).rejects.toThrow(PostgresTooOldError)
  })

  test('is refused by its version, too, because a pooler may leave the settings out', async () => {
    const { appUrl, drop } = await cloneDatabase()
    onTestFinished(drop)
    const reader = open(appUrl)
    await expect(requirePostgres(reader, POSTGRES_MAJOR_MIN)).resolves.toMatchObject({ encoding: 'UTF8' })
    await expect(requirePostgres(reader, 1_000)).rejects.toThrow('use 17 or newer')
  })

  test('is refused by a migration, in words', async () => {
    await expect(migrate(await startOlderServer())).rejects.toThrow(PostgresTooOldError)
  })
})
