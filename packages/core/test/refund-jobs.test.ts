import { instant } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { uuidOf } from '../src/base/ids.ts'
import { FAILURES_MAX } from '../src/payouts/store.ts'
import type { QueryOutcome } from '../src/rails/port.ts'
import type { Refund } from '../src/refunds/refund.ts'
import { declined, makeRefund, makeRefunds, PUSH, T0, type TestRefunds, unavailable } from './make.ts'
import { instructRefunds } from './passes.ts'
import { openWorld, readJob, readRefund, reservedOf, saveCustomer, savePaid, saveRefund } from './world.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const refusedBefore: QueryOutcome = { kind: 'failed', decline: declined }

const world = await openWorld()
let refunds: TestRefunds
// Makes PostgreSQL refuse one row for any cause.
await sql`create function refuse_poison() returns trigger language plpgsql as $$
  begin
    raise exception 'poison' using errcode = new.metadata ->> 'poison';
  end $$`.execute(world.owner.writer)
await sql`create trigger poison before update on refunds for each row
  when (new.metadata ? 'poison') execute function refuse_poison()`.execute(world.owner.writer)
beforeEach(async () => {
  world.nowMs = T0 + MINUTE_MS
  world.alerts.length = 0
  refunds = makeRefunds()
  refunds.whenAsked = () => refusedBefore
  world.push.refunds = refunds
  await world.db.transact((tx) => tx.deleteFrom('refund_jobs').execute())
})
afterAll(() => world.stop())

async function saveWaiting(fields: Partial<Refund> = {}): Promise<Refund<'pending'>> {
  const refund = makeRefund('pending', fields)
  const { id: intentId } = await savePaid(world, { customerId: refund.customerId })
  return saveRefund(world, { ...refund, intentId })
}

const poisoned = (errcode: string) => saveWaiting({ metadata: { poison: errcode } })
const statusOf = async ({ id }: Refund) => (await readRefund(world, id)).status

/** The version of the refund's row. */
async function versionOf({ id }: Refund): Promise<string | undefined> {
  const { rows } = await sql<{ version: string }>`
    select xmin || ' ' || ctid as version from refunds where id = ${uuidOf(id)}::uuid`.execute(
    world.db.writer,
  )
  return rows[0]?.version
}

test('a look that changes nothing of a refund writes no row of the ledger', async () => {
  const refund = await saveWaiting()
  const before = await versionOf(refund)
  refunds.whenAsked = () => unavailable
  for (let look = 0; look < 3; look += 1) {
    await instructRefunds(world)
    world.nowMs += MINUTE_MS
  }
  expect(refunds.asked).toHaveLength(3)
  expect(await readJob(world, refund.id)).toMatchObject({ tries: 3, lease_until: null })
  expect(await versionOf(refund)).toBe(before)
})

describe('a refund that cannot be handled', () => {
  test.each(['22003', '23514', 'P0001'])(
    'for %s holds up none of the others, and comes again later',
    async (errcode) => {
      const bad = await poisoned(errcode)
      const good = [await saveWaiting(), await saveWaiting()]
      expect(await instructRefunds(world)).toEqual({ claimed: 3, moved: 2 })
      for (const refund of good) expect(await statusOf(refund)).toBe('failed')
      expect(await readJob(world, bad.id)).toMatchObject({
        failures: 1,
        due_at: world.nowMs + 5_000,
        lease_until: null,
        rested_at: null,
      })
    },
  )

  // Behind a pooler that sets no lock time-out, a wait for a lock ends with 57014.
  test.each(['40P01', '40001', '55P03', '57014', '53100'])(
    'for %s comes again soon however often, and nothing is counted',
    async (errcode) => {
      const bad = await poisoned(errcode)
      const good = await saveWaiting()
      expect(await instructRefunds(world)).toEqual({ claimed: 2, moved: 1 })
      expect(await statusOf(good)).toBe('failed')
      for (let pass = 0; pass <= FAILURES_MAX; pass += 1) {
        expect(await readJob(world, bad.id)).toMatchObject({ failures: 0, due_at: world.nowMs + 5_000 })
        world.nowMs += 5_000
        await instructRefunds(world)
      }
      expect(world.alerts).toEqual([])
      await sql`update refunds set metadata = '{}' where id = ${uuidOf(bad.id)}::uuid`.execute(
        world.db.writer,
      )
      world.nowMs += 5_000
      expect(await instructRefunds(world)).toEqual({ claimed: 1, moved: 1 })
    },
  )

  test('because of a bug of ours is set aside too', async () => {
    const bad = await saveWaiting({ instruction: 'unsent' })
    const good = await saveWaiting()
    world.fault = (point) => {
      if (point === 'instruct.marked') throw new TypeError('a bug')
    }
    expect(await instructRefunds(world)).toEqual({ claimed: 2, moved: 1 })
    world.fault = () => undefined
    expect(await statusOf(good)).toBe('failed')
    expect(await readJob(world, bad.id)).toMatchObject({ failures: 1, lease_until: null })
  })

  test('and whose failure cannot be recorded either, because the database is away, holds up none of the others', async () => {
    const bad = await poisoned('P0001')
    const others = [await poisoned('40P01'), await poisoned('40P01')]
    const { writer } = world.owner
    await sql`create function fail() returns trigger language plpgsql as $$
      begin
        raise exception 'shut down' using errcode = '57P01';
      end $$`.execute(writer)
    await sql`create trigger fail before update on refund_jobs for each row
      when (old.lease_until is not null and new.refund_id = ${sql.lit(uuidOf(bad.id))}) execute function fail()`.execute(
      writer,
    )
    onTestFinished(async () => void (await sql`drop function fail cascade`.execute(writer)))

    await expect(instructRefunds(world)).rejects.toMatchObject({ code: '57P01' })
    expect(await readJob(world, bad.id)).toMatchObject({ failures: 0, lease_until: expect.anything() })
    for (const { id } of others)
      expect(await readJob(world, id)).toMatchObject({ due_at: world.nowMs + 5_000, lease_until: null })
  })

  test('because PostgreSQL cannot read its customer holds up none of the others, and rests in the end', async () => {
    const lost = await saveCustomer(world, { erased: true })
    const bad = await saveWaiting({ customerId: lost })
    const good = await saveWaiting({ customerId: await saveCustomer(world, { erased: true }) })
    const { writer } = world.owner
    // The cost makes PostgreSQL read each customer by its key.
    await sql`create function readable(customer uuid) returns boolean language plpgsql cost 1000000 as $$
      begin
        if customer = ${sql.lit(uuidOf(lost))} then
          raise exception 'lost' using errcode = 'XX001';
        end if;
        return true;
      end $$`.execute(writer)
    await sql`create policy readable on customers using (readable(id))`.execute(writer)
    await sql`alter table customers enable row level security`.execute(writer)
    onTestFinished(async () => {
      await sql`alter table customers disable row level security`.execute(writer)
      await sql`drop function readable cascade`.execute(writer)
    })

    expect(await instructRefunds(world)).toEqual({ claimed: 2, moved: 1 })
    expect(await statusOf(good)).toBe('failed')
    for (let failures = 1; failures < FAILURES_MAX; failures += 1) {
      expect(await readJob(world, bad.id)).toMatchObject({ failures, lease_until: null, rested_at: null })
      world.nowMs += HOUR_MS
      await instructRefunds(world)
    }
    expect(world.alerts).toEqual([
      { name: 'refund_rests', facts: { rail: PUSH, refund: bad.id, error: 'XX001' } },
    ])
  })

  test('waits twice as long each time, rests in the end with one alert, and is woken by an operator', async () => {
    const bad = await poisoned('23514')
    const waits: number[] = []
    for (let failures = 1; failures < FAILURES_MAX; failures += 1) {
      await instructRefunds(world)
      const { due_at: dueAt = 0 } = (await readJob(world, bad.id)) ?? {}
      waits.push((dueAt - world.nowMs) / 1_000)
      world.nowMs = dueAt
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320])
    expect(world.alerts).toEqual([])
    await instructRefunds(world)
    expect(world.alerts).toEqual([
      { name: 'refund_rests', facts: { rail: PUSH, refund: bad.id, error: '23514' } },
    ])
    world.nowMs += 24 * HOUR_MS
    expect(await instructRefunds(world)).toEqual({ claimed: 0, moved: 0 })

    await sql`update refunds set metadata = '{}' where id = ${uuidOf(bad.id)}::uuid`.execute(world.db.writer)
    const wake = (id: string) => sql`select ops_wake_refund(${id}, ${instant(world.nowMs)}::timestamptz)`
    await wake(bad.id).execute(world.db.writer)
    expect(await instructRefunds(world)).toEqual({ claimed: 1, moved: 1 })
    await expect(wake(bad.id).execute(world.db.writer)).rejects.toMatchObject({ code: 'P0002' })
  })

  test('has its failures reset by the first check that is written', async () => {
    const refund = await poisoned('23514')
    await instructRefunds(world)
    world.nowMs += MINUTE_MS
    refunds.whenAsked = () => unavailable
    await instructRefunds(world)
    expect(await readJob(world, refund.id)).toMatchObject({ failures: 0, tries: 1 })
  })
})

describe('a row that somebody else holds', () => {
  test.each(['refunds', 'payment_intents', 'refund_jobs'] as const)(
    'of %s delays neither the others of the pass nor the pass',
    async (table) => {
      const held = await saveWaiting()
      const others = [await saveWaiting(), await saveWaiting()]
      const id = { refunds: held.id, payment_intents: held.intentId, refund_jobs: held.id }[table]
      const column = sql.ref(table === 'refund_jobs' ? 'refund_id' : 'id')
      await world.db.transact(async (tx) => {
        await sql`select from ${sql.table(table)} where ${column} = ${uuidOf(id)}::uuid for update`.execute(
          tx,
        )
        expect(await instructRefunds(world)).toMatchObject({ moved: 2 })
      })
      for (const refund of others) expect(await statusOf(refund)).toBe('failed')
      expect(await readJob(world, held.id)).toMatchObject({ failures: 0, lease_until: null })
      world.nowMs += MINUTE_MS
      expect(await instructRefunds(world)).toMatchObject({ moved: 1 })
      expect(await statusOf(held)).toBe('failed')
      expect(await reservedOf(world, held.intentId)).toBe(0)
    },
  )

  test('of a customer who is being erased delays none of them either', async () => {
    const customerId = await saveCustomer(world)
    const held = await saveWaiting({ customerId })
    const other = await saveWaiting()
    await world.db.transact(async (tx) => {
      await sql`select from customers where id = ${uuidOf(customerId)}::uuid for update`.execute(tx)
      expect(await instructRefunds(world)).toEqual({ claimed: 2, moved: 1 })
    })
    expect(await statusOf(other)).toBe('failed')
    world.nowMs += MINUTE_MS
    await instructRefunds(world)
    expect(await statusOf(held)).toBe('failed')
  })
})

describe('a refund that failed because its rail had nothing of it', () => {
  /** Refused without proof, and never found at the rail. */
  async function failed(): Promise<Refund<'pending'>> {
    const refund = await saveWaiting({ refusal: 'payee_refused' })
    await sql`update refunds set refusal_code = 'payee_refused' where id = ${uuidOf(refund.id)}::uuid`.execute(
      world.db.writer,
    )
    refunds.whenAsked = () => ({ kind: 'not_found' })
    for (let look = 0; look < 3; look += 1) {
      await instructRefunds(world)
      world.nowMs += 2 * MINUTE_MS
    }
    expect(await readRefund(world, refund.id)).toMatchObject({
      status: 'failed',
      failureReason: 'payee_refused',
    })
    return refund
  }

  test('and is paid late raises one alert, and is never sent', async () => {
    const refund = await failed()
    refunds.whenAsked = () => ({ kind: 'succeeded', railTxnId: '7', amountMinor: 400, currency: 'XAF' })
    await instructRefunds(world)
    expect(world.alerts).toEqual([
      { name: 'refund_paid_after_failure', facts: { rail: PUSH, refund: refund.id } },
    ])
    expect(await readJob(world, refund.id)).toBeNull()
    expect(refunds.sent).toEqual([])
  })

  test('and that the rail has queued since is not paid yet: it can still be refused', async () => {
    const refund = await failed()
    refunds.whenAsked = () => ({ kind: 'pending' })
    await instructRefunds(world)
    refunds.whenAsked = () => ({ kind: 'failed', decline: declined })
    while ((await readJob(world, refund.id)) !== null) {
      world.nowMs += HOUR_MS
      await instructRefunds(world)
    }
    expect(world.alerts).toEqual([])
  })

  test('and about which its rail never decides raises an alert daily after two days', async () => {
    const refund = await failed()
    refunds.whenAsked = () => ({ kind: 'pending' })
    world.nowMs += 48 * HOUR_MS
    for (let day = 0; day < 2; day += 1) {
      await instructRefunds(world)
      world.nowMs += 24 * HOUR_MS
    }
    const alert = { name: 'refund_stuck', facts: { rail: PUSH, refund: refund.id } }
    expect(world.alerts).toEqual([alert, alert])
  })

  test('is looked at for two days, and then no more', async () => {
    const refund = await failed()
    while ((await readJob(world, refund.id)) !== null) {
      world.nowMs += HOUR_MS
      await instructRefunds(world)
    }
    expect(world.nowMs - refund.submitDeadlineMs).toBeGreaterThanOrEqual(48 * HOUR_MS)
    expect(refunds.asked.length).toBeLessThan(60)
    expect(world.alerts).toEqual([])
  })
})
