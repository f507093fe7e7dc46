import { sql } from 'kysely'
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Charge } from '../src/charges/charge.ts'
import { AFTER_WATCH_MS, QUERY_INTERVAL_MIN_MS } from '../src/charges/ladder.ts'
import { type ChargeId, uuidOf } from '../src/base/ids.ts'
import type { Intent } from '../src/payment-intents/intent.ts'
import type { QueryOutcome } from '../src/rails/port.ts'
import { declined, heldBack, makeCharge, makeIntent, paid, REDIRECT, T0, unavailable } from './make.ts'
import { settleCharges } from './passes.ts'
import { openWorld, readCharge, readIntent, saveCharge, saveIntent, typesOf } from './world.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const world = await openWorld()
// Removes the jobs that a test left for the worker.
afterEach(() => world.db.transact((tx) => tx.deleteFrom('charge_jobs').execute()))
afterAll(() => world.stop())

interface Pair {
  readonly intent: Intent
  readonly charge: Charge
}

async function save(intent: Intent, ...charges: Charge[]): Promise<Pair> {
  world.nowMs = T0
  world.alerts.length = 0
  await saveIntent(world, intent)
  for (const charge of charges) await saveCharge(world, { ...charge, intentId: intent.id })
  const [charge = makeCharge('live')] = charges
  return { intent, charge }
}

const charge = async (id: ChargeId): Promise<Charge> => {
  const found = await readCharge(world, id)
  if (found === undefined) throw new Error('no such charge')
  return found
}

async function failuresOf({ id }: Charge): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
    select failures from charge_jobs where charge_id = ${uuidOf(id)}::uuid`.execute(world.db.writer)
  return rows[0]?.failures ?? 0
}

/** Queries the charge at this time, due or not, with this answer of the rail. */
async function askAt(id: ChargeId, nowMs: number, outcome: QueryOutcome): Promise<Charge> {
  world.nowMs = nowMs
  world.push.whenAsked = () => outcome
  await world.db.transact((tx) =>
    tx
      .updateTable('charge_jobs')
      .set({ due_at: new Date(T0).toISOString() })
      .execute(),
  )
  await settleCharges(world)
  return charge(id)
}

/** Queries the charge each time it is due, until this time. */
async function askUntil(id: ChargeId, untilMs: number): Promise<Charge> {
  for (;;) {
    const found = await charge(id)
    if (found.nextQueryAtMs === null || found.nextQueryAtMs > untilMs) return found
    world.nowMs = found.nextQueryAtMs
    await settleCharges(world)
  }
}

const notFound: QueryOutcome = { kind: 'not_found' }

describe.each(['submitting', 'unconfirmed'] as const)('not-found, of a charge that is %s,', (status) => {
  const open = () => save(makeIntent('requires_payment_method'), makeCharge(status))
  // `makeCharge` sets the submit's deadline seven seconds after the opening.
  const deadline = T0 + 7_000

  test('fails it after three answers and two minutes from its submit’s deadline', async () => {
    const { intent, charge } = await open()
    await askAt(charge.id, deadline + 1_000, notFound)
    await askAt(charge.id, deadline + 60_000, notFound)
    const failed = await askAt(charge.id, deadline + 120_000, notFound)

    expect(failed).toEqual({
      ...charge,
      intentId: intent.id,
      status: 'failed',
      settledAtMs: deadline + 120_000,
      lastQueryAtMs: deadline + 120_000,
      nextQueryAtMs: deadline + 130_000,
      queryRung: 1,
      notFoundCount: 2,
      revision: 6,
    })
    expect(await readIntent(world, intent.id)).toEqual({
      ...intent,
      lastPaymentError: { code: 'not_accepted', declineCode: null, message: null, rail: charge.rail },
      revision: 4,
    })
    expect(await typesOf(world, intent.id)).toEqual(['payment_intent.payment_failed'])
  })

  test('proves nothing a moment sooner, however often it is said', async () => {
    const { charge } = await open()
    for (let n = 1; n <= 5; n += 1) {
      const { status: now } = await askAt(charge.id, deadline + 119_995 + n, n < 5 ? notFound : unavailable)
      expect(now).toBe(status)
    }
    expect((await askAt(charge.id, deadline + 119_999, notFound)).status).toBe(status)
  })

  test('proves nothing when it was said twice, however late', async () => {
    const { charge } = await open()
    await askAt(charge.id, deadline + HOUR_MS, notFound)
    expect(await askAt(charge.id, deadline + 2 * HOUR_MS, notFound)).toMatchObject({
      status,
      notFoundCount: 2,
    })
    expect((await askAt(charge.id, deadline + 2 * HOUR_MS + 1, notFound)).status).toBe('failed')
  })

  test('is not counted from a rail that cannot be reached', async () => {
    const { charge } = await open()
    await askAt(charge.id, deadline + 1_000, notFound)
    for (let n = 0; n < 5; n += 1) await askAt(charge.id, deadline + HOUR_MS + n, unavailable)
    expect(await askAt(charge.id, deadline + 2 * HOUR_MS, notFound)).toMatchObject({
      status,
      notFoundCount: 2,
    })
  })

  test('is counted from zero after an unknown status word, which changes no state', async () => {
    const { charge } = await open()
    await askAt(charge.id, deadline + 60_000, notFound)
    await askAt(charge.id, deadline + HOUR_MS, notFound)
    const word: QueryOutcome = { kind: 'unknown_status', status: 'MAINTENANCE' }
    expect(await askAt(charge.id, deadline + 2 * HOUR_MS, word)).toMatchObject({ status, notFoundCount: 0 })
    await askAt(charge.id, deadline + 3 * HOUR_MS, notFound)
    await askAt(charge.id, deadline + 4 * HOUR_MS, notFound)
    expect((await askAt(charge.id, deadline + 5 * HOUR_MS, notFound)).status).toBe('failed')
  })

  test('does not fail it while a report of other money waits for a person, whose ruling ends it', async () => {
    const { intent, charge } = await open()
    await askAt(charge.id, deadline + 60_000, notFound)
    await askAt(charge.id, deadline + HOUR_MS, notFound)
    const otherMoney = { ...paid, amountMinor: paid.amountMinor + 1 }
    expect(await askAt(charge.id, deadline + 2 * HOUR_MS, otherMoney)).toMatchObject({
      status,
      notFoundCount: 0,
    })
    for (let hour = 3; hour < 8; hour += 1) {
      expect(await askAt(charge.id, deadline + hour * HOUR_MS, notFound)).toMatchObject({
        status,
        notFoundCount: 0,
        report: { amountMinor: otherMoney.amountMinor, isRuled: false },
      })
    }
    expect(await readIntent(world, intent.id)).toEqual(intent)

    await sql`select from ops_resolve_charge(${charge.id}, 'failed', 'line 18 of the statement', 'ada')`.execute(
      world.db.writer,
    )
    expect((await askAt(charge.id, deadline + 8 * HOUR_MS, notFound)).status).toBe('failed')
  })
})

describe('not-found, of a charge that the rail acknowledged,', () => {
  const askForDays = async (days: number) => {
    const { charge } = await save(makeIntent('processing'), makeCharge('live'))
    world.push.whenAsked = () => notFound
    await askUntil(charge.id, T0 + days * DAY_MS)
    return charge
  }

  test('never fails it', async () => {
    const { id } = await askForDays(30)
    expect(await readCharge(world, id)).toMatchObject({ status: 'live', notFoundCount: 0 })
  })

  test('is an alert once past its approval window, and then once for each slower rung', async () => {
    const { id, rail } = await askForDays(7)
    expect(world.alerts).toEqual(
      Array.from({ length: 4 }, () => ({ name: 'charge_vanished', facts: { charge: id, rail } })),
    )
  })

  test('raises no alert while the payer may still approve', async () => {
    const { charge } = await save(makeIntent('processing'), makeCharge('live'))
    world.push.whenAsked = () => notFound
    await askUntil(charge.id, T0 + 5 * MINUTE_MS)
    expect(world.alerts).toEqual([])
  })
})

describe('a rail that cannot be reached', () => {
  test('moves nothing, in a month of asking, and is asked ever more slowly', async () => {
    const { intent, charge } = await save(makeIntent('processing'), makeCharge('live'))
    world.push.whenAsked = () => unavailable
    world.push.asked.length = 0

    const after = await askUntil(charge.id, T0 + 30 * DAY_MS)

    expect(after).toMatchObject({ status: 'live', revision: charge.revision })
    expect(await readIntent(world, intent.id)).toEqual(intent)
    expect(await typesOf(world, intent.id)).toEqual([])
    expect(world.push.asked.length).toBeLessThan(100)
    expect((after.nextQueryAtMs ?? 0) - (after.lastQueryAtMs ?? 0)).toBe(7 * DAY_MS)
  })

  test('that was not asked, because our own queue was full, changes nothing: the query is due again soon', async () => {
    const { charge, intent } = await save(makeIntent('processing'), makeCharge('live'))
    const nowMs = T0 + 10 * DAY_MS
    expect(await askAt(charge.id, nowMs, heldBack)).toEqual({
      ...charge,
      intentId: intent.id,
      nextQueryAtMs: nowMs + QUERY_INTERVAL_MIN_MS,
    })
    expect(world.alerts).toEqual([])
  })

  test('is an alert at the end of the ladder, and the charge is still settled when the rail is back', async () => {
    const { intent, charge } = await save(makeIntent('processing'), makeCharge('live'))
    world.push.whenAsked = () => unavailable
    await askUntil(charge.id, T0 + 7 * DAY_MS)
    expect(world.alerts).toEqual([])

    await askUntil(charge.id, T0 + 21 * DAY_MS)
    expect(world.alerts.length).toBeGreaterThan(0)
    for (const alert of world.alerts) {
      expect(alert).toEqual({ name: 'charge_stuck', facts: { charge: charge.id, rail: charge.rail } })
    }

    world.push.whenAsked = () => paid
    expect((await askUntil(charge.id, T0 + 60 * DAY_MS)).status).toBe('succeeded')
    expect((await readIntent(world, intent.id))?.status).toBe('succeeded')
  })

  test('is the same as one that left the configuration', async () => {
    const { charge } = await save(makeIntent('processing'), makeCharge('live'))
    world.nowMs = T0 + 2 * MINUTE_MS
    expect(await settleCharges({ ...world, rails: new Map() })).toEqual({ claimed: 1, moved: 0 })
    expect(await readCharge(world, charge.id)).toMatchObject({
      status: 'live',
      lastQueryAtMs: T0 + 2 * MINUTE_MS,
    })
  })

  test('is not asked for by a worker that does not know it yet, which delays no charge of it', async () => {
    const { charge } = await save(makeIntent('processing'), makeCharge('live'))
    world.push.whenAsked = () => paid
    world.nowMs = (charge.nextQueryAtMs ?? 0) + 1_000
    expect(await settleCharges({ ...world, rails: new Map() })).toEqual({ claimed: 0, moved: 0 })
    expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 1 })
  })
})

describe('the after-watch', () => {
  test.each(['failed', 'abandoned'] as const)('of a charge that %s ends after 48 hours', async (status) => {
    const watched = makeCharge(status, { nextQueryAtMs: T0 + 10_000, queryRung: 1 })
    const { charge } = await save(makeIntent('requires_payment_method'), watched)
    world.push.whenAsked = () => notFound
    world.push.asked.length = 0

    const after = await askUntil(charge.id, T0 + 90 * DAY_MS)

    expect(after).toMatchObject({
      status,
      nextQueryAtMs: null,
      revision: charge.revision,
    })
    expect(world.nowMs).toBe(T0 + AFTER_WATCH_MS)
    expect(world.push.asked.length).toBeLessThan(60)
    expect(world.alerts).toEqual([])
  })

  test.each(['failed', 'abandoned'] as const)(
    'of a charge that %s finds a success in its last hour',
    async (status) => {
      const watched = makeCharge(status, { nextQueryAtMs: T0 + 10_000, queryRung: 1 })
      const { intent, charge } = await save(makeIntent('requires_payment_method'), watched)
      world.push.whenAsked = () => notFound
      await askUntil(charge.id, T0 + AFTER_WATCH_MS - HOUR_MS)
      world.push.whenAsked = () => paid
      expect((await askUntil(charge.id, T0 + AFTER_WATCH_MS)).status).toBe('succeeded')
      expect(await typesOf(world, intent.id)).toEqual(['payment_intent.succeeded'])
    },
  )
})

describe('a late success beside a live charge', () => {
  const both = async () => {
    const failed = makeCharge('failed')
    const live = makeCharge('live', { nextQueryAtMs: T0 + DAY_MS })
    const { intent } = await save(makeIntent('processing'), failed, live)
    world.nowMs = T0 + MINUTE_MS
    world.push.whenAsked = () => paid
    await settleCharges(world)
    expect((await readIntent(world, intent.id))?.status).toBe('succeeded')
    return { intent, failed, live }
  }

  test('pays the intent, and leaves the live charge watched', async () => {
    const { failed, live } = await both()
    expect((await charge(failed.id)).status).toBe('succeeded')
    expect(await charge(live.id)).toMatchObject({ status: 'live', nextQueryAtMs: T0 + DAY_MS })
  })

  test('whose failure then changes nothing on the intent', async () => {
    const { intent, live } = await both()
    const paidIntent = await readIntent(world, intent.id)
    expect((await askAt(live.id, T0 + HOUR_MS, { kind: 'failed', decline: declined })).status).toBe('failed')
    expect(await readIntent(world, intent.id)).toEqual(paidIntent)
    expect(await typesOf(world, intent.id)).toEqual(['payment_intent.succeeded'])
  })

  test('whose success then is a duplicate, an alert and no event', async () => {
    const { intent, live } = await both()
    expect((await askAt(live.id, T0 + HOUR_MS, paid)).status).toBe('duplicate')
    expect(await typesOf(world, intent.id)).toEqual(['payment_intent.succeeded'])
    expect(world.alerts).toEqual([
      { name: 'charge_duplicate_success', facts: { charge: live.id, rail: live.rail } },
    ])
  })
})

describe('several charges of one intent in one batch', () => {
  test('are moved one after another: one pays it, the others are duplicates', async () => {
    const charges = [makeCharge('failed'), makeCharge('abandoned'), makeCharge('live')]
    const { intent } = await save(makeIntent('processing'), ...charges)
    world.nowMs = T0 + MINUTE_MS
    world.push.whenAsked = () => paid

    expect(await settleCharges(world)).toEqual({ claimed: 3, moved: 3 })

    const statuses = await Promise.all(charges.map(async ({ id }) => (await charge(id)).status))
    expect(statuses.toSorted()).toEqual(['duplicate', 'duplicate', 'succeeded'])
    expect(await typesOf(world, intent.id)).toEqual(['payment_intent.succeeded'])
  })

  test('beyond what one pass takes are settled once their lease has ended', async () => {
    const charges = Array.from({ length: 6 }, () => makeCharge('failed'))
    const { intent } = await save(makeIntent('requires_payment_method'), ...charges)
    world.nowMs = T0 + MINUTE_MS
    world.push.whenAsked = () => paid

    expect(await settleCharges(world)).toEqual({ claimed: 6, moved: 4 })
    expect(await settleCharges(world)).toEqual({ claimed: 0, moved: 0 })
    world.nowMs += MINUTE_MS
    expect(await settleCharges(world)).toEqual({ claimed: 2, moved: 2 })

    const statuses = await Promise.all(charges.map(async ({ id }) => (await charge(id)).status))
    expect(statuses.toSorted()).toEqual([...Array.from({ length: 5 }, () => 'duplicate'), 'succeeded'])
    expect(await typesOf(world, intent.id)).toEqual(['payment_intent.succeeded'])
  })
})

describe('a submit that nobody can have seen', () => {
  test('on a redirect rail is abandoned without asking, and not watched', async () => {
    const { intent, charge } = await save(
      makeIntent('requires_payment_method'),
      makeCharge('submitting', { rail: REDIRECT }),
    )
    world.nowMs = T0 + MINUTE_MS
    expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 1 })
    expect(await readCharge(world, charge.id)).toMatchObject({ status: 'abandoned', nextQueryAtMs: null })
    expect(await readIntent(world, intent.id)).toEqual(intent)
    expect(world.redirect.asked).toEqual([])
  })
})

/** Settles a charge of which the rail says something odd, beside a sound one, which must be paid all the same. */
async function settleBesideSound(oddAnswer: () => QueryOutcome): Promise<Charge> {
  const odd = makeCharge('live')
  const sound = makeCharge('live')
  await save(makeIntent('processing'), odd)
  await save(makeIntent('processing'), sound)
  world.nowMs = T0 + MINUTE_MS
  world.push.whenAsked = ({ reference }) => (reference === odd.reference ? oddAnswer() : paid)
  expect(await settleCharges(world)).toEqual({ claimed: 2, moved: 1 })
  expect((await charge(sound.id)).status).toBe('succeeded')
  return odd
}

test('an adapter that throws delays its own charge only, and is an alert', async () => {
  const broken = await settleBesideSound(() => {
    throw new TypeError('of +237677000001')
  })
  expect(await charge(broken.id)).toMatchObject({ status: 'live', lastQueryAtMs: world.nowMs })
  expect(world.alerts).toEqual([
    { name: 'rail_adapter_fault', facts: { charge: broken.id, rail: broken.rail, error: 'TypeError' } },
  ])
})

test('an answer that cannot be judged delays its own charge only, which rests in the end', async () => {
  const odd = await settleBesideSound(() => ({ kind: 'failed' }) as QueryOutcome)
  expect((await charge(odd.id)).status).toBe('live')
  expect(await failuresOf(odd)).toBe(1)

  while ((await failuresOf(odd)) < 10) {
    world.nowMs += DAY_MS
    await settleCharges(world)
  }
  expect(world.alerts).toEqual([
    { name: 'charge_rests', facts: { charge: odd.id, rail: odd.rail, error: 'TypeError' } },
  ])
})

test('an answer that cannot be stored delays its own charge only, and is an alert', async () => {
  const odd = await settleBesideSound(() => ({ ...paid, railTxnId: 'cut \ud83d off' }))
  expect((await charge(odd.id)).status).toBe('live')
  expect(world.alerts).toEqual([
    { name: 'rail_adapter_fault', facts: { charge: odd.id, rail: odd.rail, error: '22P02' } },
  ])
})

test('a database that fails while the first answers are recorded costs no answer that comes later', async () => {
  const { charge: first } = await save(makeIntent('processing'), makeCharge('live'))
  const { charge: later } = await save(makeIntent('processing'), makeCharge('live'))
  const { writer } = world.owner
  await sql`create sequence failures`.execute(writer)
  await sql`create function fail() returns trigger security definer language plpgsql as $$
    begin
      perform nextval('failures');
      raise exception 'shut down' using errcode = '57P01';
    end $$`.execute(writer)
  await sql`create trigger fail before update on charges for each row
    when (new.id = ${sql.lit(uuidOf(first.id))}) execute function fail()`.execute(writer)
  onTestFinished(async () => {
    await sql`drop function fail cascade`.execute(writer)
    await sql`drop sequence failures`.execute(writer)
  })
  const failed = async () => {
    const { rows } = await sql<{ is_called: boolean }>`select is_called from failures`.execute(writer)
    return rows[0]?.is_called
  }
  world.push.whenAsked = async ({ reference }) => {
    if (reference !== first.reference) await expect.poll(failed, { timeout: 30_000 }).toBe(true)
    return paid
  }

  world.nowMs += MINUTE_MS
  await expect(settleCharges(world)).rejects.toMatchObject({ code: '57P01' })
  expect((await charge(first.id)).status).toBe('live')
  expect((await charge(later.id)).status).toBe('succeeded')
})
