import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillBigTables, planBigTables } from './big-tables.ts'
import { type Cost, costsOf } from './explain.ts'
import { hotBatches } from './hot-batches.ts'
import { hotReads } from './hot-reads.ts'
import { hotStaff } from './hot-staff.ts'
import { hotWrites } from './hot-writes.ts'
import { LIFE_ROWS_READ_MAX, lives, rowsReadByLife } from './lives.ts'
import { onOneConnection } from './rows-read.ts'
import { openWorld, type World } from './world.ts'

/** `npx pnpm@12 test:million` sets this to a million. */
const ROWS = Number(process.env['HOT_QUERY_ROWS'] ?? 100_000)
const FILL_TIMEOUT_MS = 900_000
/** Partitions smaller than this may be scanned. */
const BIG = 1_000

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

describe(`among ${ROWS} rows of each table, few are read by all statements of`, () => {
  test.each(lives)('%s', async (_, live) => {
    expect(await rowsReadByLife(world, big, live)).toBeLessThan(LIFE_ROWS_READ_MAX)
  })
})
