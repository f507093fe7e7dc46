import { createServer } from 'node:net'
import { openProxy } from '@merchant-payments/testing'
import { runStatement } from '@merchant-payments/testing/client'
import { listen } from '@merchant-payments/testing/listen'
import { type Replicas, startReplicas } from '@merchant-payments/testing/replicas'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  type Database,
  type DatabaseOptions,
  ensureAppLogin,
  isDatabaseAway,
  isReady,
  migrate,
  openServers,
  readCommitWaitMs,
  verifyAuditChain,
} from '../src/index.ts'
import { untilWritable } from '../src/boot.ts'
import { openTestDatabase } from '../src/testing.ts'

/** No server listens there. */
const NOBODY = '127.0.0.1:1'
const LOGIN = 'payments_service'

let replicas: Replicas
let appUrl: string
beforeAll(async () => {
  replicas = await startReplicas()
})
afterAll(() => replicas.stop())

const at = ({ port }: { port: number }) => `127.0.0.1:${port}`
const listOf = (servers: readonly string[], database = 'postgres') =>
  `postgres://postgres@${servers.join(',')}/${database}?target_session_attrs=read-write`

function open(url: string, options: Partial<DatabaseOptions> = {}): Database {
  const db = openTestDatabase(url, { poolSize: 3, readConnections: 1, ...options })
  onTestFinished(() => db.close())
  return db
}

const port = sql<number>`inet_server_port()`
/** A lock is refused where a write is. */
const write = async (db: Database) => {
  const locked = sql`select from leases where false for no key update`
  const { rows } = await sql<{
    port: number
  }>`with l as (${locked}) select ${port} as port, (select count(*) from l)`.execute(db.writer)
  return rows[0]?.port
}
const read = async (db: Database) =>
  (await db.reader.selectNoFrom(port.as('port')).executeTakeFirstOrThrow()).port
const list = async (db: Database) =>
  (await db.lists.selectNoFrom(port.as('port')).executeTakeFirstOrThrow()).port

test('the tools work on the server that takes writes', async () => {
  const { primary, standby } = replicas
  const url = listOf([NOBODY, at(standby()), at(primary())])
  expect(await migrate(url)).toContain('0001_main_job.sql')
  expect(await verifyAuditChain(url, [])).toMatchObject({ intact: true })
  appUrl = await ensureAppLogin(url, LOGIN)
  expect(appUrl).toMatch(/^postgres:\/\/payments_service:\w+@127\.0\.0\.1:1,/)
  const db = open(appUrl)
  await untilWritable(db.reader, { onAway: () => expect.unreachable() })
  expect(await isReady(db.reader)).toBe(true)
})

describe('a connection', () => {
  test.each([
    ['first', (primary: string, standby: string) => [primary, standby]],
    ['last', (primary: string, standby: string) => [standby, primary]],
    ['behind one that is away', (primary: string, standby: string) => [NOBODY, standby, primary]],
  ])('goes to the server that takes writes, if it is %s in the list', async (_where, order) => {
    const { primary, standby } = replicas
    const db = open(listOf(order(at(primary()), at(standby()))))
    const ports = await Promise.all([write(db), write(db), write(db), write(db), read(db), list(db)])
    expect(new Set(ports)).toEqual(new Set([primary().port]))
  })

  test('passes a standby that does not have the role yet', async () => {
    const [primary, standby] = [replicas.primary(), replicas.standby()]
    const listFor = (role: string) => listOf([at(standby), at(primary)]).replace('postgres@', `${role}@`)
    await runStatement(standby.url, 'select pg_wal_replay_pause()')
    try {
      await runStatement(
        primary.url,
        'create role newcomer login in role pg_read_all_data, pg_write_all_data',
      )
      expect(await write(open(listFor('newcomer')))).toBe(primary.port)
      await expect(write(open(listFor('stranger')))).rejects.toMatchObject({ code: '28000' })
    } finally {
      await runStatement(standby.url, 'select pg_wal_replay_resume()')
    }
  })

  test('leaves a server that never answers before its time to connect is over', async () => {
    const mute = { port: await listen(createServer()) }
    const db = open(listOf([at(mute), at(replicas.primary())]))
    expect(await Promise.all([write(db), read(db)])).toEqual([
      replicas.primary().port,
      replicas.primary().port,
    ])
  })

  test('fails with a word for it if no server takes writes', async () => {
    const db = open(listOf([NOBODY, at(replicas.standby())]))
    const failure = { name: 'DatabaseAwayError', code: 'no_primary' }
    await expect(write(db)).rejects.toMatchObject(failure)
    await expect(read(db)).rejects.toMatchObject(failure)
    await expect(db.transact((tx) => port.execute(tx))).rejects.toMatchObject(failure)
  })

  test('fails at once for a database that does not exist', async () => {
    const { primary, standby } = replicas
    const db = open(listOf([at(standby()), at(primary())], 'nowhere'))
    await expect(write(db)).rejects.toMatchObject({ code: '3D000' })
    const onAway = () => expect.unreachable()
    await expect(untilWritable(db.reader, { onAway })).rejects.toMatchObject({ code: '3D000' })
  })
})

describe('in a failover', () => {
  const all = <T>(work: () => Promise<T>) => Promise.all([work(), work(), work()])
  const slowWrite = (db: Database) => sql`select pg_current_xact_id(), pg_sleep(0.05)`.execute(db.writer)

  test('the connections to a server that has become read-only are left, those at rest too', async () => {
    const db = open(replicas.url)
    const old = replicas.primary()
    await all(() => slowWrite(db))
    expect(await read(db)).toBe(old.port)
    await runStatement(old.url, 'alter system set default_transaction_read_only = on')
    await runStatement(old.url, 'select pg_reload_conf()')
    await replicas.promote()
    // Until a server takes the new setting, its sessions still write.
    await expect
      .poll(() =>
        write(db).then(
          () => 'written',
          (error: unknown) => isDatabaseAway(error),
        ),
      )
      .toBe(true)
    expect(await all(() => write(db))).toEqual(Array(3).fill(replicas.primary().port))
    expect(await Promise.all([read(db), list(db)])).toEqual(Array(2).fill(replicas.primary().port))
  })

  test('statements that wait for a server that has vanished end once another one takes writes', async () => {
    await replicas.rejoin()
    const proxy = await openProxy(replicas.primary().url)
    const url = listOf([new URL(proxy.url).host, at(replicas.standby())])
    const servers = openServers(url)
    const [db, other] = [open(url, { servers, poolSize: 1 }), open(url, { servers, poolSize: 1 })]
    const ports = [await write(db), await read(db), await write(other)]
    expect(ports).toEqual(Array(3).fill(replicas.primary().port))
    proxy.vanish()
    const waiting = Promise.allSettled([write(db), write(other)])
    await replicas.promote()
    const served: number[] = []
    const ask = () => {
      void read(db).then(
        (port) => served.push(port),
        () => undefined,
      )
      return served.at(-1)
    }
    await expect.poll(ask).toBe(replicas.primary().port)
    const taken = { reason: { code: 'connection_lost', message: 'another server has taken over' } }
    expect(await waiting).toMatchObject([taken, taken])
    expect([await write(db), await write(other)]).toEqual(Array(2).fill(replicas.primary().port))
  })

  test('a commit that no standby confirms is not acknowledged, ends readiness, and ends itself once the primary may go on alone', async () => {
    await replicas.rejoin()
    const db = open(replicas.url, { queryTimeoutMs: 1_000 })
    await replicas.standby().kill()
    const committing = db.transact((tx) => sql`create table unconfirmed ()`.execute(tx))
    await expect(committing).rejects.toMatchObject({ name: 'DatabaseAwayError', code: 'query_timeout' })
    expect(await readCommitWaitMs(db.reader)).toBeGreaterThanOrEqual(1_000)
    // Reads go on, and the client of the commit has left.
    await expect.poll(() => isReady(db.reader)).toBe(false)
    const { url } = replicas.primary()
    await runStatement(url, `alter system set synchronous_standby_names = ''`)
    await runStatement(url, 'select pg_reload_conf()')
    const found = sql<{ found: boolean }>`select to_regclass('unconfirmed') is not null as found`
    await expect.poll(async () => (await found.execute(db.writer)).rows).toEqual([{ found: true }])
    await expect.poll(() => isReady(db.reader)).toBe(true)
    expect(await readCommitWaitMs(db.reader)).toBe(0)
  })

  test('a start waits, and the first write after the promotion reaches the new primary', async () => {
    await replicas.rejoin()
    const db = open(replicas.url)
    const old = replicas.primary()
    await all(() => slowWrite(db))
    expect(await read(db)).toBe(old.port)
    await old.kill()
    const lost = [write(db), read(db), list(db), isReady(db.reader)].map((running) =>
      running.then(() => 'answered', isDatabaseAway),
    )
    expect(await Promise.all(lost)).toEqual(Array(4).fill(true))
    const failures: unknown[] = []
    const onAway = (error: unknown) => failures.push(error)
    const starting = untilWritable(open(replicas.url).reader, { onAway })
    await expect.poll(() => failures.length).toBeGreaterThan(0)
    await replicas.promote()
    expect(await write(db)).toBe(replicas.primary().port)
    await starting
    expect(failures[0]).toMatchObject({ code: 'no_primary' })
    expect(await Promise.all([read(db), list(db)])).toEqual(Array(2).fill(replicas.primary().port))
    expect(await isReady(db.reader)).toBe(true)
  })
})
