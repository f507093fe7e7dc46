import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startStandby } from '@merchant-payments/postgres'
import { type Replicas, startReplicas } from '@merchant-payments/testing/replicas'
import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../src/database.ts'
import { isOfStandby, type Standby, watchStandby } from '../src/standby.ts'
import { openTestDatabase } from '../src/testing.ts'

const LAG_MAX_MS = 2_000
const READ_TIMEOUT_MS = 30_000
const SEGMENTS_AHEAD = 4
/** The standby is looked at each second. */
const READINGS_MS = 3_000

const open = (url: string): Database => openTestDatabase(url, { poolSize: 2 })

let replicas: Replicas
let primary: Database
let standby: Standby
const changes: boolean[] = []
beforeAll(async () => {
  replicas = await startReplicas()
  primary = open(replicas.primary().url)
  await sql`create table written (n integer)`.execute(primary.writer)
  standby = watchStandby({
    primary: primary.reader,
    standby: open(replicas.standby().url),
    onChange: (usable) => changes.push(usable),
    lagMaxMs: LAG_MAX_MS,
  })
}, 60_000)
afterAll(async () => {
  await standby?.close()
  await primary?.close()
  await replicas?.stop()
})

const until = (read: () => unknown) => expect.poll(read, { timeout: READ_TIMEOUT_MS, interval: 100 })
const write = () => sql`insert into written values (1)`.execute(primary.writer)

describe('a standby for reads', () => {
  test('is used while it follows, and its lag does not grow while nobody writes', async () => {
    await write()
    await until(() => standby.isUsable()).toBe(true)
    await until(() => standby.lagMs()).toBe(0)
    expect(changes).toEqual([true])
  })

  test('is left while it is too far behind, and used again once it has caught up', async () => {
    await replicas.replay('pause')
    await write()
    await until(() => standby.lagMs() ?? 0).toBeGreaterThan(LAG_MAX_MS)
    expect(standby.isUsable()).toBe(false)
    await replicas.replay('resume')
    await until(() => standby.isUsable()).toBe(true)
    expect(changes).toEqual([true, false, true])
  })

  test('leaves a read to the primary whose column or table it has not replayed yet', async () => {
    await replicas.replay('pause')
    await sql`alter table written add column kind text`.execute(primary.writer)
    await sql`create table newer (n integer)`.execute(primary.writer)
    const failureOf = (statement: RawBuilder<unknown>) =>
      standby.reads.reader
        .selectNoFrom(sql`(${statement})`.as('kind'))
        .execute()
        .catch((error: unknown) => error)
    const [column, table] = [sql`select max(kind) from written`, sql`select max(n) from newer`]
    for (const statement of [column, table]) expect(isOfStandby(await failureOf(statement))).toBe(true)
    await replicas.replay('resume')
    await until(() => failureOf(column)).toEqual([{ kind: null }])
    expect(isOfStandby(await failureOf(sql`select 1 / 0`))).toBe(false)
  })

  test('is left by a reader that it failed, until the next reading', async () => {
    standby.leave()
    expect(standby.isUsable()).toBe(false)
    await until(() => standby.isUsable()).toBe(true)
  })

  test('is not used by a primary that was restored to an earlier time, nor once that one has overtaken it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'merchant-payments-restored-'))
    const restored = await startStandby(replicas.primary(), {
      name: 'c',
      dataDir: join(folder, 'c'),
      settings: { fsync: 'off', max_connections: '200' },
    })
    const client = new pg.Client({ connectionString: restored.url })
    await client.connect()
    await client.query('select pg_promote()')
    await client.end()
    await write()
    await sql`select pg_switch_wal()`.execute(primary.writer)
    await write()
    const [from, reads] = [open(restored.url), open(replicas.standby().url)]
    const seen: boolean[] = []
    const stray = watchStandby({
      primary: from.reader,
      standby: reads,
      onChange: (usable) => seen.push(usable),
    })
    try {
      await until(() => seen.length).toBe(1)
      await sql`create table later (n integer)`.execute(from.writer)
      for (let n = 0; n < SEGMENTS_AHEAD; n += 1) {
        await sql`insert into later values (1)`.execute(from.writer)
        await sql`select pg_switch_wal()`.execute(from.writer)
      }
      await delay(READINGS_MS)
      expect([seen, stray.lagMs()]).toEqual([[false], null])
    } finally {
      await stray.close()
      await from.close()
      await restored.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('is left once it takes writes itself', async () => {
    await replicas.promote()
    await until(() => standby.isUsable()).toBe(false)
    expect(standby.lagMs()).toBeNull()
  })
})
