import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillBigTables, planBigTables, truncateBigTables } from './big-tables.ts'
import { costsOf } from './explain.ts'
import { hotBatches } from './hot-batches.ts'
import { hotReads } from './hot-reads.ts'
import { hotStaff } from './hot-staff.ts'
import { hotWrites } from './hot-writes.ts'
import { approveAll, billAndPay, meetAndErase, payAndRefund, sellOnPages } from './lives.ts'
import { onOneConnection, rowsRead } from './rows-read.ts'
import { openWorld, type World } from './world.ts'

// PostgreSQL collects statistics once a tenth of a table has changed. A merchant can have many rows by then.

const ROWS = 100_000
const FILL_TIMEOUT_MS = 300_000

const big = planBigTables(ROWS, Date.now())

let world: World
beforeAll(async () => {
  world = await onOneConnection(await openWorld())
  const { writer } = world.owner
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`.execute(
    writer,
  )
  for (const { name } of rows)
    await sql`alter table ${sql.table(name)} set (autovacuum_enabled = off)`.execute(writer)
  await fillBigTables(world.url, { ...big, some: 'known' })
  await truncateBigTables(writer, big)
  await fillBigTables(world.url, big, 'grown')
  // Its words and digits go from the pending lists of their indexes to the indexes.
  await sql`vacuum customers, charges`.execute(writer)
}, FILL_TIMEOUT_MS)
afterAll(() => world.stop())

describe(`of a merchant with thousands of rows that no statistics know, few pages are touched, for`, () => {
  test.each(Object.entries({ ...hotReads, ...hotWrites, ...hotStaff, ...hotBatches }))(
    '%s',
    async (_, [pagesMax, run]) => {
      const pages = (await costsOf(world, (db) => run(db, big))).map(({ buffers }) => buffers)
      expect(Math.max(...pages)).toBeLessThanOrEqual(pagesMax)
    },
  )
})

/** Days before the rows, so that no row is due in the worker's queues. */
const LIVED_BEFORE_MS = 10 * 24 * 3_600_000
/** Some two hundred, among them those that triggers and foreign keys read. */
const LIFE_ROWS_READ_MAX = 1_000

describe('of a merchant with thousands of rows that no statistics know, few rows are read by all statements of', () => {
  test.each([
    ['a payment, until its refund and their webhooks', payAndRefund],
    ['sessions, one paid, one ended, one over', sellOnPages],
    ['a bill, until paid', billAndPay],
    ['a customer, until erased or removed', meetAndErase],
  ])('%s', async (_, life) => {
    world.nowMs = big.startMs - LIVED_BEFORE_MS
    approveAll(world)
    await life(world)
    const before = await rowsRead(world)
    await life(world)
    expect((await rowsRead(world)) - before).toBeLessThan(LIFE_ROWS_READ_MAX)
  })
})
