import { sql } from 'kysely'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { uuidOf } from '../src/base/ids.ts'
import type { Charge } from '../src/charges/charge.ts'
import { AFTER_WATCH_MS } from '../src/charges/ladder.ts'
import { pullForward } from '../src/charges/store.ts'
import type { QueryOutcome } from '../src/rails/port.ts'
import { declined, makeCharge, makeIntent, paid, REDIRECT, refusal, T0, unavailable } from './make.ts'
import { settleCharges } from './passes.ts'
import { openWorld, readCharge, readIntent, saveCharge, saveIntent } from './world.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const world = await openWorld()
// Removes the jobs that a test left for the worker.
afterEach(() => world.db.transact((tx) => tx.deleteFrom('charge_jobs').execute()))
afterAll(() => world.stop())

const failed: QueryOutcome = { kind: 'failed', decline: declined }
const notFound: QueryOutcome = { kind: 'not_found' }
const pending: QueryOutcome = { kind: 'pending' }
const otherAmount: QueryOutcome = { ...paid, amountMinor: 999 }

async function save(
  status: 'failed' | 'abandoned' | 'live' = 'failed',
  fields: Partial<Charge> = {},
): Promise<Charge> {
  world.nowMs = T0
  world.alerts.length = 0
  world.push.asked.length = 0
  const intent = await saveIntent(world, makeIntent('requires_payment_method', { lastPaymentError: refusal }))
  return saveCharge(world, makeCharge(status, { queryRung: 1, ...fields, intentId: intent.id }))
}

/** Answers by the hours since the charge failed. */
const answerBy = (answer: (hours: number) => QueryOutcome) => {
  world.push.whenAsked = () => answer((world.nowMs - T0) / HOUR_MS)
}

/** Queries the charge each time it is due, until this time. @returns its state, and the times of the queries */
async function askUntil({ id }: Charge, untilMs: number) {
  const askedAt: number[] = []
  for (;;) {
    const charge = await readCharge(world, id)
    const dueMs = charge?.nextQueryAtMs ?? null
    if (dueMs === null || dueMs > untilMs) return { charge, askedAt }
    world.nowMs = Math.max(world.nowMs, dueMs)
    askedAt.push(world.nowMs)
    await settleCharges(world)
  }
}

const callBack = ({ rail, reference }: Charge) =>
  pullForward(world.db.writer, rail, { by: 'reference', value: reference }, world.nowMs)

/** Watches the charge until its watch has ended. */
async function watchToItsEnd(charge: Charge): Promise<void> {
  world.push.whenAsked = () => failed
  await askUntil(charge, T0 + AFTER_WATCH_MS)
  expect((await readCharge(world, charge.id))?.nextQueryAtMs).toBeNull()
  world.push.asked.length = 0
}

const intentStatus = async ({ intentId }: Charge) => (await readIntent(world, intentId))?.status

const stuckAlerts = () => world.alerts.filter(({ name }) => name === 'charge_stuck')

const unknownStatus: QueryOutcome = { kind: 'unknown_status', status: 'HELD' }
const openAnswers = [
  ['unavailable', unavailable],
  ['pending', pending],
  ['an unknown status', unknownStatus],
  ['a success of another amount', otherAmount],
] as const

test.each([
  ['live', pending],
  ['live', unavailable],
  ['failed', failed],
] as const)(
  'queries of a charge that is %s write no row of the ledger while they change nothing',
  async (status, answer) => {
    const charge = await save(status)
    const intent = uuidOf(charge.intentId)
    /** The versions of the rows of the charge and its payment. */
    const versions = async () =>
      (
        await sql`select xmin::text, ctid::text from charges where payment_intent_id = ${intent}::uuid
        union all select xmin::text, ctid::text from payment_intents where id = ${intent}::uuid`.execute(
          world.db.writer,
        )
      ).rows
    const before = await versions()
    expect(before).toHaveLength(2)
    world.push.whenAsked = () => answer
    const { askedAt } = await askUntil(charge, T0 + AFTER_WATCH_MS)
    await callBack(charge)
    expect(askedAt.length).toBeGreaterThan(20)
    expect(await versions()).toEqual(before)
  },
)

describe('the watch of a charge that failed goes on after 48 hours', () => {
  test('until a rail that was away has answered, and finds what was paid meanwhile', async () => {
    const charge = await save()
    answerBy((hours) => (hours >= 46 && hours < 50 ? unavailable : hours >= 47 ? paid : failed))
    await askUntil(charge, T0 + 3 * DAY_MS)
    expect(await intentStatus(charge)).toBe('succeeded')
  })

  test('while its rail says that it is open, and then finds its success', async () => {
    const charge = await save()
    answerBy((hours) => (hours < 72 ? pending : paid))
    await askUntil(charge, T0 + 4 * DAY_MS)
    expect(await intentStatus(charge)).toBe('succeeded')
  })

  test.each(openAnswers)('with %s: hourly for a day, daily for a week, then weekly', async (_, answer) => {
    const charge = await save()
    world.push.whenAsked = () => answer
    const { askedAt } = await askUntil(charge, T0 + 30 * DAY_MS)
    const beyond = askedAt.map((atMs) => atMs - T0 - AFTER_WATCH_MS).filter((ms) => ms >= 0)
    const gaps = beyond.slice(1).map((ms, n) => (ms - (beyond[n] ?? 0)) / HOUR_MS)
    expect(gaps).toEqual([
      ...Array.from({ length: 24 }, () => 1),
      ...Array.from({ length: 6 }, () => 24),
      ...Array.from({ length: 3 }, () => 7 * 24),
    ])
  })

  test.each(openAnswers)(
    'with %s: an alert at its end, and with each daily or weekly query',
    async (_, answer) => {
      const charge = await save()
      world.push.whenAsked = () => answer
      await askUntil(charge, T0 + AFTER_WATCH_MS - 1)
      expect(stuckAlerts()).toEqual([])
      await askUntil(charge, T0 + AFTER_WATCH_MS)
      const alert = { name: 'charge_stuck', facts: { charge: charge.id, rail: charge.rail } }
      expect(stuckAlerts()).toEqual([alert])
      await askUntil(charge, T0 + AFTER_WATCH_MS + DAY_MS - 1)
      expect(stuckAlerts()).toEqual([alert])
      await askUntil(charge, T0 + AFTER_WATCH_MS + 7 * DAY_MS)
      expect(stuckAlerts()).toHaveLength(8)
      await askUntil(charge, T0 + AFTER_WATCH_MS + 14 * DAY_MS)
      expect(stuckAlerts()).toHaveLength(9)
    },
  )

  test.each([failed, notFound])('and ends with the first answer of $kind', async (answer) => {
    const charge = await save('abandoned')
    answerBy((hours) => (hours < 75 ? pending : answer))
    const { charge: ended } = await askUntil(charge, T0 + 30 * DAY_MS)
    expect(ended).toMatchObject({ status: 'abandoned', nextQueryAtMs: null })
    expect(world.nowMs - T0).toBeLessThanOrEqual(4 * DAY_MS)
  })

  test('on a rail that left the configuration, and costs no more than on one that is away', async () => {
    const charge = await save()
    const without = { ...world, rails: new Map() }
    let claimed = 0
    for (world.nowMs = T0; world.nowMs < T0 + 30 * DAY_MS; world.nowMs += HOUR_MS / 2) {
      claimed += (await settleCharges({ ...without, clock: world.clock })).claimed
    }
    expect(claimed).toBeLessThan(100)
    expect((await readCharge(world, charge.id))?.nextQueryAtMs).toBeGreaterThan(world.nowMs - DAY_MS)
  })

  test('but not of a redirect charge whose page was never handed out, because its rail cannot be queried', async () => {
    const charge = await save('failed', { rail: REDIRECT })
    const { charge: ended } = await askUntil(charge, T0 + 30 * DAY_MS)
    expect(ended).toMatchObject({ status: 'failed', nextQueryAtMs: null })
    expect(world.redirect.asked).toEqual([])
    expect(world.alerts).toEqual([])
  })

  test('callbacks raise no additional alert', async () => {
    const charge = await save()
    world.push.whenAsked = () => pending
    await askUntil(charge, T0 + AFTER_WATCH_MS + 3 * DAY_MS)
    const before = stuckAlerts().length
    for (let n = 0; n < 20; n += 1) {
      world.nowMs += 2_000
      await callBack(charge)
      await settleCharges(world)
    }
    expect(stuckAlerts()).toHaveLength(before)
  })
})

describe('a callback about a charge whose watch has ended', () => {
  test.each(['failed', 'abandoned'] as const)(
    'makes the worker ask again about one that %s',
    async (status) => {
      const charge = await save(status)
      await watchToItsEnd(charge)
      world.nowMs = T0 + 60 * HOUR_MS
      world.push.whenAsked = () => paid
      const told: unknown[] = []
      await pullForward(
        world.db.writer,
        charge.rail,
        { by: 'reference', value: charge.reference },
        world.nowMs,
        (requestId) => told.push(requestId),
      )
      expect(told).toEqual([null])
      world.nowMs += 2_000
      expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 1 })
      expect(await intentStatus(charge)).toBe('succeeded')
    },
  )

  test('changes neither the charge nor its payment, and its watch ends again', async () => {
    const charge = await save()
    await watchToItsEnd(charge)
    const intent = await readIntent(world, charge.intentId)
    const before = await readCharge(world, charge.id)
    world.nowMs = T0 + 60 * HOUR_MS
    await callBack(charge)
    expect(await readCharge(world, charge.id)).toEqual({ ...before, nextQueryAtMs: world.nowMs + 2_000 })
    const { askedAt } = await askUntil(charge, T0 + 30 * DAY_MS)
    expect(askedAt).toHaveLength(8)
    expect((askedAt.at(-1) ?? 0) - (askedAt[0] ?? 0)).toBeLessThan(HOUR_MS)
    expect(await readCharge(world, charge.id)).toEqual(before)
    expect(await readIntent(world, charge.intentId)).toEqual(intent)
    expect(world.alerts).toEqual([])
  })

  test('is an alert if the rail then calls the charge open', async () => {
    const charge = await save()
    await watchToItsEnd(charge)
    world.nowMs = T0 + 60 * HOUR_MS
    await callBack(charge)
    world.push.whenAsked = () => pending
    await askUntil(charge, world.nowMs + HOUR_MS)
    expect(stuckAlerts()).toHaveLength(1)
  })

  test('in a flood makes the worker ask no more often than every two seconds', async () => {
    const charge = await save()
    await watchToItsEnd(charge)
    const startMs = T0 + 60 * HOUR_MS
    const askedAt: number[] = []
    world.push.whenAsked = () => {
      askedAt.push(world.nowMs)
      return failed
    }
    for (let ms = 0; ms < 60_000; ms += 50) {
      world.nowMs = startMs + ms
      await callBack(charge)
      await settleCharges(world)
    }
    const gaps = askedAt.slice(1).map((atMs, n) => atMs - (askedAt[n] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2_000)
    expect(askedAt.length).toBeGreaterThan(20)
  })

  test('that comes while its last query is answered is not lost', async () => {
    const charge = await save()
    world.push.whenAsked = () => failed
    await askUntil(charge, T0 + AFTER_WATCH_MS - 1)
    world.nowMs = T0 + AFTER_WATCH_MS
    world.push.whenAsked = async () => {
      await callBack(charge)
      return failed
    }
    await settleCharges(world)
    expect((await readCharge(world, charge.id))?.nextQueryAtMs).toBe(world.nowMs + 2_000)
  })

  test('that waits while its job is deleted makes a new job', async () => {
    const charge = await save('failed', { nextQueryAtMs: T0 })
    await sql`update charge_jobs set lease_until = '2100-01-01'`.execute(world.db.writer)
    let called: Promise<void> = Promise.resolve()
    await world.db.transact(async (tx) => {
      await tx.deleteFrom('charge_jobs').execute()
      called = callBack(charge)
      await waitingForLock()
    })
    await called
    expect((await readCharge(world, charge.id))?.nextQueryAtMs).toBe(world.nowMs + 2_000)
  })

  test('leaves a job at rest as it is', async () => {
    const charge = await save()
    await sql`update charge_jobs set rested_at = now()`.execute(world.db.writer)
    await callBack(charge)
    expect(await readCharge(world, charge.id)).toEqual(charge)
  })
})

/** Until a statement waits for a row. */
async function waitingForLock(): Promise<void> {
  for (;;) {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(world.owner.writer)
    if (rows.length > 0) return
  }
}

describe('money of another amount, as the rail reports it,', () => {
  const reportOf = async ({ id }: Charge) => {
    const { rows } = await sql<{ amount: number; ruled: boolean }>`
      select reported_amount::integer as amount, report_ruled_at is not null as ruled
      from charge_jobs where charge_id = ${uuidOf(id)}::uuid`.execute(world.db.writer)
    return rows
  }
  const resolve = ({ id }: Charge, outcome: 'succeeded' | 'failed') =>
    sql`select from ops_resolve_charge(${id}, ${outcome}, 'line 18 of the statement', 'ada')`.execute(
      world.db.writer,
    )
  const LONG_MS = T0 + 60 * DAY_MS

  test.each([otherAmount, failed, notFound])(
    'is shown until a person rules, also if the rail then answers $kind',
    async (answer) => {
      const charge = await save()
      answerBy((hours) => (hours < 10 ? otherAmount : answer))
      await askUntil(charge, LONG_MS)
      expect(await reportOf(charge)).toEqual([{ amount: 999, ruled: false }])
    },
  )

  test('costs a query a week and no alert of its own, once the rail has closed the charge', async () => {
    const charge = await save()
    answerBy((hours) => (hours < 10 ? otherAmount : failed))
    await askUntil(charge, T0 + 10 * DAY_MS)
    expect(stuckAlerts()).toEqual([])
    expect((await askUntil(charge, LONG_MS)).askedAt.length).toBeLessThan(10)
  })

  test.each([otherAmount, failed])(
    'waits for nobody after a ruling of failed, if the rail then answers $kind',
    async (answer) => {
      const charge = await save()
      world.push.whenAsked = () => otherAmount
      await askUntil(charge, LONG_MS)
      await resolve(charge, 'failed')
      expect(await reportOf(charge)).toEqual([{ amount: 999, ruled: true }])
      await expect(resolve(charge, 'failed')).rejects.toThrow('the charge is already failed')
      world.push.whenAsked = () => answer
      await makeDue(charge)
      await settleCharges(world)
      expect(await readCharge(world, charge.id)).toMatchObject({ status: 'failed', nextQueryAtMs: null })
    },
  )

  test('of a live charge waits for nobody after the ruling that fails the charge, once its watch is over', async () => {
    const charge = await save('live')
    world.push.whenAsked = () => otherAmount
    await askUntil(charge, T0 + HOUR_MS)
    await resolve(charge, 'failed')
    await makeDue(charge)
    await settleCharges(world)
    const failedAtMs = world.nowMs
    await askUntil(charge, failedAtMs + AFTER_WATCH_MS - 1)
    expect(await reportOf(charge)).toEqual([{ amount: 999, ruled: true }])
    await askUntil(charge, failedAtMs + AFTER_WATCH_MS)
    expect(await reportOf(charge)).toEqual([])
  })

  test('waits for a person again, if the rail reports yet another amount', async () => {
    const charge = await save()
    world.push.whenAsked = () => otherAmount
    await askUntil(charge, LONG_MS)
    await resolve(charge, 'failed')
    world.push.whenAsked = () => ({ ...paid, amountMinor: 998 })
    await makeDue(charge)
    await settleCharges(world)
    expect(await reportOf(charge)).toEqual([{ amount: 998, ruled: false }])
  })

  test('is settled by a ruling of success', async () => {
    const charge = await save()
    world.push.whenAsked = () => otherAmount
    await askUntil(charge, LONG_MS)
    await resolve(charge, 'succeeded')
    await makeDue(charge)
    await settleCharges(world)
    expect(await intentStatus(charge)).toBe('succeeded')
  })

  // The ruling makes the job due by the clock of PostgreSQL.
  async function makeDue({ id }: Charge): Promise<void> {
    await sql`update charge_jobs set due_at = '2000-01-01' where charge_id = ${uuidOf(id)}::uuid`.execute(
      world.db.writer,
    )
  }
})
