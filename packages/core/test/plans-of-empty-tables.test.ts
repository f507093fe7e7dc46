import type { Tx } from '@merchant-payments/db'
import { type CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { fillBigTables, planBigTables, stopAutovacuum } from './big-tables.ts'
import { onConnection, type PlannedStatement, planForGood, statementsOf } from './explain.ts'
import { hotBatches } from './hot-batches.ts'
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
const SETTLED_ROWS = 5_000
/** For passes of the worker: none reads the whole queue, but a batch may be compared with itself. */
const BATCH_ROWS_READ_MAX = ROWS / 2
/** Each step of a plan counts its rows, so a bounded number of look-ups by key can exceed the limit of its state. */
const rowsOfLookUps: Readonly<Record<string, number>> = {
  // 10 001 charges and their payments, in sixteen steps.
  'staff: the count of the payments of a payer who has them all': 170_000,
}
/** Rows that each queue still has when its payments are over. */
const LEFT = 3
const queues = ['charge_jobs', 'refund_jobs', 'fanout_jobs', 'delivery_jobs', 'customer_erasures']
const FILL_TIMEOUT_MS = 300_000

const big = planBigTables(ROWS, Date.now())
const hot = { ...hotReads, ...hotWrites, ...hotStaff, ...hotBatches }

let statements: ReadonlyMap<string, readonly CompiledQuery[]>
beforeAll(async () => {
  const full = await onOneConnection(await openWorld())
  await fillBigTables(full.url, big)
  const found = new Map<string, CompiledQuery[]>()
  for (const [name, [, run]] of Object.entries(hot)) {
    found.set(name, await statementsOf(full, (db) => run(db, big)))
  }
  statements = found
  await full.stop()
}, FILL_TIMEOUT_MS)

interface EmptyState {
  readonly empty: (world: World) => Promise<void>
  readonly rowsReadMax: number
}

/**
 * An empty table can still have pages. One that never had a row has none, and the planner treats it differently. A table of
 * payments that are all over is large, and the indexes of what waits are nearly empty. Counting the depths of all queues reads
 * some of them. No statement reads a whole table for each row of its batch.
 */
const states: Readonly<Record<string, EmptyState>> = {
  'were drained of their rows': { empty: drain, rowsReadMax: 2 * ROWS },
  'had payments, all of them over': { empty: settle, rowsReadMax: 2 * ROWS },
  // Made for ten pages, some plans read a table whole up to three times. They last until the next call of the floor.
  'had never had a row': { empty: () => Promise.resolve(), rowsReadMax: 4 * ROWS },
}

describe.each(Object.entries(states))('planned when its tables %s', (_, { empty, rowsReadMax }) => {
  let grown: World
  const read = new Map<string, number>()

  beforeAll(async () => {
    grown = await openWorld()
    await stopAutovacuum(grown.owner.writer)
    await empty(grown)
    await keepPlannerFloor(grown.db.writer)
    await onConnection(grown, async (connection) => {
      const planned: [string, PlannedStatement][] = []
      for (const [name, some] of statements) {
        for (const statement of some) planned.push([name, await planForGood(connection, statement)])
      }
      await deleteRows(grown.owner)
      await fillBigTables(grown.url, big, 'grown')
      for (const [name, plan] of planned) {
        const { rows } = await plan.execute()
        read.set(name, Math.max(rows, read.get(name) ?? 0))
      }
    })
  }, FILL_TIMEOUT_MS)
  afterAll(() => grown.stop())

  describe(`and run among ${ROWS} rows of each, few rows are read by`, () => {
    test.each(Object.keys(hot))('%s', (name) => {
      const max = Math.max(rowsReadMax, rowsOfLookUps[name] ?? 0)
      expect(read.get(name)).toBeLessThan(name in hotBatches ? BATCH_ROWS_READ_MAX : max)
    })
  })
})

/** Leaves each table like a drained queue that was vacuumed: it had rows and has none. */
async function drain({ url, owner }: World): Promise<void> {
  await fillBigTables(url, planBigTables(DRAINED_ROWS, Date.now()))
  await deleteRows(owner)
  await sql`vacuum (analyze)`.execute(owner.writer)
}

/** Leaves payments that are over, and a few rows in each queue. */
async function settle({ url, owner }: World): Promise<void> {
  await fillBigTables(url, planBigTables(SETTLED_ROWS, Date.now()))
  await withoutTriggers(owner, async (tx) => {
    await sql`update payment_intents set status = 'succeeded'`.execute(tx)
    await sql`update charges set status = 'succeeded'`.execute(tx)
    await sql`update deliveries set status = 'succeeded'`.execute(tx)
    await sql`update checkout_sessions set status = 'expired'`.execute(tx)
    await sql`update refunds set instruction = 'accepted'`.execute(tx)
    for (const name of queues) {
      const queue = sql.table(name)
      await sql`delete from ${queue} where ctid <> all (array(select ctid from ${queue} limit ${LEFT}))`.execute(
        tx,
      )
    }
  })
  await sql`vacuum (analyze)`.execute(owner.writer)
}

async function deleteRows(owner: World['owner']): Promise<void> {
  const names = await namesOfTables(owner)
  await withoutTriggers(owner, async (tx) => {
    for (const name of names) await sql`delete from ${sql.table(name)}`.execute(tx)
  })
}

const withoutTriggers = (owner: World['owner'], work: (tx: Tx) => Promise<void>): Promise<void> =>
  owner.transact(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await work(tx)
  })

async function namesOfTables({ writer }: World['owner']): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname not in ('schema_migrations', 'audit_head')`.execute(writer)
  return rows.map(({ name }) => name)
}

test('the row estimate of a table that a vacuum found nearly empty is raised once no vacuum runs on it', async () => {
  const { db, owner, stop } = await openWorld()
  onTestFinished(stop)
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

test('a table with an empty file is marked as never vacuumed, and gets its row estimate once it has a row', async () => {
  const { db, owner, stop } = await openWorld()
  onTestFinished(stop)
  await stopAutovacuum(owner.writer)
  const read = async () => {
    const { rows } = await sql<{ tuples: number }>`
      select reltuples as tuples from pg_class where oid = 'leases'::regclass`.execute(db.writer)
    return rows[0]?.tuples
  }
  await sql`vacuum leases`.execute(owner.writer)
  expect(await read()).toBe(0)
  await keepPlannerFloor(db.writer)
  expect(await read()).toBe(-1)
  expect(await keepPlannerFloor(db.writer)).toBe(0)
  await sql`insert into leases (name, holder, lease_until) values ('x', gen_random_uuid(), now())`.execute(
    db.writer,
  )
  expect(await keepPlannerFloor(db.writer)).toBe(1)
  expect(await read()).toBe(10_000)
  await sql`vacuum leases`.execute(owner.writer)
  expect(await read()).toBe(1)
  await keepPlannerFloor(db.writer)
  expect(await read()).toBe(10_000)
})
