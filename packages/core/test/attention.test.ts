import type { AttentionAlert } from '@merchant-payments/contract'
import { instant } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { recordRaised } from '../src/attention/record.ts'
import { countOpenItems } from '../src/attention/store.ts'
import type { FaultPoint } from '../src/base/fault-points.ts'
import { type ChargeId, mintId, uuidOf } from '../src/base/ids.ts'
import { FAILURES_MAX } from '../src/payouts/store.ts'
import type { QueryOutcome } from '../src/rails/port.ts'
import type { Refund } from '../src/refunds/refund.ts'
import {
  ACME,
  declined,
  makeCharge,
  makeIntent,
  makeRefund,
  makeRefunds,
  paid,
  PUSH,
  T0,
  type TestRefunds,
  unavailable,
} from './make.ts'
import { instructRefunds, settleCharges } from './passes.ts'
import {
  openImpatient,
  openWorld,
  saveCharge,
  saveIntent,
  savePaid,
  saveRefund,
  type World,
} from './world.ts'

const DAY_MS = 86_400_000

const world = await openWorld()
afterAll(() => world.stop())

async function savedCharge(): Promise<ChargeId> {
  const { id: intentId } = await saveIntent(world, makeIntent('processing'))
  return (await saveCharge(world, makeCharge('live', { intentId }))).id
}

const timesOf = async (charge: ChargeId): Promise<number | undefined> => {
  const row = await world.db.reader
    .selectFrom('attention_items')
    .select('times')
    .where('object', '=', charge)
    .executeTakeFirst()
  return row?.times
}

/** A pass of a process that dies at this point. */
async function killedAt(point: FaultPoint, pass: (world: World) => Promise<unknown>): Promise<void> {
  const fault = (at: FaultPoint) => {
    if (at === point) throw new Error('killed')
  }
  await expect(pass({ ...world, fault })).rejects.toThrow('killed')
}

const itemsOf = (object: string) =>
  world.db.reader
    .selectFrom('attention_items')
    .select(['alert', 'merchant_id', 'state', 'times', 'status'])
    .where('object', '=', object)
    .orderBy('alert')
    .execute()

const waitingRows = async () =>
  (await world.db.reader.selectFrom('raised_alerts').select('id').execute()).length

describe('an alert of a change is written with it, so a process that dies right after loses no item', () => {
  const misconfigured: QueryOutcome = { kind: 'failed', decline: { ...declined, actor: 'merchant_config' } }

  test.each([
    ['paid twice', 'charge_duplicate_success', paid, 'succeeded', {}, 'duplicate'],
    [
      'paid with another amount',
      'charge_amount_mismatch',
      { ...paid, amountMinor: 999 },
      'processing',
      {},
      'live',
    ],
    ['refused because of us', 'rail_misconfigured', misconfigured, 'processing', {}, 'failed'],
    [
      'in an unknown state',
      'rail_unknown_status',
      { kind: 'unknown_status', status: 'NEW' },
      'processing',
      {},
      'live',
    ],
    ['past its ladder', 'charge_stuck', unavailable, 'processing', { queryRung: 20 }, 'live'],
  ] as const)('a charge %s', async (_case, alert, outcome, intentStatus, fields, state) => {
    const { id: intentId } = await saveIntent(world, makeIntent(intentStatus))
    const charge = await saveCharge(
      world,
      makeCharge('live', { intentId, nextQueryAtMs: T0, openedAtMs: T0 - 60 * DAY_MS, ...fields }),
    )
    world.nowMs = T0 + 20_000
    world.push.whenAsked = () => outcome
    world.alerts.length = 0

    await killedAt('settle.committed', settleCharges)
    expect(world.alerts.map(({ name }) => name)).toEqual([alert])
    await recordRaised(world)
    expect(await itemsOf(charge.id)).toEqual([
      { alert, merchant_id: charge.merchantId, state, times: 1, status: 'open' },
    ])
    expect(await waitingRows()).toBe(0)
  })

  async function saveDue(fields: Partial<Refund>, tries: number): Promise<Refund> {
    const refund = makeRefund('pending', fields)
    const { id: intentId } = await savePaid(world, { customerId: refund.customerId })
    return saveRefund(world, { ...refund, intentId }, { tries })
  }

  async function lookAt(whenAsked: TestRefunds['whenAsked']): Promise<void> {
    const refunds = makeRefunds()
    refunds.whenAsked = whenAsked
    world.push.refunds = refunds
    world.alerts.length = 0
    await instructRefunds(world)
    await recordRaised(world)
  }

  test('a refund past its ladder', async () => {
    const refund = await saveDue({}, 6)
    world.nowMs = T0 + 60_000
    await lookAt(() => unavailable)
    expect(await itemsOf(refund.id)).toMatchObject([{ alert: 'refund_stuck', state: 'pending sent' }])
    expect(world.alerts).toEqual([{ name: 'refund_stuck', facts: { rail: PUSH, refund: refund.id } }])
  })

  test('a refund that its rail refuses because of us', async () => {
    const refund = await saveDue({}, 0)
    world.nowMs = T0 + 60_000
    await lookAt(() => misconfigured)
    expect(await itemsOf(refund.id)).toMatchObject([{ alert: 'rail_misconfigured', state: 'failed refused' }])
  })

  test('a refund that comes to rest, and of which each failure raises what its rail said', async () => {
    await sql`create function refuse_poison() returns trigger language plpgsql as $$
      begin
        raise exception 'poison' using errcode = '23514';
      end $$`.execute(world.owner.writer)
    await sql`create trigger poison before update on refunds for each row
      when (new.metadata ? 'poison') execute function refuse_poison()`.execute(world.owner.writer)
    const refund = await saveDue({ metadata: { poison: 'yes' } }, 0)
    world.nowMs = T0 + 60_000
    for (let failures = 1; failures <= FAILURES_MAX; failures += 1) {
      await lookAt(() => misconfigured)
      world.nowMs += 60 * 60_000
    }
    expect(await itemsOf(refund.id)).toMatchObject([
      { alert: 'rail_misconfigured', times: FAILURES_MAX },
      { alert: 'refund_rests', times: 1 },
    ])
  })
})

describe('the pass that makes items of raised alerts', () => {
  const raise = (charge: ChargeId, objects = [charge], code = 'A') =>
    world.db.transact((tx) =>
      tx
        .insertInto('raised_alerts')
        .values(
          objects.map((object) => ({
            id: uuidOf(mintId('att', world.nowMs)),
            merchant_id: ACME,
            alert: 'rail_misconfigured' as const,
            object,
            facts: { charge: object, rail: PUSH, rail_code: code },
            raised_at: instant(world.nowMs),
          })),
        )
        .execute(),
    )

  test('makes items that count as open, by alert, until a person takes them', async () => {
    const open = async () => (await countOpenItems(world.db.reader)).get('rail_misconfigured')
    const before = (await open()) ?? 0
    const charge = await savedCharge()
    await raise(charge)
    await recordRaised(world)
    expect(await open()).toBe(before + 1)
    expect((await countOpenItems(world.db.reader)).get('fanout_failed')).toBe(0)
    await sql`update attention_items set status = 'acknowledged', assignee = 'a', assignee_name = 'A'
      where object = ${charge}`.execute(world.db.writer)
    expect(await open()).toBe(before)
  })

  test('counts the items of each alert, however many items of other alerts are open or taken', async () => {
    const add = (alert: AttentionAlert, count: number, status: 'open' | 'acknowledged') =>
      sql`
      insert into attention_items (
        id, alert, object, merchant_id, facts, first_at, last_at, status, assignee, assignee_name)
      select gen_random_uuid(), ${alert}, 'wd_' || gen_random_uuid(), ${ACME}, '{}', now(), now(), ${status}, t.name, t.name
      from generate_series(1, ${count}::integer), (select case ${status} when 'open' then null else 'A' end as name) t`.execute(
        world.db.writer,
      )
    const open = async (alert: AttentionAlert) => (await countOpenItems(world.db.reader)).get(alert)
    const before = await open('charge_amount_mismatch')
    await add('charge_amount_mismatch', 1, 'open')
    await add('webhook_exhausted', 10_001, 'open')
    await add('charge_vanished', 10_001, 'acknowledged')
    expect(await open('charge_amount_mismatch')).toBe((before ?? 0) + 1)
    expect(await open('webhook_exhausted')).toBe(10_000)
    expect(await open('charge_vanished')).toBe(0)
    await sql`delete from attention_items where object like 'wd!_%' escape '!'`.execute(world.owner.writer)
  })

  test.each(['left', 'arriving'])(
    'counts no item of a merchant that is %s, and each of its neighbours',
    async (state) => {
      const open = async () => (await countOpenItems(world.db.reader)).get('refund_stuck')
      const start = (await open()) ?? 0
      const merchants = ['a', 'b', 'c', 'd', 'e', 'e']
      for (const merchant of merchants)
        await sql`insert into attention_items (id, alert, object, merchant_id, facts, first_at, last_at, status)
        select gen_random_uuid(), 'refund_stuck', 'wd_' || gen_random_uuid(), ${merchant}, '{}', now(), now(), 'open'`.execute(
          world.db.writer,
        )
      const before = (await open()) ?? 0
      for (const merchant of ['b', 'c', 'e'])
        await sql`insert into merchant_moves (merchant_id, state, move_id, other_cell)
        values (${merchant}, ${state}, gen_random_uuid(), 'cell_b')`.execute(world.owner.writer)
      const after = (await open()) ?? 0
      await sql`delete from merchant_moves`.execute(world.owner.writer)
      await sql`delete from attention_items where object like 'wd!_%' escape '!'`.execute(world.owner.writer)
      expect([before - start, after - start]).toEqual([6, 2])
    },
  )

  test('counts each alert once, also if several workers take them, with the facts of the newest', async () => {
    const charge = await savedCharge()
    for (const code of ['A', 'B', 'C']) await raise(charge, [charge], code)
    await Promise.all(Array.from({ length: 6 }, () => recordRaised(world)))
    await recordRaised(world)
    const items = await world.db.reader
      .selectFrom('attention_items')
      .select(['times', 'facts'])
      .where('object', '=', charge)
      .execute()
    expect(items).toMatchObject([{ times: 3, facts: { rail_code: 'C' } }])
    expect(await waitingRows()).toBe(0)
  })

  test('leaves an alert whose item somebody holds, and delays no other', async () => {
    const [held, free] = [await savedCharge(), await savedCharge()]
    await raise(held)
    await recordRaised(world)
    await raise(held, [held, free])
    const db = await openImpatient(world)
    await world.db.transact(async (tx) => {
      await sql`select 1 from attention_items where object = ${held} for update`.execute(tx)
      await recordRaised({ ...world, db })
    })
    expect([await timesOf(held), await timesOf(free)]).toEqual([1, 1])
    expect(await waitingRows()).toBe(1)
    await recordRaised({ ...world, db })
    expect([await timesOf(held), await waitingRows()]).toEqual([2, 0])
    await db.close()
  })

  test('deletes an alert whose object is gone', async () => {
    await raise(mintId('ch', T0))
    await recordRaised(world)
    expect(await waitingRows()).toBe(0)
  })

  test('sets an alert aside that PostgreSQL refuses, so that it delays no other', async () => {
    const good = await savedCharge()
    const before = await waitingRows()
    await raise('ch_nothing' as ChargeId, ['ch_nothing' as ChargeId, good])
    world.alerts.length = 0
    await recordRaised(world)
    expect(await timesOf(good)).toBe(1)
    expect(world.alerts).toMatchObject([{ name: 'row_refused', facts: { pass: 'record-attention' } }])
    await recordRaised(world)
    expect([world.alerts.length, await waitingRows()]).toEqual([1, before + 1])
  })
})
