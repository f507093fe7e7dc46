import type { Reader } from '@merchant-payments/db'
import { type CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { lapseSessions } from '../src/checkout-sessions/lapse.ts'
import { findOverdue } from '../src/checkout-sessions/store.ts'
import { findExpiredKeys, keepPlannerFloor, sweepKeys } from '../src/queue/housekeeping.ts'
import { newWalk, type Round, type Step, type Walk } from '../src/queue/walk.ts'
import { stopAutovacuum } from './big-tables.ts'
import { type Cost, costsOf, onConnection, planForGood, statementsOf } from './explain.ts'
import { PUSH } from './make.ts'
import { onOneConnection, rowsRead } from './rows-read.ts'
import { openWorld, type World } from './world.ts'

/** Steps of a walk over rows that must wait, in front of those that can be swept. */
const STEPS = 10

/** Times that a row of a step is read in a run, or passed on from one node of a plan to another. */
const READS_MAX = 9

let world: World
beforeAll(async () => {
  world = await onOneConnection(await openWorld())
  world.nowMs = Date.now()
  await stopAutovacuum(world.owner.writer)
})
afterAll(() => world.stop())

/** Without triggers and foreign keys. */
const run = (text: string) =>
  world.owner.transact(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql.raw(text).execute(tx)
  })

interface Swept {
  /** Inserts this many rows of a merchant, the nth due n seconds before a time. */
  readonly rows: (merchant: string, count: number, before: string) => string
  /** Rules the merchant's rows out, and lets them in again. */
  readonly hold: (merchant: string) => string
  readonly free: (merchant: string) => string
  readonly table: string
  readonly find: (reader: Reader, round: Round) => Promise<Step<unknown>>
  readonly sweep: (walk: Walk) => Promise<{ readonly full: boolean }>
  /** How many rows of the merchant the sweep has left. */
  readonly left: string
  /** Rows that a step of its walk reads. */
  readonly step: number
}

const moving = {
  hold: (merchant: string) =>
    `insert into merchant_moves (merchant_id, state, move_id, other_cell) values ('${merchant}', 'left', gen_random_uuid(), 'b')`,
  free: (merchant: string) => `delete from merchant_moves where merchant_id = '${merchant}'`,
}

/** Each has a charge that failed. */
const sessions: Omit<Swept, 'hold' | 'free'> = {
  rows: (merchant, count, before) => `
    with i as (
      insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata, client_secret,
        livemode)
      select '${merchant}', uuidv7(), 500, 'XAF', 'processing', '{${PUSH}}', '{}', 'secret', false
      from generate_series(1, ${count}) returning merchant_id, id),
    c as (
      insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at,
        submit_deadline)
      select merchant_id, id, id, '${PUSH}', 'failed', 500, 'XAF', id::text, now(), now() from i)
    insert into checkout_sessions (merchant_id, id, payment_intent_id, status, client_secret, ui_mode, metadata, livemode,
      expires_at)
    select merchant_id, id, id, 'open', 'secret', 'embedded', '{}', false,
      ${before} - make_interval(secs => row_number() over ()) from i`,
  table: 'checkout_sessions',
  find: (reader, round) => findOverdue(reader, round, world.nowMs),
  sweep: (walk) => lapseSessions(world, walk),
  left: `select merchant_id from checkout_sessions where status = 'open'`,
  step: 2_000,
}

const chargesAre = (status: string, merchant: string) =>
  `update charges set status = '${status}' where merchant_id = '${merchant}'`

const sweeps: Readonly<Record<string, Swept>> = {
  'keys of a merchant that has left': {
    rows: (merchant, count, before) => `
      insert into idempotency_keys (merchant_id, scope, key, fingerprint, expires_at)
      select '${merchant}', 'v1', n::text, '', ${before} - make_interval(secs => n) from generate_series(1, ${count}) n`,
    ...moving,
    table: 'idempotency_keys',
    find: (reader, round) => findExpiredKeys(reader, round, world.nowMs),
    sweep: (walk) => sweepKeys(world, walk),
    left: 'select merchant_id from idempotency_keys',
    step: 5_000,
  },
  'sessions of a merchant that has left': { ...sessions, ...moving },
  'sessions of a rail that hangs': {
    ...sessions,
    hold: (merchant) => chargesAre('live', merchant),
    free: (merchant) => chargesAre('failed', merchant),
  },
}

describe.each(Object.entries(sweeps))('behind thousands of %s', (_, swept) => {
  const { rows: rowsOf, hold, free, table, find, sweep, left, step } = swept
  const make = (merchant: string, count: number, beforeMs: number) =>
    run(rowsOf(merchant, count, `to_timestamp(${(world.nowMs - beforeMs) / 1_000})`))
  const leftOf = async (merchant: string) => {
    const { rows } = await sql<{ merchant_id: string }>`${sql.raw(left)}`.execute(world.owner.writer)
    return rows.filter(({ merchant_id: owner }) => owner === merchant).length
  }
  const empty = () => run(`truncate ${table}, payment_intents, merchant_moves, refused_rows cascade`)
  const fill = async () => {
    await make('gone', step * STEPS, 3_600_000)
    await make('here', 3, 0)
    await run(hold('gone'))
  }
  beforeEach(async () => {
    await empty()
    await fill()
  }, 60_000)

  /** @returns the runs of a round, each of which reads a bounded number of rows */
  async function walkOnce(walk: Walk): Promise<number> {
    for (let runs = 1; ; runs += 1) {
      const before = await rowsRead(world)
      const { full } = await sweep(walk)
      expect((await rowsRead(world)) - before).toBeLessThan(step * READS_MAX)
      if (!full) return runs
    }
  }

  test('each row is reached in bounded steps, and the walk ends', async () => {
    const walk = newWalk()
    expect(await walkOnce(walk)).toBe(STEPS + 1)
    expect([await leftOf('here'), await leftOf('gone')]).toEqual([0, step * STEPS])
  })

  test('a row that comes free behind the walk is found by the next one', async () => {
    const walk = newWalk()
    expect(await sweep(walk)).toMatchObject({ full: true })
    await make('late', 1, 86_400_000)
    await walkOnce(walk)
    expect(await leftOf('late')).toBe(1)
    await run(free('gone'))
    await run(hold('here'))
    await walkOnce(walk)
    expect([await leftOf('late'), await leftOf('gone')]).toEqual([0, 0])
  })

  const search = ({ reader }: { reader: Reader }) => find(reader, { untilMs: world.nowMs, after: null })
  const excessOf = (costs: readonly Cost[]) => ({
    reads: costs.map(({ rows }) => rows).filter((rows) => rows > step * READS_MAX),
    scans: costs.flatMap(({ scanned }) => scanned).filter((name) => name === table),
  })
  const none = { reads: [], scans: [] }

  test('the search reads its own step alone, whatever its plan', async () => {
    await run(`analyze ${table}`)
    expect(excessOf(await costsOf(world, search))).toEqual(none)
  })

  test('the search does so by a plan that was made for an empty table', async () => {
    await empty()
    await keepPlannerFloor(world.db.writer)
    const [statement] = await statementsOf(world, search)
    const cost = await onConnection(world, async (connection) => {
      const planned = await planForGood(connection, statement as CompiledQuery)
      await fill()
      return planned.execute()
    })
    expect(excessOf([cost])).toEqual(none)
  })
})
