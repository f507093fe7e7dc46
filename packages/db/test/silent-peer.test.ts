import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { cloneDatabase, openProxy } from '@merchant-payments/testing'
import { listen } from '@merchant-payments/testing/listen'
import { sql } from 'kysely'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { connectTo, type Database, type DatabaseOptions, isDatabaseAway } from '../src/index.ts'
import { openTestDatabase } from '../src/testing.ts'

/** Long enough that a busy machine answers within an eighth of it. */
const QUERY_TIMEOUT_MS = 2_000

const database = await cloneDatabase()
afterAll(() => database.drop())

function open(url: string, options: Partial<DatabaseOptions> = {}): Database {
  const db = openTestDatabase(url, {
    readConnections: 1,
    applicationName: 'silent-peer-test',
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    ...options,
  })
  onTestFinished(() => db.close())
  return db
}

const pidOf = (rows: readonly { pid: number }[]): number => rows[0]?.pid ?? 0
const pid = sql<{ pid: number }>`select pg_backend_pid() as pid`
const write = async (db: Database) => pidOf((await pid.execute(db.writer)).rows)
const read = async (db: Database) =>
  pidOf(await db.reader.selectNoFrom(sql<number>`pg_backend_pid()`.as('pid')).execute())
/** As an import does, or the making of a key. */
const blockThisThread = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
const awayOf = (running: Promise<unknown>) => running.then(() => 'answered', isDatabaseAway)

describe('a peer that falls silent', () => {
  test('fails the statement, and the next one has another connection', async () => {
    const proxy = await openProxy(database.url)
    const db = open(proxy.url)
    const before = await write(db)
    proxy.silence()
    await expect(write(db)).rejects.toMatchObject({ name: 'DatabaseAwayError', code: 'query_timeout' })
    expect(await write(db)).not.toBe(before)
  })

  const atPoints = {
    begin: { before: true, within: false },
    'a statement of it': { before: false, within: true },
    commit: { before: false, within: false },
  }
  test.each(Object.entries(atPoints))('ends a transaction at %s', async (_point, { before, within }) => {
    const proxy = await openProxy(database.url)
    const db = open(proxy.url)
    await write(db)
    if (before) proxy.silence()
    const ending = db.transact(async (tx) => {
      await sql`select 1`.execute(tx)
      if (!before) proxy.silence()
      if (within) await sql`select 2`.execute(tx)
    })
    expect(await awayOf(ending)).toBe(true)
    expect(await db.transact((tx) => sql`select 1 as n`.execute(tx))).toMatchObject({ rows: [{ n: 1 }] })
  })

  test('closes no connection that was idle meanwhile', async () => {
    const proxy = await openProxy(database.url)
    const db = open(proxy.url, { poolSize: 3 })
    const together = () => Promise.all([1, 2, 3].map(() => sql`select pg_sleep(0.05)`.execute(db.writer)))
    await together()
    await read(db)
    proxy.silence()
    expect(await awayOf(write(db))).toBe(true)
    await together()
    expect(await read(db)).toBeGreaterThan(0)
    expect(proxy.connections()).toBe(8)
  })

  test('stops no read that comes later, and fails those that wait for it', async () => {
    const proxy = await openProxy(database.url)
    const db = open(proxy.url)
    const before = await read(db)
    proxy.silence()
    const first = awayOf(read(db))
    const waiting: Promise<string | boolean>[] = []
    const served: number[] = []
    while (served.length === 0) {
      const reading = read(db)
      waiting.push(awayOf(reading))
      void reading.then((by) => served.push(by)).catch(() => undefined)
      await delay(20)
      expect(await Promise.race([first, Promise.resolve('waiting')])).toBe('waiting')
    }
    expect(served).not.toContain(before)
    expect(await first).toBe(true)
    expect((await Promise.all(waiting)).at(-1)).toBe('answered')
    expect(served).toContain(await read(db))
  })

  test('does not keep the process from closing', async () => {
    const proxy = await openProxy(database.url)
    const db = openTestDatabase(proxy.url, {
      readConnections: 1,
      applicationName: 'silent-peer-test',
      queryTimeoutMs: QUERY_TIMEOUT_MS,
    })
    await Promise.all([read(db), write(db)])
    proxy.silence()
    expect(await db.close().then(() => 'closed')).toBe('closed')
  })
})

describe('a connection', () => {
  test('that is never made fails after a bounded time', async () => {
    const url = `postgres://postgres@127.0.0.1:${await listen(createServer())}/postgres`
    const db = open(url, { connectTimeoutMs: 100 })
    expect(await Promise.all([awayOf(write(db)), awayOf(read(db))])).toEqual([true, true])
  })

  test('of a tool is made, although the tool is busy for longer than it waits', async () => {
    const connecting = connectTo(database.url, {}, 2_000)
    blockThisThread(3_000)
    const client = await connecting
    onTestFinished(() => client.end())
    expect((await client.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  test('of a tool that is never made fails after a bounded time', async () => {
    const url = `postgres://postgres@127.0.0.1:${await listen(createServer())}/postgres`
    await expect(connectTo(url, {}, 100)).rejects.toMatchObject({ code: 'connect_failed' })
  })

  test('of a tool is ended by the server as soon as one of the service is', async () => {
    const names = [
      'tcp_keepalives_idle',
      'tcp_keepalives_interval',
      'tcp_keepalives_count',
      'tcp_user_timeout',
      'idle_in_transaction_session_timeout',
    ]
    const settings = sql<{ name: string; setting: string }>`
      select name, setting from pg_settings where name = any (${names}) order by name`
    const { rows: ofService } = await settings.execute(open(database.url).writer)
    expect(ofService.map(({ setting }) => Number(setting))).not.toContain(0)
    const list = new URL(database.url)
    const both = database.url.replace(list.host, `${list.host},${list.host}`)
    for (const address of [database.url, `${both}?target_session_attrs=read-write`]) {
      const client = await connectTo(address, {})
      onTestFinished(() => client.end())
      const { rows: ofTool } = await client.query(
        'select name, setting from pg_settings where name = any ($1) order by name',
        [names],
      )
      expect(ofTool).toEqual(ofService)
    }
  })

  test('that all others hold is waited for a bounded time, by a bounded number', async () => {
    const db = open(database.url, { connectTimeoutMs: 1_000 })
    await db.transact(async () => {
      const waiting = Array.from({ length: 1_000 }, () => write(db))
      const refused = write(db).catch((error: Error) => error.message)
      expect(await Promise.race([refused, ...waiting.map(awayOf)])).toMatch(/too many statements wait/)
      const ends = await Promise.all(waiting.map(awayOf))
      expect(new Set(ends)).toEqual(new Set([true]))
    })
    expect(await write(db)).toBeGreaterThan(0)
  })

  test('is shared by a bounded number of reads', async () => {
    const db = open(database.url, { queryTimeoutMs: 60_000 })
    const reads = await Promise.allSettled(Array.from({ length: 1_001 }, () => read(db)))
    const refused = reads.filter(({ status }) => status === 'rejected')
    expect(refused).toMatchObject([{ reason: { code: 'too_many_waiting' } }])
    expect(await read(db)).toBeGreaterThan(0)
  })
})
