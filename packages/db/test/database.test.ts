import { cloneDatabase, holdTransaction, type TestDatabase } from '@merchant-payments/testing'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Database,
  type DatabaseOptions,
  DatabaseAwayError,
  instant,
  isDatabaseAway,
  type Reader,
  sqlState,
  type Tx,
} from '../src/index.ts'
import { openTestDatabase } from '../src/testing.ts'

let database: TestDatabase
const opened: Database[] = []

function open(options: Partial<DatabaseOptions> = {}): Database {
  const db = openTestDatabase(database.url, { applicationName: 'db-test', ...options })
  opened.push(db)
  return db
}

beforeAll(async () => {
  database = await cloneDatabase()
})

afterAll(async () => {
  await Promise.all(opened.map((db) => db.close()))
  await database.drop()
})

const run = async <Row>(db: Database, statement: string): Promise<Row[]> =>
  (await sql<Row>`${sql.raw(statement)}`.execute(db.writer)).rows

describe('statements', () => {
  test('are prepared once per connection, and used again', async () => {
    const db = open()
    const find = (id: string) =>
      db.reader.selectFrom('disabled_clients').selectAll().where('client_id', '=', id).execute()
    for (let n = 0; n < 10; n += 1) await find(`client-${n}`)
    const prepared = `select statement, generic_plans + custom_plans as uses from pg_prepared_statements
      where statement like '%"client_id" = $1'`
    expect(await run(db, prepared)).toEqual([
      { statement: 'select * from "disabled_clients" where "client_id" = $1', uses: 10 },
    ])
  })

  test.each([
    { genericPlans: true, plans: { planned_for_all: 3, planned_for_values: 0 } },
    { genericPlans: false, plans: { planned_for_all: 0, planned_for_values: 3 } },
  ])(
    'are planned for all values from the first on if asked: $genericPlans',
    async ({ genericPlans, plans }) => {
      const db = open({ genericPlans })
      for (const limit of [1, 2, 3]) {
        await db.reader.selectFrom('disabled_clients').select('client_id').limit(limit).execute()
      }
      const counted = `select generic_plans::integer as planned_for_all, custom_plans::integer as planned_for_values
      from pg_prepared_statements where statement like '%from "disabled_clients" limit $1'`
      expect(await run(db, counted)).toEqual([plans])
    },
  )

  test('of lists are planned for their values if asked', async () => {
    const db = open({ genericPlans: true, genericLists: false, readConnections: 1 })
    const mode = (reader: Reader) =>
      reader.selectNoFrom(sql<string>`current_setting('plan_cache_mode')`.as('mode')).execute()
    expect(await mode(db.reader)).toEqual([{ mode: 'force_generic_plan' }])
    expect(await mode(db.lists)).toEqual([{ mode: 'auto' }])
  })

  test('have one name on every connection', async () => {
    const db = open({ poolSize: 4 })
    const onAll = <Row>(statement: string) =>
      Promise.all(Array.from({ length: 4 }, () => run<Row>(db, `${statement}, pg_sleep(0.05)`)))
    await onAll(`select 'asked everywhere'`)
    const rows = (
      await onAll<{ pid: number; name: string }>(
        `select pg_backend_pid() as pid, (select name from pg_prepared_statements where statement like '%asked everywhere%' order by prepare_time limit 1) as name`,
      )
    ).flat()
    expect(new Set(rows.map(({ pid }) => pid)).size).toBe(4)
    expect(new Set(rows.map(({ name }) => name))).toEqual(new Set([expect.stringMatching(/^mp_\d+$/)]))
  })

  test('beyond 512 texts run unnamed, so that a server’s memory stays bounded', async () => {
    const db = open()
    const found: number[] = []
    for (let n = 0; n < 600; n += 1) {
      const [row] = await run<{ n: number }>(db, `select ${n}::integer as n`)
      found.push(row?.n ?? -1)
    }
    expect(found).toEqual(Array.from({ length: 600 }, (_, n) => n))
    const [count] = await run<{ n: number }>(db, 'select count(*)::integer as n from pg_prepared_statements')
    expect(count?.n).toBeGreaterThan(400)
    expect(count?.n).toBeLessThanOrEqual(512)
  })

  test('have no names where a pooler cannot keep them', async () => {
    const db = open({ namedStatements: false })
    await db.reader.selectFrom('disabled_clients').selectAll().execute()
    expect(await run(db, 'select name from pg_prepared_statements')).toEqual([])
  })
})

describe('reads at once', () => {
  const READS = 300
  interface Read {
    n: number
    pid: number
  }
  const read = async (db: Database, n: number, more = sql`true`): Promise<Read> => {
    const row = await db.reader
      .selectNoFrom([sql<number>`${n}::integer`.as('n'), sql<number>`pg_backend_pid()`.as('pid')])
      .where(sql<boolean>`${more}`)
      .executeTakeFirstOrThrow()
    return row
  }
  const allOf = (db: Database) => Promise.all(Array.from({ length: READS }, (_, n) => read(db, n)))
  const numbers = Array.from({ length: READS }, (_, n) => n)

  test('share a few connections, and each gets its own answer', async () => {
    const rows = await allOf(open({ readConnections: 3 }))
    expect(rows.map(({ n }) => n)).toEqual(numbers)
    expect(new Set(rows.map(({ pid }) => pid)).size).toBe(3)
  })

  test('wait for no page of a list, and two pages are read side by side', async () => {
    const db = open({ readConnections: 1 })
    const pidOf = sql<number>`pg_backend_pid()`.as('pid')
    const pages = [0, 1].map(() =>
      db.lists.selectNoFrom([pidOf, sql`pg_sleep(60)`.as('slept')]).executeTakeFirstOrThrow(),
    )
    const slept = Promise.allSettled(pages)
    expect((await allOf(db)).map(({ n }) => n)).toEqual(numbers)
    const asleep = `from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
    await expect.poll(() => run(db, `select pid ${asleep}`)).toHaveLength(2)
    await run(db, `select pg_terminate_backend(pid) ${asleep}`)
    expect((await slept).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  test('are not affected by one that fails among them', async () => {
    const db = open({ readConnections: 1 })
    const failing = read(db, 1, sql`1 / (${0}::integer) = 1`)
    const [failed, ...rows] = await Promise.allSettled([failing, ...numbers.map((n) => read(db, n))])
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
    expect(rows.map((row) => (row.status === 'fulfilled' ? row.value.n : row.reason))).toEqual(numbers)
  })

  test('fail with their connection, and the next ones have another', async () => {
    const lost: Error[] = []
    const db = open({ readConnections: 1, onConnectionLost: (error) => lost.push(error) })
    const { pid } = await read(db, 0)
    const cut = Promise.allSettled([read(db, 1, sql`pg_sleep(60) is not null`)])
    await run(db, `select pg_terminate_backend(${pid})`)
    expect(await cut).toMatchObject([{ reason: { message: expect.stringMatching(/terminat/) } }])
    await expect
      .poll(() =>
        read(db, 2).then(
          (row) => row.pid !== pid,
          () => false,
        ),
      )
      .toBe(true)
    expect((await allOf(db)).map(({ n }) => n)).toEqual(numbers)
    expect(lost).toHaveLength(1)
  })

  test('say so when there is no server to read from', async () => {
    const db = open({ url: 'postgres://postgres@127.0.0.1:1/postgres', readConnections: 2 })
    await expect(read(db, 0)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await expect(read(db, 0)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

describe('a transaction', () => {
  const raise = (state: string) =>
    sql`do ${sql.lit(`begin raise exception 'no' using errcode = '${state}'; end`)}`

  test('that deadlocks is run again, and both end', async () => {
    const db = open({ poolSize: 2 })
    await run(db, 'create table pair (id integer primary key, n integer not null)')
    await run(db, 'insert into pair values (1, 0), (2, 0)')
    const bump = (tx: Tx, id: number) => sql`update pair set n = n + 1 where id = ${id}`.execute(tx)

    let holding = 0
    let tries = 0
    const { promise: bothHold, resolve } = Promise.withResolvers<void>()
    const cross = (first: number, second: number) =>
      db.transact(async (tx) => {
        tries += 1
        await bump(tx, first)
        holding += 1
        if (holding === 2) resolve()
        await bothHold
        await bump(tx, second)
      })
    await Promise.all([cross(1, 2), cross(2, 1)])

    // More than three if the retried transaction locks its first row before the one that waits for it.
    expect(tries).toBeGreaterThanOrEqual(3)
    expect(await run(db, 'select id, n from pair order by id')).toEqual([
      { id: 1, n: 2 },
      { id: 2, n: 2 },
    ])
  })

  test.each([
    ['a serialization failure', '40001'],
    ['a deadlock', '40P01'],
  ])('is tried five times on %s, then fails with it', async (_case, state) => {
    const db = open()
    let tries = 0
    const failing = db.transact(async (tx) => {
      tries += 1
      await raise(state).execute(tx)
    })
    await expect(failing).rejects.toMatchObject({ code: state })
    expect(tries).toBe(5)
  })

  test('is tried once on anything else, and leaves nothing behind', async () => {
    const db = open()
    let tries = 0
    const failing = (error: () => Promise<unknown>) =>
      db.transact(async (tx) => {
        tries += 1
        await sql`insert into disabled_clients (client_id, reason) values ('a', 'test')`.execute(tx)
        await error()
      })
    await expect(failing(() => run(open(), 'select 1/0'))).rejects.toMatchObject({ code: '22012' })
    await expect(failing(() => Promise.reject(new Error('of our own')))).rejects.toThrow('of our own')
    expect(tries).toBe(2)
    expect(await db.reader.selectFrom('disabled_clients').selectAll().execute()).toEqual([])
  })

  test('returns what its work returns, committed', async () => {
    const db = open()
    const result = await db.transact(async (tx) => {
      await sql`insert into spent_jtis values (gen_random_uuid(), now())`.execute(tx)
      return 'done'
    })
    expect(result).toBe('done')
    expect(await db.reader.selectFrom('spent_jtis').select('jti').execute()).toHaveLength(1)
  })
})

describe('values', () => {
  test('of int8 are safe integers, and an unsafe one is an error rather than another number', async () => {
    const db = open()
    expect(await run(db, 'select count(*) as n, 9007199254740991::int8 as max, (-7)::int8 as min')).toEqual([
      { n: 1, max: 9_007_199_254_740_991, min: -7 },
    ])
    await expect(run(db, 'select 9007199254740992::int8 as n')).rejects.toThrow(RangeError)
  })

  test('of time are milliseconds, whatever the session’s zone, and go back unchanged', async () => {
    const db = open()
    const zones = fc.constantFrom(
      'UTC',
      'Africa/Douala',
      'America/St_Johns',
      'Asia/Kathmandu',
      'Pacific/Kiritimati',
    )
    const times = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) })
    await fc.assert(
      fc.asyncProperty(zones, times, async (zone, ms) => {
        const read = await db.transact(async (tx) => {
          await sql`select set_config('TimeZone', ${zone}, true)`.execute(tx)
          return sql<{ at: number }>`select ${instant(ms)}::timestamptz as at`.execute(tx)
        })
        expect(read.rows).toEqual([{ at: ms }])
      }),
      { numRuns: 50 },
    )
  })
})

describe('a connection', () => {
  test('has its bounds set on the server', async () => {
    const db = open()
    expect(
      await run(
        db,
        `select name, setting from pg_settings where name in
          ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout', 'application_name', 'lock_timeout')
          order by 1`,
      ),
    ).toEqual([
      { name: 'application_name', setting: 'db-test' },
      { name: 'idle_in_transaction_session_timeout', setting: '15000' },
      { name: 'lock_timeout', setting: '0' },
      { name: 'statement_timeout', setting: '15000' },
      { name: 'transaction_timeout', setting: '20000' },
    ])
  })

  test('has no bounds while a test holds its transaction, and has them again', async () => {
    const db = open({ poolSize: 1 })
    const bounds = sql<{ setting: string }>`select setting from pg_settings
      where name in ('transaction_timeout', 'idle_in_transaction_session_timeout') order by 1`
    const held: unknown[] = []
    const release = await holdTransaction(db, async (tx) => held.push(...(await bounds.execute(tx)).rows))
    await release()

    expect(held).toEqual([{ setting: '0' }, { setting: '0' }])
    expect((await bounds.execute(db.writer)).rows).toEqual([{ setting: '15000' }, { setting: '20000' }])
  })

  test('is watched by TCP on the server’s side too, so that a client that vanished holds no lock', async () => {
    const rows = await run<{ name: string; setting: string }>(
      open(),
      `select name, reset_val as setting from pg_settings where name like 'tcp\\_%' order by 1`,
    )
    expect(rows).toEqual([
      { name: 'tcp_keepalives_count', setting: '3' },
      { name: 'tcp_keepalives_idle', setting: '10' },
      { name: 'tcp_keepalives_interval', setting: '5' },
      { name: 'tcp_user_timeout', setting: '20000' },
    ])
  })

  test('waits for a lock no longer than it is told, and a transaction tries again', async () => {
    const db = open({ poolSize: 2, lockTimeoutMs: 100 })
    const lock = (tx: Tx) => sql`lock table spent_jtis`.execute(tx)
    let tries = 0
    await db.transact(async (holder) => {
      await lock(holder)
      const waiting = db.transact(async (tx) => {
        tries += 1
        await lock(tx)
      })
      const error = await waiting.catch((failure: unknown) => failure)
      expect({ state: sqlState(error), away: isDatabaseAway(error) }).toEqual({ state: '55P03', away: true })
    })
    expect(tries).toBe(5)
  })

  test('that breaks while it rests is reported, and another one takes its place', async () => {
    const { promise: lost, resolve } = Promise.withResolvers<Error>()
    const db = open({ onConnectionLost: resolve })
    const [{ pid } = { pid: 0 }] = await run<{ pid: number }>(db, 'select pg_backend_pid() as pid')

    await run(open(), `select pg_terminate_backend(${pid})`)

    expect(sqlState(await lost)).toBe('57P01')
    const [after] = await run<{ pid: number }>(db, 'select pg_backend_pid() as pid')
    expect(after?.pid).not.toBe(pid)
  })

  test('that breaks at work fails its statement and not the process, and another one takes its place', async () => {
    const db = open()
    const [{ pid } = { pid: 0 }] = await run<{ pid: number }>(db, 'select pg_backend_pid() as pid')
    const broken = run(db, 'select pg_sleep(30)').catch((error: unknown) => String(error))
    const other = open()
    for (let asleep = false; !asleep; ) {
      const [row] = await run<{ wait: string | null }>(
        other,
        `select wait_event as wait from pg_stat_activity where pid = ${pid}`,
      )
      asleep = row?.wait === 'PgSleep'
    }
    await run(other, `select pg_terminate_backend(${pid})`)
    expect(await broken).toMatch(/terminat/)

    // The pool may hand out the dying connection once more before its socket closes.
    const again = () => run<{ pid: number }>(db, 'select pg_backend_pid() as pid')
    const [after] = await again().catch(again)
    expect(after?.pid).not.toBe(pid)
  })
})

describe('a database that is away', () => {
  const failing = (url: string, statement: string) =>
    run(open({ url }), statement).then(
      () => 'answered',
      (error: unknown) => error,
    )
  const raising = (state: string) => `do $$ begin raise exception 'no' using errcode = '${state}'; end $$`

  test.each(['08006', '25006', '53300', '53100', '55P03', '57014', '57P01', '57P02', '57P03'])(
    'is what an error of SQLSTATE %s means',
    async (state) => expect(isDatabaseAway(await failing(database.url, raising(state)))).toBe(true),
  )

  test('loses the connections from before a failover once one of them is read-only', async () => {
    const db = open()
    const name = new URL(database.url).pathname.slice(1)
    const insert = () => run(db, `insert into spent_jtis values (gen_random_uuid(), now()) returning 1 as n`)
    // The operator's session existed before, so the setting does not apply to it.
    const operator = open()
    await run(operator, `alter database ${name} set default_transaction_read_only = on`)
    await expect(insert()).rejects.toMatchObject({ code: '25006' })
    await run(operator, `alter database ${name} reset default_transaction_read_only`)
    expect(await insert()).toEqual([{ n: 1 }])
  })

  test.each(['22P02', '23505', '40001', '40P01', '42P01', 'P0001'])(
    'is not what an error of SQLSTATE %s means',
    async (state) => expect(isDatabaseAway(await failing(database.url, raising(state)))).toBe(false),
  )

  test('is a refused connection, but only one to the database', async () => {
    const refused = await failing('postgres://postgres@127.0.0.1:1/postgres', 'select 1')
    expect(refused).toBeInstanceOf(DatabaseAwayError)
    expect(isDatabaseAway(refused)).toBe(true)
    const elsewhere = await fetch('http://127.0.0.1:1').catch((error: unknown) => error)
    expect(isDatabaseAway(elsewhere)).toBe(false)
    expect(isDatabaseAway(new Error('of our own'))).toBe(false)
  })
})

test('the state of an error is its SQLSTATE, and null where there is none', () => {
  expect([
    sqlState({ code: '40001' }),
    sqlState({ code: 5 }),
    sqlState(new Error('x')),
    sqlState(null),
  ]).toEqual(['40001', null, null, null])
})
