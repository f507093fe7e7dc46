import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillBigTables, planBigTables } from './big-tables.ts'
import { type Cost, costsOf } from './explain.ts'
import { hotBatches } from './hot-batches.ts'
import { hotReads } from './hot-reads.ts'
import { hotStaff } from './hot-staff.ts'
import { hotWrites } from './hot-writes.ts'
import { approveAll, billAndPay, meetAndErase, payAndRefund, sellOnPages } from './lives.ts'
import { onOneConnection, rowsRead } from './rows-read.ts'
import { openWorld, type World } from './world.ts'

/** `npx pnpm@12 test:million` sets this to a million. */
const ROWS = Number(process.env['HOT_QUERY_ROWS'] ?? 100_000)
const FILL_TIMEOUT_MS = 900_000
/** Partitions smaller than this may be scanned. */
const BIG = 1_000
/** About a hundred, plus dead index entries while any backend of the server holds an older snapshot. */
const LIFE_ROWS_READ_MAX = 1_000

const big = planBigTables(ROWS, Date.now())

let world: World
beforeAll(async () => {
  world = await onOneConnection(await openWorld())
  await fillBigTables(world.url, big)
}, FILL_TIMEOUT_MS)
afterAll(() => world.stop())

/** The tables of thousands of rows that were scanned, and the pages that a statement touched beyond its share. */
async function excessOf(costs: readonly Cost[], pagesMax: number) {
  if (costs.length === 0) throw new Error('nothing was run')
  const scanned = [...new Set(costs.flatMap((cost) => cost.scanned))]
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relname = any (${scanned}::text[]) and reltuples > ${BIG}::integer`.execute(world.db.writer)
  const pages = Math.max(...costs.map(({ buffers }) => buffers))
  return { bigScans: rows.map(({ name }) => name), pagesOver: Math.max(0, pages - pagesMax) }
}

const none = { bigScans: [], pagesOver: 0 }

describe(`among ${ROWS} rows of each table, no big one is read from end to end, and few pages are touched, for`, () => {
  test.each(Object.entries({ ...hotReads, ...hotWrites, ...hotStaff, ...hotBatches }))(
    '%s',
    async (_name, [pagesMax, run]) => {
      expect(await excessOf(await costsOf(world, (db) => run(db, big)), pagesMax)).toEqual(none)
    },
  )
})

/** Days before the rows, so that no row is due in the worker's queues. */
const LIVED_BEFORE_MS = 10 * 24 * 3_600_000

describe(`among ${ROWS} rows of each table, few are read by all statements of`, () => {
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
