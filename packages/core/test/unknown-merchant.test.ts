import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillBigTables, planBigTables, stopAutovacuum, truncateBigTables } from './big-tables.ts'
import { costsOf } from './explain.ts'
import { hotBatches } from './hot-batches.ts'
import { hotReads } from './hot-reads.ts'
import { hotStaff } from './hot-staff.ts'
import { hotWrites } from './hot-writes.ts'
import { LIFE_ROWS_READ_MAX, lives, rowsReadByLife } from './lives.ts'
import { onOneConnection } from './rows-read.ts'
import { openWorld, type World } from './world.ts'

// PostgreSQL collects statistics once a tenth of a table has changed. A merchant can have many rows by then.

const ROWS = 100_000
const FILL_TIMEOUT_MS = 300_000

const big = planBigTables(ROWS, Date.now())

let world: World
beforeAll(async () => {
  world = await onOneConnection(await openWorld())
  const { writer } = world.owner
  await stopAutovacuum(writer)
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

// A plan of a statement leaves out what its triggers and foreign keys read.
describe('of a merchant with thousands of rows that no statistics know, few rows are read by all statements of', () => {
  test.each(lives)('%s', async (_, live) => {
    expect(await rowsReadByLife(world, big, live)).toBeLessThan(LIFE_ROWS_READ_MAX)
  })
})
