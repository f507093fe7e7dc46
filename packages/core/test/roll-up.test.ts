import { instant } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { mintId } from '../src/base/ids.ts'
import { rollUp } from '../src/rollups/roll-up.ts'
import { findResting } from '../src/rollups/store.ts'
import { getAnalytics } from '../src/screens/analytics/queries.ts'
import { statementsOf } from './explain.ts'
import { ACME, makeCharge, makeIntent, PUSH, REDIRECT, T0 } from './make.ts'
import { openWorld, saveCharge, saveIntent } from './world.ts'

const HOUR_MS = 3_600_000

const world = await openWorld()
afterAll(() => world.stop())

/** A payment with a charge that was opened at this time. */
async function pay(
  atMs: number,
  status: 'succeeded' | 'failed' | 'live',
  { tookMs = 20_000, code = null as string | null } = {},
) {
  const id = mintId('pi', atMs)
  const charge = {
    id: mintId('ch', atMs),
    openedAtMs: atMs,
    settledAtMs: status === 'live' ? null : atMs + tookMs,
    acknowledgedAtMs: atMs + 1_000,
    railCode: code,
    nextQueryAtMs: null,
  }
  if (status === 'succeeded') {
    return saveIntent(world, makeIntent('succeeded', { id }), charge)
  }
  const intent = await saveIntent(
    world,
    makeIntent(status === 'live' ? 'processing' : 'requires_payment_method', { id }),
  )
  await saveCharge(world, makeCharge(status, { ...charge, intentId: id }))
  return intent
}

const wanted = { size: 'hour', created: undefined, zone: 'utc', merchantId: null, rail: null } as const
const totals = async (more: Partial<Parameters<typeof getAnalytics>[1]> = {}) =>
  getAnalytics(world, { ...wanted, ...more })

test('charges are counted by the time they were opened, with their outcomes, times and codes', async () => {
  world.nowMs = T0
  for (let n = 1; n <= 10; n += 1) await pay(T0 - n * 1_000, 'succeeded', { tookMs: n * 10_000 })
  await pay(T0 - 11_000, 'failed', { code: 'NOT_ENOUGH_FUNDS' })
  await pay(T0 - 12_000, 'live')
  await rollUp(world)
  const { points, declines, funnel } = await totals({ size: '5m' })
  const opened = points.reduce((sum, point) => sum + point.opened, 0)
  expect(opened).toBe(12)
  expect(points.reduce((sum, point) => sum + point.succeeded, 0)).toBe(10)
  expect(points.reduce((sum, point) => sum + point.amount, 0)).toBe(10 * makeIntent('succeeded').amountMinor)
  expect(declines).toEqual([{ rail: PUSH, code: 'NOT_ENOUGH_FUNDS', count: 1 }])
  expect(funnel).toEqual({ created: 12, sent: 12, approved: 10 })
  const hour = (await totals({ size: 'day' })).points
  const [{ p50_ms: half, p95_ms: most } = { p50_ms: null, p95_ms: null }] = hour
  // A bar of the histogram is 10 % wide.
  expect(Math.abs((half ?? 0) / 50_000 - 1)).toBeLessThan(0.11)
  expect(Math.abs((most ?? 0) / 100_000 - 1)).toBeLessThan(0.11)
})

test('a time is widened to whole buckets, and the answer names the time that was counted', async () => {
  const { nowMs } = world
  onTestFinished(() => {
    world.nowMs = nowMs
  })
  const minute = (n: number) => T0 + 100 * HOUR_MS + n * 60_000
  await pay(minute(44), 'succeeded')
  world.nowMs = minute(61)
  while ((await rollUp(world)).full);
  const counted = async (from: number, until: number, more: Parameters<typeof totals>[0] = {}) => {
    const created = { fromSec: minute(from) / 1_000, untilSec: minute(until) / 1_000 }
    const answer = await totals({ ...more, created })
    const minuteOf = (sec: number) => (sec * 1_000 - minute(0)) / 60_000
    const opened = answer.points.reduce((sum, point) => sum + point.opened, 0)
    return {
      from: minuteOf(answer.from),
      until: minuteOf(answer.until),
      opened,
      created: answer.funnel.created,
    }
  }
  const hour = { from: 0, until: 60, opened: 1, created: 1 }
  expect(await counted(0, 30)).toEqual(hour)
  expect(await counted(30, 60)).toEqual(hour)
  expect(await counted(44, 45, { size: 'day' })).toEqual(hour)
  expect(await counted(43, 44, { size: '5m' })).toEqual({ from: 40, until: 45, opened: 1, created: 1 })
  expect(await counted(46, 50, { size: '5m' })).toEqual({ from: 45, until: 50, opened: 0, created: 0 })
  // A time that ends before it begins counts nothing.
  expect(await counted(50, 40)).toEqual({ from: 0, until: 0, opened: 0, created: 0 })
  // The last hour ends with the present: no charge has been opened later.
  expect(await counted(60, 90)).toEqual({ from: 60, until: 61, opened: 0, created: 0 })
  // The last day has all of the hour in which it begins.
  world.nowMs = minute(24 * 60 + 50)
  const day = await totals()
  expect([day.from, day.points.map(({ opened }) => opened)]).toEqual([minute(0) / 1_000, [1]])
})

test('two workers that make old counts again at once leave the counts as they were', async () => {
  const { nowMs } = world
  onTestFinished(async () => {
    world.nowMs = nowMs
    await begin()
  })
  world.nowMs = T0 + 32 * 24 * HOUR_MS
  const rebuild = async (deps: Parameters<typeof rollUp>[0] = world) => {
    while ((await rollUp(deps)).full);
  }
  const begin = () => sql`delete from rollup_looks`.execute(world.db.writer)
  await begin()
  await rebuild()
  const wantedDays = { created: { fromSec: T0 / 1_000 - 86_400, untilSec: T0 / 1_000 + 86_400 } }
  const before = await totals(wantedDays)
  expect(before.points.length).toBeGreaterThan(0)
  // The other worker makes all counts, and removes old buckets, before the n-th transaction of this one.
  for (let n = 1, isReached = true; isReached; n += 1) {
    await begin()
    let transactions = 0
    const transact: typeof world.db.transact = async (work) => {
      transactions += 1
      if (transactions === n) await rebuild()
      return world.db.transact(work)
    }
    await rebuild({ ...world, db: { ...world.db, transact } })
    isReached = transactions >= n
    expect([n, await totals(wantedDays)]).toEqual([n, before])
  }
})

test('the funnel of a rail counts the payments that offer it, those that it accepted and those paid on it', async () => {
  world.nowMs = T0 + 10 * HOUR_MS
  const atMs = world.nowMs - 1_000
  const offers = { paymentMethodTypes: [PUSH, REDIRECT] }
  const make = (status: 'succeeded' | 'requires_payment_method', more: object) =>
    makeIntent(status, { id: mintId('pi', atMs), ...more })
  const charge = (openedAtMs: number) => ({ id: mintId('ch', openedAtMs), openedAtMs, nextQueryAtMs: null })
  // Declined on one rail and paid on the other, offered and not tried, and without the other rail.
  const both = await saveIntent(world, make('succeeded', offers), {
    ...charge(atMs),
    settledAtMs: atMs,
    rail: REDIRECT,
  })
  await saveCharge(
    world,
    makeCharge('failed', { ...charge(atMs), intentId: both.id, rail: PUSH, acknowledgedAtMs: atMs }),
  )
  await saveIntent(world, make('requires_payment_method', offers))
  await saveIntent(world, make('requires_payment_method', { paymentMethodTypes: [PUSH] }))
  await rollUp(world)
  const created = { fromSec: (world.nowMs - HOUR_MS) / 1_000, untilSec: world.nowMs / 1_000 }
  const funnelOf = async (more: object) => (await totals({ size: '5m', created, ...more })).funnel
  expect(await funnelOf({})).toEqual({ created: 3, sent: 1, approved: 1 })
  for (const merchantId of [null, ACME]) {
    expect(await funnelOf({ merchantId, rail: PUSH })).toEqual({ created: 3, sent: 1, approved: 0 })
    expect(await funnelOf({ merchantId, rail: REDIRECT })).toEqual({ created: 2, sent: 1, approved: 1 })
  }
  expect(await funnelOf({ rail: 'none' })).toEqual({ created: 0, sent: 0, approved: 0 })
})

test('a second run counts nothing twice, and hours agree with five minutes', async () => {
  const before = await totals()
  await rollUp(world)
  expect(await totals()).toEqual(before)
  const sum = (points: readonly { opened: number }[]) => points.reduce((all, { opened }) => all + opened, 0)
  expect(sum((await totals()).points)).toBe(sum((await totals({ size: '5m' })).points))
  expect((await totals({ merchantId: ACME })).points).toEqual(before.points)
  expect((await totals({ rail: 'none' })).points).toEqual([])
})

test('a charge that was settled late is counted again by a later look', async () => {
  world.nowMs = T0 + 30 * HOUR_MS
  const opened = world.nowMs
  const { id } = await pay(opened - 1_000, 'live')
  await rollUp(world)
  const waiting = async () => (await totals()).points.reduce((sum, point) => sum + point.waiting, 0)
  expect(await waiting()).toBe(1)
  // As the settle pass does, but without its rail.
  await sql`
    with moved as (update charges set status = 'failed', settled_at = now(), revision = revision + 1
      where payment_intent_id = ${id.slice(3)}::uuid returning 1)
    update payment_intents set status = 'requires_payment_method', revision = revision + 1
    where id = ${id.slice(3)}::uuid and exists (select from moved)`.execute(world.db.writer)
  world.nowMs += 2 * HOUR_MS
  while ((await rollUp(world)).full);
  expect(await waiting()).toBe(0)
})

test('after its rows were removed, a rebuild counts the same', async () => {
  while ((await rollUp(world)).full);
  const all = {
    size: 'day',
    created: { fromSec: T0 / 1_000 - 86_400, untilSec: Number.MAX_SAFE_INTEGER },
  } as const
  const before = await totals(all)
  expect(before.points.length).toBeGreaterThan(0)
  for (const table of [
    'rollup_looks',
    'charge_rollups',
    'charge_duration_rollups',
    'charge_decline_rollups',
    'intent_rollups',
    'intent_rail_rollups',
  ]) {
    await sql`delete from ${sql.table(table)}`.execute(world.db.writer)
  }
  expect((await totals(all)).points).toEqual([])
  while ((await rollUp(world)).full);
  expect(await totals(all)).toEqual(before)
})

test('five-minute buckets are removed after a month, and hourly ones stay', async () => {
  while ((await rollUp(world)).full);
  const created = { fromSec: T0 / 1_000 - 86_400, untilSec: T0 / 1_000 + 86_400 }
  const sizes = async () => {
    const { rows } = await sql<{ size: number }>`
      select distinct size_min as size from (
        select size_min, bucket from charge_rollups union all select size_min, bucket from charge_duration_rollups
        union all select size_min, bucket from charge_decline_rollups union all select size_min, bucket from intent_rollups
        union all select size_min, bucket from intent_rail_rollups) r
      where bucket < ${instant(T0 + HOUR_MS)}::timestamptz order by 1`.execute(world.db.writer)
    return rows.map(({ size }) => size)
  }
  const before = await totals({ created })
  expect(await sizes()).toEqual([5, 60])
  const { nowMs } = world
  world.nowMs = T0 + 32 * 24 * HOUR_MS
  while ((await rollUp(world)).full);
  expect(await sizes()).toEqual([60])
  expect((await totals({ created })).points).toEqual(before.points)
  const day = { fromSec: T0 / 1_000 - 43_200, untilSec: T0 / 1_000 + 43_200 }
  await expect(totals({ size: '5m', created: day })).rejects.toThrow('must begin in the last 31 days')

  // A rebuild sums the hours from buckets of five minutes that it removes again.
  await sql`delete from rollup_looks`.execute(world.db.writer)
  while ((await rollUp(world)).full);
  expect(await sizes()).toEqual([60])
  expect((await totals({ created })).points).toEqual(before.points)
  world.nowMs = nowMs
})

test('the buckets of a merchant that has moved away stay, because its rows cannot be written, and those of others are removed', async () => {
  const { nowMs } = world
  await sql`delete from rollup_looks`.execute(world.db.writer)
  while ((await rollUp(world)).full);
  const fineOf = async () => {
    const { rows } = await sql<{ merchant: string }>`
      select distinct merchant_id as merchant from charge_rollups
      where size_min = 5 and bucket < ${instant(T0 + HOUR_MS)}::timestamptz order by 1`.execute(
      world.db.writer,
    )
    return rows.map(({ merchant }) => merchant)
  }
  const all = await fineOf()
  expect(all).toContain(ACME)
  await sql`insert into merchant_moves (merchant_id, state, move_id, other_cell)
    values (${ACME}, 'left', gen_random_uuid(), 'cell_b')`.execute(world.owner.writer)
  world.nowMs = T0 + 32 * 24 * HOUR_MS
  while ((await rollUp(world)).full);
  expect(await fineOf()).toEqual([ACME])
  await sql`delete from merchant_moves`.execute(world.owner.writer)
  while ((await rollUp(world)).full);
  expect(await fineOf()).toEqual([])
  world.nowMs = nowMs
})

test('a look that an operator has set to an instant with microseconds goes on from there', async () => {
  const at = instant(world.nowMs - 3 * 24 * HOUR_MS)
  await sql`update rollup_looks set until_at = ${at}::timestamptz + interval '1 microsecond' where look = 'day'`.execute(
    world.owner.writer,
  )
  while ((await rollUp(world)).full);
  const { rows } = await sql<{
    until_at: number
  }>`select until_at from rollup_looks where look = 'day'`.execute(world.owner.writer)
  expect(rows[0]?.until_at).toBeGreaterThan(world.nowMs - 27 * HOUR_MS)
})

test('years without a payment are passed over, and payments on both sides of them are counted', async () => {
  await sql`delete from rollup_looks`.execute(world.db.writer)
  const oldMs = world.nowMs - 3 * 365 * 24 * HOUR_MS
  await pay(oldMs, 'succeeded')
  let transactions = 0
  const transact: typeof world.db.transact = (work) => {
    transactions += 1
    return world.db.transact(work)
  }
  let runs = 0
  do runs += 1
  while ((await rollUp({ ...world, db: { ...world.db, transact } })).full)
  // Three years are 26 298 hours.
  expect(transactions).toBeLessThan(500)
  expect(runs).toBeLessThan(20)
  const old = { fromSec: oldMs / 1_000 - 3_600, untilSec: oldMs / 1_000 + 3_600 }
  expect((await totals({ created: old })).points.reduce((sum, point) => sum + point.succeeded, 0)).toBe(1)
})

test('a run takes as many transactions for fifty merchants as for one, and sums them all', async () => {
  world.nowMs += 100 * HOUR_MS
  const intentOf = (merchant: string) =>
    saveIntent(
      world,
      makeIntent('requires_payment_method', {
        id: mintId('pi', world.nowMs - 1_000),
        merchantId: merchant as typeof ACME,
      }),
    )
  const counted = async () => {
    let transactions = 0
    const transact: typeof world.db.transact = (work) => {
      transactions += 1
      return world.db.transact(work)
    }
    await rollUp({ ...world, db: { ...world.db, transact } })
    return transactions
  }
  while ((await rollUp(world)).full);
  await intentOf('m0')
  const forOne = await counted()
  for (let n = 1; n < 50; n += 1) await intentOf(`m${n}`)
  expect(await counted()).toBe(forOne)
  expect((await totals()).funnel).toEqual({ created: 50, sent: 0, approved: 0 })
  expect((await totals({ merchantId: 'm49' as typeof ACME })).funnel.created).toBe(1)
})

test('a merchant whose counts PostgreSQL refuses rests with an alert, and delays no other', async () => {
  world.nowMs += 100 * HOUR_MS + 60_000
  const other = 'zebra' as typeof ACME
  await saveIntent(
    world,
    makeIntent('requires_payment_method', { id: mintId('pi', world.nowMs), merchantId: other }),
  )
  await saveIntent(world, makeIntent('requires_payment_method', { id: mintId('pi', world.nowMs) }))
  await sql`create function refuse_counts() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`.execute(
    world.owner.writer,
  )
  await sql`create trigger refused before insert on intent_rollups for each row when (new.merchant_id = ${sql.lit(ACME)})
    execute function refuse_counts()`.execute(world.owner.writer)
  await rollUp(world)
  await rollUp(world)
  const refused = world.alerts.filter(({ name }) => name === 'row_refused')
  expect(refused).toEqual([{ name: 'row_refused', facts: { pass: 'roll-up', row: null, error: 'P0001' } }])
  expect((await totals({ merchantId: other })).funnel.created).toBe(1)
  expect((await totals()).funnel.created).toBe(1)
  await sql`drop function refuse_counts() cascade`.execute(world.owner.writer)
})

test('one statement lists the merchants that rest and those that move', async () => {
  const { nowMs } = world
  const dueAt = (ms: number) => sql`${instant(ms)}::timestamptz`
  await sql`delete from refused_rows`.execute(world.owner.writer)
  await sql`
    insert into refused_rows (pass, row_key, refused_at, due_at) values
      ('roll-up', 'rests', now(), ${dueAt(nowMs + 1_000)}), ('roll-up', 'is-due', now(), ${dueAt(nowMs)}),
      ('lapse', 'of-another-pass', now(), ${dueAt(nowMs + 1_000)})`.execute(world.owner.writer)
  await sql`
    insert into merchant_moves (merchant_id, state, move_id, other_cell)
    values ('moves', 'arriving', gen_random_uuid(), 'cell_b')`.execute(world.owner.writer)
  let found: readonly string[] = []
  const statements = await statementsOf(world, async ({ reader }) => {
    found = await findResting(reader, nowMs)
  })
  expect([...found].sort()).toEqual(['moves', 'rests'])
  expect(statements).toHaveLength(1)
})

test('counts of many hours add up beyond 2^31', async () => {
  const most = 900_000_000
  const { writer } = world.db
  const hourMs = Math.floor(world.nowMs / HOUR_MS) * HOUR_MS
  for (const hours of [1, 2, 3]) {
    const key = sql`60, ${instant(hourMs - hours * HOUR_MS)}::timestamptz, 'grand'`
    await sql`insert into intent_rollups (size_min, bucket, merchant_id, created, sent, approved)
      values (${key}, ${most}, ${most}, ${most})`.execute(writer)
    await sql`insert into intent_rail_rollups (size_min, bucket, merchant_id, rail, created, sent, approved)
      values (${key}, ${PUSH}, ${most}, ${most}, ${most})`.execute(writer)
    await sql`insert into charge_rollups (
        size_min, bucket, merchant_id, rail, currency, opened, succeeded, failed, duplicate, waiting, amount)
      values (${key}, ${PUSH}, 'XAF', ${most}, ${most}, ${most}, ${most}, ${most}, ${most})`.execute(writer)
    await sql`insert into charge_decline_rollups (size_min, bucket, merchant_id, rail, code, n)
      values (${key}, ${PUSH}, 'SOME', ${most})`.execute(writer)
  }
  const sum = 3 * most
  const funnel = { created: sum, sent: sum, approved: sum }
  for (const rail of [null, PUSH]) {
    const read = await totals({ size: 'day', merchantId: 'grand' as typeof ACME, rail })
    expect(read).toMatchObject({ funnel, declines: [{ rail: PUSH, code: 'SOME', count: sum }] })
    for (const name of ['opened', 'succeeded', 'failed', 'duplicate', 'waiting', 'amount'] as const)
      expect([name, read.points.reduce((total, point) => total + point[name], 0)]).toEqual([name, sum])
  }
})
