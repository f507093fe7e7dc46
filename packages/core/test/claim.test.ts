import { instant } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { claimCharges, rescheduleCharges } from '../src/charges/store.ts'
import { claimDeliveries } from '../src/deliveries/claim-store.ts'
import { claimRefunds } from '../src/refunds/store.ts'
import {
  CLAIM_MAX,
  claimJobsInTurn,
  type ClaimOrder,
  LANES_MAX,
  LEASE_MS,
  OLDEST_MAX,
  type ClaimCursor,
  WALKS_MAX,
} from '../src/queue/claim.ts'
import { BACKLOG_MIN } from '../src/queue/claim-by-rail.ts'
import { floorsAt, newFloors, UNKNOWN_RAIL_WAIT_MS } from '../src/queue/floors.ts'
import { costsOf, statementsOf } from './explain.ts'
import { PUSH, T0 } from './make.ts'
import { openWorld } from './world.ts'

const ROWS = 600

const world = await openWorld()
afterAll(() => world.stop())

// ROWS jobs in each queue, due one second apart from T0 on.
beforeEach(async () => {
  await sql`truncate refunds, refund_jobs, charges, charge_jobs, payment_intents, events, deliveries, delivery_jobs cascade`.execute(
    world.owner.writer,
  )
  // A paid intent with a refund of all of it, and with a second charge that is still live.
  await sql`with paid as (
      insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata, client_secret, livemode, refund_reserved)
      select 'm', gen_random_uuid(), 1, 'XAF', 'succeeded', '{push_rail}', '{}', 's', false, 1 from generate_series(1, ${ROWS}::integer)
      returning id
    ),
    paying as (
      insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at, submit_deadline)
      select 'm', gen_random_uuid(), id, 'push_rail', 'succeeded', 1, 'XAF', 'paid-' || id, now(), now() from paid
    )
    insert into refunds (merchant_id, id, payment_intent_id, status, amount, currency, metadata, livemode, opened_at, rail, reference, instruction, submit_deadline)
    select 'm', id, id, 'pending', 1, 'XAF', '{}', false, now(), 'push_rail', id, 'sent', now() from paid`.execute(
    world.db.writer,
  )
  await sql`insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at, submit_deadline)
    select 'm', gen_random_uuid(), id, 'push_rail', 'live', 1, 'XAF', id, now(), now() from payment_intents`.execute(
    world.db.writer,
  )
  await sql`insert into charge_jobs (merchant_id, charge_id, rail, due_at)
    select 'm', id, rail, ${instant(T0)}::timestamptz + make_interval(secs => row_number() over ()) from charges
    where status = 'live'`.execute(world.db.writer)
  await sql`insert into refund_jobs (merchant_id, refund_id, rail, due_at)
    select merchant_id, id, rail, ${instant(T0)}::timestamptz + make_interval(secs => row_number() over ()) from refunds`.execute(
    world.db.writer,
  )
  await sql`insert into events (merchant_id, id, type, body, position)
    select 'm', id, 'invoice.paid', '{}', row_number() over () from payment_intents`.execute(world.db.writer)
  await sql`insert into deliveries (merchant_id, event_id, endpoint_id, id, status, created_at)
    select 'm', id, 'hook', id, 'pending', now() from events`.execute(world.db.writer)
  await sql`insert into delivery_jobs (delivery_id, merchant_id, event_id, endpoint_id, due_at)
    select id, 'm', id, 'hook', ${instant(T0)}::timestamptz + make_interval(secs => row_number() over ()) from deliveries`.execute(
    world.db.writer,
  )
})

const ours = { known: [PUSH] }

const queues = {
  charge_jobs: async (order: ClaimOrder) =>
    (await claimCharges(world.db.writer, order, ours)).map(({ reference }) => reference),
  refund_jobs: async (order: ClaimOrder) =>
    (await claimRefunds(world.db.writer, order, ours)).map(({ payout }) => payout.reference),
  delivery_jobs: async (order: ClaimOrder) =>
    (await claimDeliveries(world.db.writer, order, [], { behind: null })).map(
      ({ deliveryId }) => deliveryId as string,
    ),
}
const due = {
  charge_jobs: 'due_at',
  refund_jobs: 'due_at',
  delivery_jobs: 'due_at',
} as const

const order = (nowMs: number, limit: number): ClaimOrder => ({ nowMs, limit, leaseUntilMs: nowMs + LEASE_MS })
const allDueMs = T0 + ROWS * 1_000

const leased = async (table: keyof typeof queues) =>
  (
    await sql<{ at: number; until: number }>`select ${sql.ref(due[table])} as at, lease_until as until
      from ${sql.table(table)} where lease_until is not null order by 1`.execute(world.db.writer)
  ).rows

describe.each(Object.keys(queues) as (keyof typeof queues)[])('a claim of %s', (table) => {
  const claim = queues[table]

  test('never hands one row to two claimers, of forty at once', async () => {
    const drain = async () => {
      const mine: string[] = []
      for (;;) {
        const rows = await claim(order(allDueMs, 7))
        if (rows.length === 0) return mine
        mine.push(...rows)
      }
    }
    const claimed = (await Promise.all(Array.from({ length: 40 }, drain))).flat()
    expect(claimed).toHaveLength(ROWS)
    expect(new Set(claimed).size).toBe(ROWS)
  })

  test('takes what is due, the oldest first, and leases it', async () => {
    expect(await claim(order(T0 + 20_000, 5))).toHaveLength(5)
    const until = T0 + 20_000 + LEASE_MS
    expect(await leased(table)).toEqual([1, 2, 3, 4, 5].map((sec) => ({ at: T0 + sec * 1_000, until })))
    expect(await claim(order(T0 + 7_000, 100))).toHaveLength(2)
  })

  test('takes a leased row again from the end of its lease, and no sooner', async () => {
    const first = await claim(order(T0 + 5_000, 5))
    expect(await claim(order(T0 + 5_000 + LEASE_MS - 1, 5))).not.toEqual(
      expect.arrayContaining(first.slice(0, 1)),
    )
    const again = await claim(order(T0 + 5_000 + LEASE_MS, 5))
    expect(again.toSorted()).toEqual(first.toSorted())
  })

  test('passes over a row that another transaction has locked, without waiting for it', async () => {
    await world.db.transact(async (tx) => {
      await sql`select from ${sql.table(table)} order by ${sql.ref(due[table])} limit 3 for update`.execute(
        tx,
      )
      await claim(order(T0 + 5_000, 10))
    })
    expect((await leased(table)).map(({ at }) => at - T0)).toEqual([4_000, 5_000])
  })

  test(`takes at most ${CLAIM_MAX}, whatever its limit`, async () => {
    expect(await claim(order(allDueMs, 10_000))).toHaveLength(CLAIM_MAX)
  })

  test('takes no job before it is due', async () => {
    expect(await claim(order(T0 + 999, 10))).toEqual([])
  })
})

test('jobs that are finished, dead or at rest are not claimed', async () => {
  await sql`update delivery_jobs set dead_at = now()`.execute(world.db.writer)
  await sql`update charge_jobs set rested_at = now()`.execute(world.db.writer)
  await sql`update refund_jobs set rested_at = now()`.execute(world.db.writer)
  for (const claim of Object.values(queues)) expect(await claim(order(allDueMs, 10))).toEqual([])
})

test('a busy endpoint waits, and the others do not', async () => {
  await sql`update delivery_jobs set endpoint_id = 'slow' where due_at <= ${instant(T0 + 3_000)}::timestamptz`.execute(
    world.db.writer,
  )
  const jobs = await claimDeliveries(world.db.writer, order(T0 + 5_000, 10), ['m/slow'], { behind: null })
  expect(jobs.map(({ endpointId }) => endpointId)).toEqual(['hook', 'hook'])
})

test('the backlog of one endpoint is not scanned, and delays no other endpoint', async () => {
  const backlog = 20_000
  await sql`insert into delivery_jobs (delivery_id, merchant_id, event_id, endpoint_id, due_at)
    select gen_random_uuid(), 'm', gen_random_uuid(), 'slow', ${instant(T0 - 60_000)}::timestamptz
    from generate_series(1, ${backlog}::integer)`.execute(world.db.writer)
  await sql`analyze delivery_jobs`.execute(world.owner.writer)
  const claim = (busy: string[]) =>
    costsOf(world, async ({ writer }) => {
      const jobs = await claimJobsInTurn(writer, order(allDueMs, 10), busy, { behind: null })
      expect(jobs.filter((job) => job.endpoint_id === 'hook')).toHaveLength(busy.length === 0 ? 5 : 10)
    })

  for (const busy of [['m/slow'], []]) {
    for (const { buffers } of await claim(busy)) expect(buffers).toBeLessThan(400)
  }
})

test('ten thousand endpoints with nothing due cost the claim of one job nothing', async () => {
  await sql`truncate delivery_jobs`.execute(world.owner.writer)
  await sql`insert into delivery_jobs (delivery_id, merchant_id, event_id, endpoint_id, due_at)
    select gen_random_uuid(), 'm' || n, gen_random_uuid(), 'main', ${instant(T0 + 6 * 3_600_000)}::timestamptz
    from generate_series(1, 10000) n`.execute(world.db.writer)
  await sql`insert into delivery_jobs (delivery_id, merchant_id, event_id, endpoint_id, due_at)
    values (gen_random_uuid(), 'm5', gen_random_uuid(), 'other', ${instant(T0)}::timestamptz)`.execute(
    world.db.writer,
  )
  await sql`analyze delivery_jobs`.execute(world.owner.writer)
  const costs = await costsOf(world, async ({ writer }) => {
    const jobs = await claimJobsInTurn(writer, order(T0, 10), [], { behind: null })
    expect(jobs).toMatchObject([{ endpoint_id: 'other' }])
  })
  for (const { buffers } of costs) expect(buffers).toBeLessThan(400)
})

describe('a long backlog of many endpoints', () => {
  const endpoints = 2_000
  const each = 2

  beforeEach(async () => {
    await sql`truncate delivery_jobs`.execute(world.owner.writer)
    await sql`insert into delivery_jobs (delivery_id, merchant_id, event_id, endpoint_id, due_at)
      select gen_random_uuid(), 'm' || n, gen_random_uuid(), 'main', ${instant(T0)}::timestamptz
      from generate_series(1, ${endpoints}::integer) n cross join generate_series(1, ${each}::integer)`.execute(
      world.db.writer,
    )
    await sql`analyze delivery_jobs`.execute(world.owner.writer)
  })

  test('is claimed from some endpoints at a time, and from each before any has a second turn', async () => {
    const cursor: ClaimCursor = { behind: null }
    const claimed: string[] = []
    for (let claims = 0; claims < Math.ceil(endpoints / LANES_MAX); claims += 1) {
      const jobs = await claimJobsInTurn(world.db.writer, order(T0, LANES_MAX), [], cursor)
      claimed.push(...jobs.map((job) => job.merchant_id))
    }
    expect(claimed.length).toBeLessThanOrEqual(endpoints + LANES_MAX)
    expect(new Set(claimed).size).toBe(endpoints)
  })

  test('costs a claim as much as that of a few hundred endpoints', async () => {
    const costs = await costsOf(world, async ({ writer }) => {
      expect(await claimJobsInTurn(writer, order(T0, 64), [], { behind: null })).toHaveLength(64)
    })
    for (const { buffers } of costs) expect(buffers).toBeLessThan(3_000)
  })

  test('a claim that begins behind all due jobs goes on from the first endpoint', async () => {
    const cursor: ClaimCursor = { behind: { merchantId: 'm900', endpointId: 'main' } }
    await sql`update delivery_jobs set due_at = due_at + interval '1 hour' where merchant_id > 'm10'`.execute(
      world.db.writer,
    )
    await sql`insert into delivery_jobs (delivery_id, merchant_id, event_id, endpoint_id, due_at)
      select gen_random_uuid(), 'm1', gen_random_uuid(), 'main', ${instant(T0)}::timestamptz
      from generate_series(1, 300)`.execute(world.db.writer)
    const jobs = await claimJobsInTurn(world.db.writer, order(T0, 10), [], cursor)
    expect(new Set(jobs.map((job) => job.merchant_id))).toEqual(new Set(['m1', 'm10']))
  })

  test('ends with nothing if every endpoint with due jobs is full', async () => {
    await sql`update delivery_jobs set endpoint_id = 'slow', merchant_id = 'm'`.execute(world.db.writer)
    for (const behind of [
      null,
      { merchantId: 'm', endpointId: 'slow' },
      { merchantId: 'a', endpointId: 'b' },
    ]) {
      expect(await claimJobsInTurn(world.db.writer, order(T0, 10), ['m/slow'], { behind })).toEqual([])
    }
  })
})

describe('a claim beside an endpoint that is left out', () => {
  const idle = 3_000
  const quick = { merchant_id: 'q', endpoint_id: 'main' }

  /** Overdue jobs of the endpoint m/slow, a due one of `q`, and endpoints before and behind `q` with nothing due. */
  const insertJobs = async (overdue: number) => {
    await sql`truncate delivery_jobs`.execute(world.owner.writer)
    await sql`insert into delivery_jobs (delivery_id, merchant_id, event_id, endpoint_id, due_at)
      select gen_random_uuid(), 'm', gen_random_uuid(), 'slow', ${instant(T0 - 60_000)}::timestamptz
      from generate_series(1, ${overdue}::integer)
      union all
      select gen_random_uuid(), 'q', gen_random_uuid(), 'main', ${instant(T0)}::timestamptz
      union all
      select gen_random_uuid(), 'n' || n, gen_random_uuid(), 'main', ${instant(T0 + 3_600_000)}::timestamptz
      from generate_series(1, ${idle}::integer) n
      union all
      select gen_random_uuid(), 'z' || n, gen_random_uuid(), 'main', ${instant(T0 + 3_600_000)}::timestamptz
      from generate_series(1, ${idle}::integer) n`.execute(world.db.writer)
    await sql`analyze delivery_jobs`.execute(world.owner.writer)
  }
  const claim = async (cursor: ClaimCursor) => {
    const claimed: { merchant_id: string; endpoint_id: string }[] = []
    const floors = newFloors()
    await floorsAt(floors, world.db.reader, T0)
    const statements = await statementsOf(world, async ({ writer }) => {
      claimed.push(...(await claimJobsInTurn(writer, { ...order(T0, 10), floors }, ['m/slow'], cursor)))
    })
    return { statements: statements.length, claimed }
  }

  test('finds the work of others with one statement while its backlog is not long', async () => {
    await insertJobs(OLDEST_MAX - 2)
    expect(await claim({ behind: null })).toMatchObject({ statements: 1, claimed: [quick] })
  })

  test('has a bounded number of statements, and reaches every endpoint within a bounded number of claims', async () => {
    await insertJobs(10_000)
    const cursor: ClaimCursor = { behind: null }
    const claims = []
    for (let lanes = 0; lanes < 2 * idle; lanes += WALKS_MAX * LANES_MAX) claims.push(await claim(cursor))
    expect(Math.max(...claims.map(({ statements }) => statements))).toBe(WALKS_MAX)
    expect(claims.flatMap(({ claimed }) => claimed)).toMatchObject([quick])
  })
})

test('the backlog of a busy rail is not scanned, and delays no charge of another rail', async () => {
  await sql`insert into charge_jobs (merchant_id, charge_id, rail, due_at)
    select 'm', gen_random_uuid(), 'busy_rail', ${instant(T0 - 60_000)}::timestamptz
    from generate_series(1, 20000)`.execute(world.db.writer)
  await sql`analyze charge_jobs`.execute(world.owner.writer)
  const costs = await costsOf(world, async ({ writer }) => {
    expect(await claimCharges(writer, order(allDueMs, 10), { ...ours, leftOut: ['busy_rail'] })).toHaveLength(
      10,
    )
  })
  for (const { buffers } of costs) expect(buffers).toBeLessThan(400)
})

describe('a merchant’s backlog on a rail', () => {
  const backlog = 5_000
  const ofOther = async (table: 'charge_jobs' | 'refund_jobs', nowMs: number) => {
    await queues[table](order(nowMs, 100))
    const { rows } = await sql`
      select from ${sql.table(table)} where merchant_id = 'other' and lease_until is not null`.execute(
      world.db.writer,
    )
    return rows.length
  }

  /** Jobs that were due in the last minute, a job of another merchant among them, before `newer` others. */
  async function insertBacklog(table: 'charge_jobs' | 'refund_jobs', nowMs: number, newer: number) {
    const key = sql.ref(table === 'charge_jobs' ? 'charge_id' : 'refund_id')
    const insert = (merchant: string, dueMs: number, count: number) =>
      sql`insert into ${sql.table(table)} (merchant_id, ${key}, rail, due_at)
        select ${merchant}, gen_random_uuid(), ${PUSH}, ${instant(dueMs)}::timestamptz from generate_series(1, ${count}::integer)`.execute(
        world.db.writer,
      )
    await insert('m', nowMs - 60_000, backlog)
    await insert('other', nowMs - 1_000, 1)
    await insert('m', nowMs - 500, newer)
    await sql`analyze ${sql.table(table)}`.execute(world.owner.writer)
  }

  test.each([
    ['charge_jobs', 0],
    ['charge_jobs', 200],
    ['refund_jobs', 200],
  ] as const)('delays no job of %s of another merchant that has just become due', async (table, newer) => {
    await insertBacklog(table, allDueMs, newer)
    expect(await ofOther(table, allDueMs)).toBe(1)
  })

  test('below the limit is claimed in the order of due times only', async () => {
    expect(
      await claimCharges(world.db.writer, order(T0 + (BACKLOG_MIN - 1) * 1_000, 100), ours),
    ).toHaveLength(100)
    expect((await leased('charge_jobs')).map(({ at }) => at)).toEqual(
      Array.from({ length: 100 }, (_, n) => T0 + (n + 1) * 1_000),
    )
  })

  test('is claimed too, from its oldest job on', async () => {
    await insertBacklog('charge_jobs', allDueMs, 200)
    await claimCharges(world.db.writer, order(allDueMs, 100), ours)
    const { rows } = await sql<{ n: number }>`
      select count(*)::integer as n from charge_jobs
      where lease_until is not null and due_at <= ${instant(T0 + 50_000)}::timestamptz`.execute(
      world.db.writer,
    )
    expect(rows).toEqual([{ n: 50 }])
  })
})

test.each(['charge_jobs', 'refund_jobs'] as const)(
  'a job of %s on a rail that this worker does not know is left to others for a minute',
  async (jobs) => {
    const claim = jobs === 'charge_jobs' ? claimCharges : claimRefunds
    const claimed = (atMs: number, known: readonly string[]) =>
      claim(world.db.writer, order(atMs, 1), { known }).then(({ length }) => length)
    const dueAtMs = T0 + 1_000
    expect(await claimed(dueAtMs + UNKNOWN_RAIL_WAIT_MS - 1, ['other_rail'])).toBe(0)
    expect(await claimed(dueAtMs + UNKNOWN_RAIL_WAIT_MS, ['other_rail'])).toBe(1)
    expect(await claimed(dueAtMs + 1_000, [PUSH])).toBe(1)
  },
)

test('a row that was finished can be claimed again when it is due again', async () => {
  const claimOrder = order(T0 + 1_000, 1)
  const [charge] = await claimCharges(world.db.writer, claimOrder, ours)
  if (charge === undefined) throw new Error('nothing was due')
  const later = { charge, nextQueryAtMs: T0 + 1_900, queryRung: 1, notFoundCount: 0, reported: null }
  await rescheduleCharges(world.db.writer, [later], claimOrder.leaseUntilMs, T0 + 1_500)
  const again = await claimCharges(world.db.writer, order(T0 + 1_900, 1), ours)
  expect(again.map(({ queryRung }) => queryRung)).toEqual([1])
})
