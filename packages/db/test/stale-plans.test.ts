import { cloneDatabase, type TestDatabase } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import { sql } from 'kysely'
import type pg from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type Database, type DatabaseOptions, isDatabaseAway } from '../src/index.ts'
import { openTestDatabase } from '../src/testing.ts'

const CONNECTIONS = 4

let database: TestDatabase
let owner: pg.Client
let columns = 0
let lost: Error[]
beforeEach(async () => {
  database = await cloneDatabase()
  owner = await connect(database.url)
  await owner.query(`create table shelves (id integer); insert into shelves values (7);
    grant select, update on shelves to merchant_payments_app`)
  lost = []
})
afterEach(async () => {
  await owner.end()
  await database.drop()
})

function open(options: Partial<DatabaseOptions> = {}): Database {
  const db = openTestDatabase(database.appUrl, {
    poolSize: CONNECTIONS,
    applicationName: 'stale-plans',
    onConnectionLost: (error) => lost.push(error),
    ...options,
  })
  onTestFinished(() => db.close())
  return db
}

const migrate = () => owner.query(`alter table shelves add column c_${(columns += 1)} text`)

/** Expands the row, as no statement of the service does, and takes long enough to need a connection of its own. */
const takeAll = sql<{ id: number; pid: number }>`
  update shelves set id = id + ${0}::integer where pg_sleep(0.02) is not null returning *, pg_backend_pid() as pid`
const readAll = sql<{ id: number }>`(select * from shelves where pg_sleep(${0.02}::float8) is not null)`

const atOnce = <T>(run: () => Promise<T>) => Promise.all(Array.from({ length: CONNECTIONS }, run))
const pids = (results: readonly { rows: { pid: number }[] }[]) => results.map(({ rows }) => rows[0]?.pid)

test('a statement whose result a migration has changed runs once more, on every connection of the pool', async () => {
  const db = open()
  const before = pids(await atOnce(() => takeAll.execute(db.writer)))
  await migrate()
  for (const { rows } of await atOnce(() => takeAll.execute(db.writer)))
    expect(rows).toMatchObject([{ id: 7 }])
  const after = pids(await atOnce(() => takeAll.execute(db.writer)))
  expect(after.filter((pid) => before.includes(pid))).toEqual([])
})

test('connections that are older than the change are replaced before they fail too', async () => {
  const db = open()
  await atOnce(() => takeAll.execute(db.writer))
  await migrate()
  for (let n = 0; n < CONNECTIONS; n += 1) await takeAll.execute(db.writer)
  expect(lost).toMatchObject([{ code: '0A000', routine: 'RevalidateCachedQuery' }])
})

test('a transaction runs again as a whole, on another connection', async () => {
  const db = open()
  const work = () =>
    db.transact(async (tx) => {
      await sql`update shelves set id = id + ${1}::integer`.execute(tx)
      return (await takeAll.execute(tx)).rows[0]?.id
    })
  await work()
  await migrate()
  expect(await work()).toBe(9)
  const { rows } = await owner.query('select id from shelves')
  expect(rows).toEqual([{ id: 9 }])
})

test('reads that share a connection run once more, and the connection is replaced', async () => {
  const db = open({ readConnections: 2 })
  const read = () =>
    db.reader
      .selectFrom(readAll.as('r'))
      .selectAll()
      .execute()
      .then(([row]) => row)
  const many = () => Promise.all(Array.from({ length: 40 }, read))
  const connections = async () =>
    (
      await owner.query(
        `select pid from pg_stat_activity where application_name = 'stale-plans' order by pid`,
      )
    ).rows
  await many()
  const before = await connections()
  await migrate()
  for (const row of await many()) expect(row).toMatchObject({ id: 7 })
  await many()
  const after = await connections()
  expect(after.filter(({ pid }) => before.some((old) => old.pid === pid))).toEqual([])
})

test('any other 0A000 is a fault of the statement', async () => {
  const db = open()
  const failed = await sql`select id from shelves group by id for update`
    .execute(db.writer)
    .catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: '0A000' })
  expect([isDatabaseAway(failed), lost]).toEqual([false, []])
})

test('a request whose statement fails twice is told to come again', async () => {
  const named = { name: 'all', text: 'select * from shelves' }
  await owner.query(named)
  await migrate()
  const stale: unknown = await owner.query(named).catch((error: unknown) => error)
  expect(stale).toMatchObject({ code: '0A000' })
  expect(isDatabaseAway(stale)).toBe(true)
})
