import { type CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillBigTables, planBigTables } from './big-tables.ts'
import { onConnection, type PlannedStatement, planForGood, statementsOf } from './explain.ts'
import { hotReads } from './hot-reads.ts'
import { hotStaff } from './hot-staff.ts'
import { hotWrites } from './hot-writes.ts'
import { onOneConnection } from './rows-read.ts'
import { openWorld, type World } from './world.ts'
import { keepPlannerFloor } from '../src/queue/housekeeping.ts'

// A queue is empty most of the time, and a connection plans a statement once. The plan must still work after a rail
// has hung for an hour.

const ROWS = 60_000
const DRAINED_ROWS = 200
const FILL_TIMEOUT_MS = 300_000
/** Counting the depths of all queues reads some of them. No statement reads a whole table for each row of its batch. */
const ROWS_READ_MAX = 2 * ROWS

const big = planBigTables(ROWS, Date.now())
const hot = { ...hotReads, ...hotWrites, ...hotStaff }

let full: World
let grown: World
const read = new Map<string, number>()

beforeAll(async () => {
  full = await onOneConnection(await openWorld())
  grown = await openWorld()
  await fillBigTables(full.url, big)
  const statements = new Map<string, CompiledQuery[]>()
  for (const [name, [, run]] of Object.entries(hot)) {
    statements.set(name, await statementsOf(full, (db) => run(db, big)))
  }
  await drain(grown)
  await keepPlannerFloor(grown.db.writer)
  await onConnection(grown, async (connection) => {
    const planned: [string, PlannedStatement][] = []
    for (const [name, some] of statements) {
      for (const statement of some) planned.push([name, await planForGood(connection, statement)])
    }
    await fillBigTables(grown.url, big, 'grown')
    for (const [name, plan] of planned) {
      const { rows } = await plan.execute()
      read.set(name, Math.max(rows, read.get(name) ?? 0))
    }
  })
}, FILL_TIMEOUT_MS)
afterAll(async () => {
  await full.stop()
  await grown.stop()
})

/** Leaves each table like a drained queue that was vacuumed: it had rows and has none. */
async function drain({ url, owner }: World): Promise<void> {
  await fillBigTables(url, planBigTables(DRAINED_ROWS, Date.now()))
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples > 0`.execute(owner.writer)
  for (const { name } of rows) {
    const table = sql.table(name)
    // Only the test collects statistics.
    await sql`alter table ${table} set (autovacuum_enabled = off)`.execute(owner.writer)
    await sql`alter table ${table} disable trigger all`.execute(owner.writer)
    await sql`delete from ${table}`.execute(owner.writer)
    await sql`alter table ${table} enable trigger all`.execute(owner.writer)
  }
  await sql`vacuum (analyze)`.execute(owner.writer)
}

test('a table that a vacuum finds nearly empty is said to be none, once nobody vacuums it', async () => {
  const { db, owner } = grown
  await keepPlannerFloor(db.writer)
  expect(await keepPlannerFloor(db.writer)).toBe(0)
  await sql`vacuum leases`.execute(owner.writer)
  await db.transact(async (tx) => {
    // The lock that a vacuum takes.
    await sql`lock table leases in share update exclusive mode`.execute(tx)
    expect(await keepPlannerFloor(db.writer)).toBe(0)
  })
  expect(await keepPlannerFloor(db.writer)).toBe(1)
})

describe(`planned when its tables were empty, and run among ${ROWS} rows of each, few rows are read by`, () => {
  test.each(Object.keys(hot))('%s', (name) => {
    expect(read.get(name)).toBeLessThan(ROWS_READ_MAX)
  })
})
