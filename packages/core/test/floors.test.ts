import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { MINUTE_MS } from '../src/base/clock.ts'
import { claimReturns } from '../src/charge-returns/store.ts'
import { claimCharges } from '../src/charges/store.ts'
import { claimErasures } from '../src/customers/erasure/jobs-store.ts'
import { findDueFanouts } from '../src/events/store.ts'
import { type ClaimOrder, claimJobsInTurn, LEASE_MS } from '../src/queue/claim.ts'
import { readDueWork } from '../src/queue/due-work.ts'
import { type Floors, floorsAt, newFloors } from '../src/queue/floors.ts'
import { claimRefunds } from '../src/refunds/store.ts'
import { costsOf } from './explain.ts'
import { makeRefunds, PUSH } from './make.ts'
import { hold, openWorld, untilWaiting } from './world.ts'

const world = await openWorld()
world.push.refunds = makeRefunds()
afterAll(() => world.stop())

const run = (text: string) => sql.raw(text).execute(world.owner.writer)
beforeEach(() =>
  run(
    'truncate charge_jobs, refund_jobs, return_jobs, fanout_jobs, delivery_jobs, customer_erasures, merchant_moves',
  ),
)

const uuids = 'gen_random_uuid(), gen_random_uuid()'
const railJobs = (table: string, key: string) => ({
  table,
  columns: `merchant_id, ${key}, rail`,
  values: `'acme', gen_random_uuid(), '${PUSH}'`,
})
const queues = {
  charges: railJobs('charge_jobs', 'charge_id'),
  refunds: railJobs('refund_jobs', 'refund_id'),
  returns: railJobs('return_jobs', 'return_id'),
  events: { table: 'fanout_jobs', columns: 'merchant_id, event_id', values: `'acme', gen_random_uuid()` },
  deliveries: {
    table: 'delivery_jobs',
    columns: 'merchant_id, endpoint_id, delivery_id, event_id',
    values: `'acme', 'main', ${uuids}`,
  },
  erasures: {
    table: 'customer_erasures',
    columns: 'merchant_id, customer_id, begun_at, keeps_row, clearing',
    values: `'acme', gen_random_uuid(), now(), true, 'events'`,
  },
}
type Queue = keyof typeof queues
const names = Object.keys(queues) as Queue[]

/** Inserts jobs, one millisecond apart, of which the last one was due at this time. */
const insertJobs = (queue: Queue, lastAtMs: number, jobs = 1) => {
  const { table, columns, values } = queues[queue]
  return run(`
    insert into ${table} (${columns}, due_at)
    select ${values}, to_timestamp(${lastAtMs / 1_000}) - make_interval(secs => n / 1000.0)
    from generate_series(0, ${jobs - 1}) n`)
}

const orderAt = (nowMs: number, floors: Floors): ClaimOrder => ({
  nowMs,
  limit: 10,
  leaseUntilMs: nowMs + LEASE_MS,
  floors,
})
const known = { known: [PUSH] }
type Handles = Parameters<Parameters<typeof costsOf>[1]>[0]
const claims: Readonly<Record<Queue, (handles: Handles, order: ClaimOrder) => Promise<unknown>>> = {
  charges: ({ writer }, order) => claimCharges(writer, order, known),
  refunds: ({ writer }, order) => claimRefunds(writer, order, known),
  returns: ({ writer }, order) => claimReturns(writer, order, known),
  events: ({ reader }, { nowMs, limit, floors }) => findDueFanouts(reader, nowMs, limit, floors),
  deliveries: ({ writer }, order) => claimJobsInTurn(writer, order, [], { behind: null }),
  erasures: async ({ writer }, { nowMs, limit, floors = newFloors() }) =>
    claimErasures(writer, limit, (await floorsAt(floors, writer, nowMs)).erasures),
}

const isFound = async (queue: Queue, nowMs: number, floors: Floors): Promise<boolean> =>
  (await readDueWork(world.db.reader, nowMs, world.rails, [], floors))[queue]

test('jobs that are gone cost claims and looks nothing, although a transaction keeps its old snapshot', async () => {
  const nowMs = Date.now()
  await world.owner.transact(async (tx) => {
    await sql`set transaction isolation level repeatable read`.execute(tx)
    await sql.raw('set local idle_in_transaction_session_timeout = 0').execute(tx)
    await sql`select from merchant_moves`.execute(tx)
    for (const queue of names) {
      const { table } = queues[queue]
      await insertJobs(queue, nowMs - 10 * MINUTE_MS, 20_000)
      await run(`delete from ${table}`)
      await insertJobs(queue, nowMs - 1_000)
    }
    const floors = newFloors()
    await floorsAt(floors, world.db.reader, nowMs)
    for (const queue of names) {
      const costs = await costsOf(world, (handles) => claims[queue](handles, orderAt(nowMs, floors)))
      expect({ queue, buffers: costs.map(({ buffers }) => buffers).filter((some) => some >= 100) }).toEqual({
        queue,
        buffers: [],
      })
      await run(`update ${queues[queue].table} set due_at = due_at + interval '1 hour'`)
    }
    const looks = await costsOf(world, ({ reader }) => readDueWork(reader, nowMs, world.rails, [], floors))
    for (const { buffers } of looks) expect(buffers).toBeLessThan(200)
  })
})

test.each(names)('a job of %s that comes below the floor is found within a minute', async (queue) => {
  const nowMs = Date.now()
  const floors = newFloors()
  await floorsAt(floors, world.db.reader, nowMs)
  await insertJobs(queue, nowMs - MINUTE_MS)
  expect(await isFound(queue, nowMs, floors)).toBe(true)
  await run(`truncate ${queues[queue].table}`)
  await insertJobs(queue, nowMs - MINUTE_MS - 1)
  expect(await isFound(queue, nowMs, floors)).toBe(false)
  await expect.poll(() => isFound(queue, nowMs + MINUTE_MS, floors)).toBe(true)
})

test('a locked queue holds up no claim of another', async () => {
  const nowMs = Date.now()
  const floors = newFloors()
  await floorsAt(floors, world.db.reader, nowMs)
  await insertJobs('charges', nowMs)
  const free = await hold({ db: world.owner }, sql`lock table delivery_jobs in access exclusive mode`)
  const claimed = claimCharges(world.db.writer, orderAt(nowMs + MINUTE_MS, floors), known)
  await untilWaiting(world)
  await claimed
  await free()
  await floors.last?.done
  expect(
    await sql`select from charge_jobs where lease_until is not null`.execute(world.db.writer),
  ).toMatchObject({
    rows: { length: 1 },
  })
})

test('a first reading that fails is not repeated by the next claim, and hides no job', async () => {
  const nowMs = Date.now()
  await insertJobs('charges', nowMs - 60 * MINUTE_MS)
  const broken = {
    getExecutor: () => {
      throw new Error('no connection')
    },
  } as unknown as typeof world.db.reader
  const floors = newFloors()
  const none = await floorsAt(floors, broken, nowMs)
  expect(await floorsAt(floors, world.db.reader, nowMs)).toBe(none)
  expect(await isFound('charges', nowMs, floors)).toBe(true)
})

// Fan-outs have no leases, and those of erasures end by PostgreSQL's clock.
test.each(names.filter((queue) => queue !== 'events' && queue !== 'erasures'))(
  'an old job of %s is found as soon as its lease ends',
  async (queue) => {
    const nowMs = Date.now()
    const { table } = queues[queue]
    await insertJobs(queue, nowMs - 60 * MINUTE_MS)
    await run(`update ${table} set lease_until = to_timestamp(${(nowMs + 1_000) / 1_000})`)
    const floors = newFloors()
    expect(await isFound(queue, nowMs, floors)).toBe(false)
    expect(await isFound(queue, nowMs + 1_000, floors)).toBe(true)
    await claims[queue](world.db, orderAt(nowMs + 1_000, floors))
    expect(await isFound(queue, nowMs + 1_000, floors)).toBe(false)
  },
)

test('a claim and a look find the same: the floors of one rail are not those of another', async () => {
  const nowMs = Date.now()
  await insertJobs('charges', nowMs - 60 * MINUTE_MS)
  await run(`update charge_jobs set rail = 'other_rail'`)
  await insertJobs('charges', nowMs - 1_000)
  const floors = newFloors()
  const look = (leftOut: readonly string[]) =>
    readDueWork(world.db.reader, nowMs, world.rails, leftOut, floors)
  const leased = async () =>
    (
      await sql<{
        rail: string
      }>`select rail from charge_jobs where lease_until is not null order by rail`.execute(world.db.writer)
    ).rows.map(({ rail }) => rail)
  expect(await look([PUSH, 'other_rail'])).toMatchObject({ charges: false })
  expect(await look([PUSH])).toMatchObject({ charges: true })
  await claimCharges(world.db.writer, orderAt(nowMs, floors), { ...known, leftOut: [PUSH] })
  expect(await leased()).toEqual(['other_rail'])
  await claimCharges(world.db.writer, orderAt(nowMs, floors), known)
  expect(await leased()).toEqual(['other_rail', PUSH])
  expect(await look([])).toMatchObject({ charges: false })
})

test('a clock that is set back is followed by a new reading', async () => {
  const nowMs = Date.now()
  const floors = newFloors()
  await floorsAt(floors, world.db.reader, nowMs + 60 * MINUTE_MS)
  await insertJobs('events', nowMs - 1_000)
  await expect.poll(() => isFound('events', nowMs, floors)).toBe(true)
})

test('a job is found at once although the clock of this process is ahead', async () => {
  const nowMs = Date.now()
  const floors = newFloors()
  await floorsAt(floors, world.db.reader, nowMs + 60 * MINUTE_MS)
  await insertJobs('erasures', nowMs)
  expect(await isFound('erasures', nowMs + 60 * MINUTE_MS, floors)).toBe(true)
})

test('a reading that fails leaves the older floors, and the next one follows a minute later', async () => {
  const nowMs = Date.now()
  const floors = newFloors()
  await insertJobs('events', nowMs - 10 * MINUTE_MS)
  const first = await floorsAt(floors, world.db.reader, nowMs)
  await run('truncate fanout_jobs')
  await run('alter table delivery_jobs rename to away')
  await floorsAt(floors, world.db.reader, nowMs + MINUTE_MS)
  await floors.last?.done
  await run('alter table away rename to delivery_jobs')
  expect(await floorsAt(floors, world.db.reader, nowMs + MINUTE_MS)).toBe(first)
  await floorsAt(floors, world.db.reader, nowMs + 2 * MINUTE_MS)
  await floors.last?.done
  expect(floors.reading?.fanouts).toBeGreaterThan(first.fanouts)
})
