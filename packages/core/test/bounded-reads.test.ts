import { openTestDatabase } from '@merchant-payments/db/testing'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import type { MerchantId } from '../src/base/ids.ts'
import { readHealth } from '../src/screens/merchant/store.ts'
import { costsOf } from './explain.ts'
import { ACME } from './make.ts'
import { openWorld } from './world.ts'

const FILL_TIMEOUT_MS = 300_000

const world = await openWorld()
const filler = openTestDatabase(world.url, { namedStatements: false, queryTimeoutMs: FILL_TIMEOUT_MS })
afterAll(async () => {
  await filler.close()
  await world.stop()
})

const NOW = Date.now()
/** Row n is this many milliseconds after the first. */
const STEP_MS = 10
const START_MS = NOW - 3_600_000
const run = (text: string) => sql.raw(text).execute(filler.writer)
// As a restore does: without foreign keys and triggers.
await run('set session_replication_role = replica')
await run('set statement_timeout = 0; set transaction_timeout = 0')

/** The id of row n, which has its time. */
const ID = `(lpad(to_hex(${START_MS}::bigint + n * ${STEP_MS}), 12, '0') || '7000a' || lpad(to_hex(n), 15, '0'))::uuid`

interface Filled {
  readonly table: string
  /** Each column and its value in row n. */
  readonly columns: Readonly<Record<string, string>>
  readonly from?: number
  readonly to: number
}

async function fill({ table, columns, from = 1, to }: Filled) {
  await run(`insert into ${table} (${Object.keys(columns).join(', ')})
    select ${Object.values(columns).join(', ')} from generate_series(${from}, ${to}) n`)
  await run(`vacuum (analyze) ${table}`)
}

/** The most that any of the statements costs, with the plan for its values and with the one for all values. */
async function mostOf(work: Parameters<typeof costsOf>[1]) {
  const costs = await costsOf(world, work)
  return {
    /** Each step of a plan counts the rows that pass it. */
    rows: Math.max(...costs.map(({ rows }) => rows)),
    pages: Math.max(...costs.map(({ buffers }) => buffers)),
  }
}

describe('the health of an endpoint', () => {
  const OTHERS = 150_000
  const deliveries = (endpoint: string, status = 'succeeded') => ({
    merchant_id: `'${ACME}'`,
    event_id: ID,
    endpoint_id: `'${endpoint}'`,
    id: ID,
    status: `'${status}'`,
    created_at: 'now()',
    finished_at: 'now()',
  })
  const attempts = {
    merchant_id: `'${ACME}'`,
    delivery_id: ID,
    number: '1',
    event_id: ID,
    started_at: 'now()',
    duration_ms: '5',
    status_code: '200',
  }
  const healthOf = (endpoint: string) => readHealth(world.db.reader, ACME, endpoint, NOW)

  test(
    'is read in as many pages, however many deliveries the merchant has to its other endpoints',
    async () => {
      // The first three are older than all that is searched.
      await fill({ table: 'deliveries', columns: deliveries('rare'), to: 3 })
      await fill({ table: 'deliveries', columns: deliveries('main'), from: 4, to: OTHERS })
      await fill({ table: 'delivery_attempts', columns: attempts, from: OTHERS - 600, to: OTHERS })
      for (const endpoint of ['new', 'rare']) {
        const { pages } = await mostOf(({ reader }) => readHealth(reader, ACME, endpoint, NOW))
        expect(pages).toBeLessThan(400)
      }
      // The newest five hundred end the search.
      const { rows } = await mostOf(({ reader }) => readHealth(reader, ACME, 'main', NOW))
      expect(rows).toBeLessThan(15_000)
    },
    FILL_TIMEOUT_MS,
  )

  test(
    'says whether the search ended before it had looked at all of its deliveries',
    async () => {
      expect(await healthOf('main')).toMatchObject({ attempts: 500, succeeded: 500, is_cut: false })
      expect(await healthOf('rare')).toMatchObject({ attempts: 0, last_success_at: null, is_cut: true })
      await fill({ table: 'deliveries', columns: deliveries('rare'), from: OTHERS + 1, to: OTHERS + 2 })
      await fill({ table: 'delivery_attempts', columns: attempts, from: OTHERS + 1, to: OTHERS + 2 })
      expect(await healthOf('rare')).toMatchObject({ attempts: 2, succeeded: 2, is_cut: true })
      expect(await readHealth(world.db.reader, 'globex' as MerchantId, 'new', NOW)).toMatchObject({
        attempts: 0,
        is_cut: false,
      })
    },
    FILL_TIMEOUT_MS,
  )
})
