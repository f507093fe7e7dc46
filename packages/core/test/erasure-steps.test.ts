import type { Tx } from '@merchant-payments/db'
import { openTestDatabase } from '@merchant-payments/db/testing'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createCustomer } from '../src/customers/create.ts'
import { deleteCustomer } from '../src/customers/erasure/delete.ts'
import { getCustomer } from '../src/customers/queries.ts'
import { lockCustomer } from '../src/customers/store.ts'
import { updateCustomer } from '../src/customers/update.ts'
import { beginErasure, finishErasures } from '../src/customers/erasure/erase.ts'
import { claimErasures, type Erasure } from '../src/customers/erasure/jobs-store.ts'
import { STEP_BYTES_MAX, STEP_ROWS_MAX, takeStep } from '../src/customers/erasure/step.ts'
import { listEventBodies } from '../src/events/store.ts'
import { type CustomerId, type MerchantId, mintId, uuidOf } from '../src/base/ids.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import { createIntent } from '../src/payment-intents/create.ts'
import {
  accepted,
  ACME,
  declined,
  makeCharge,
  makeIntent,
  makeRefund,
  paid,
  PAYER,
  PUSH,
  T0,
} from './make.ts'
import { settleCharges } from './passes.ts'
import {
  claimOf,
  confirmation,
  finishAll,
  openWorld,
  payerPlacesOf,
  readIntent,
  saveCharge,
  saveCustomer,
  saveIntent,
  savePaid,
  saveRefund,
} from './world.ts'

const OTHER = 'globex' as MerchantId
/** Copies of each kind: more than a request clears, so that many steps are needed. */
const COPIES = 4_000

const world = await openWorld()
beforeEach(async () => {
  world.alerts.length = 0
  await run('delete from customer_erasures')
})
afterAll(() => world.stop())

/** A refusal whose words contain the payer's number. */
const naming = { ...declined, railMessage: `${PAYER} refused` }

const run = (text: string) => sql.raw(text).execute(world.owner.writer)

/** Commits only the intention, like a process that dies right after it. */
const begin = (id: CustomerId): Promise<Erasure> =>
  world.db.transact(async (tx) => {
    const { found } = await lockCustomer(tx, ACME, id)
    if (found === undefined) throw new Error('no such customer')
    return (await beginErasure(world, tx, found, 'req_1')).erasure
  })

let histories = 0

/** A customer's refused payments, with everything that is stored of them. */
async function savePayments(customer: CustomerId, count: number): Promise<void> {
  const history = ++histories
  const id = `('019a0000-0000-7000-800${history}-' || lpad(to_hex(n), 12, '0'))::uuid`
  const c = `'${uuidOf(customer)}'`
  const from = `from generate_series(1, ${count}) n`
  const object = `json_build_object('object', 'payment_intent', 'last_payment_error',
    json_build_object('decline_code', 'FOR', 'message', '${PAYER}'))`
  await run(`insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, customer_id,
      metadata, client_secret, livemode, error_code, error_decline_code, error_message)
    select '${ACME}', ${id}, 1000, 'XAF', 'requires_payment_method', '{${PUSH}}', ${c}, '{}', 's', false, 'declined',
      'FOR', '${PAYER}' ${from}`)
  await run(`insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, customer_id,
      payer_msisdn, reference, rail_message, opened_at, submit_deadline)
    select '${ACME}', ${id}, ${id}, '${PUSH}', 'failed', 1000, 'XAF', ${c}, '${PAYER}', 'old-${history}-' || n, '${PAYER}', now(),
      now() ${from}`)
  await run(`insert into delivery_attempts (merchant_id, delivery_id, number, event_id, started_at, duration_ms,
      response_excerpt, customer_id)
    select '${ACME}', ${id}, 1, ${id}, now(), 1, '${PAYER}', ${c} ${from}`)
  await run(`insert into events (merchant_id, id, type, body, customer_id, position)
    select '${ACME}', ${id}, 'payment_intent.payment_failed',
      json_build_object('object', 'event', 'data', json_build_object('object', ${object})), ${c}, n ${from}`)
  await run(`insert into idempotency_keys (merchant_id, scope, key, fingerprint, status, body, customer_id, expires_at)
    select '${ACME}', 'v1', 'old-${history}-' || n, '', 200, ${object}, ${c}, now() ${from}`)
}

async function deletesTold(id: CustomerId): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from events
    where type = 'customer.deleted' and customer_id = ${uuidOf(id)}::uuid`.execute(world.db.writer)
  return rows[0]?.n ?? 0
}

describe('a customer with more copies than a request clears', () => {
  test('is erased by the worker, while payments of others and of that customer go on between steps', async () => {
    const customer = await saveCustomer(world)
    await savePayments(customer, COPIES)
    const live = await saveLive(customer)
    expect(await deleteCustomer(world, ACME, customer, 'req_1')).toMatchObject({ deleted: true })
    expect(await deletesTold(customer)).toBe(0)
    world.push.whenSubmitted = () => accepted
    world.push.whenAsked = ({ reference }) =>
      reference === live.reference ? { kind: 'failed', decline: naming } : paid
    let steps = 0
    for (let end = await nextStep(); end !== 'finished'; end = await nextStep()) {
      expect(end).toBe('advanced')
      if (++steps % 10 === 0) await tradeOf(OTHER)
    }
    expect(steps).toBeGreaterThan(40)
    expect(await payerPlacesOf(world)).toEqual([])
    expect(await deletesTold(customer)).toBe(1)
    expect((await readIntent(world, live.intentId))?.lastPaymentError?.message).toBe('[redacted]')
    expect(await deleteCustomer(world, ACME, customer, 'req_2')).toMatchObject({ deleted: true })
    expect(await deletesTold(customer)).toBe(1)
  })

  async function saveLive(customerId: CustomerId) {
    const intent = await saveIntent(world, makeIntent('processing', { customerId }))
    return saveCharge(world, makeCharge('live', { intentId: intent.id, customerId, nextQueryAtMs: T0 }))
  }

  let step: Erasure | undefined
  /** Takes one step as the worker does. */
  async function nextStep() {
    step ??= (await claimErasures(world.db.writer, 1))[0]
    if (step === undefined) throw new Error('no erasure is due')
    return takeStep(world, step)
  }
})

/** Another merchant's payment from confirm to settlement, and its list of events. */
async function tradeOf(merchantId: MerchantId): Promise<void> {
  const intent = await saveIntent(world, makeIntent('requires_payment_method', { merchantId }))
  const answer = await confirmIntent(world, { ...claimOf(), merchantId }, intent.id, confirmation())
  expect(JSON.parse(answer.body)).toMatchObject({ status: 'processing' })
  world.nowMs += 60_000
  await settleCharges(world)
  const page = { limit: 1, startingAfter: null, endingBefore: null, created: null }
  const { found } = await listEventBodies(world.db.reader, merchantId, page)
  expect(JSON.parse(found.items[0] ?? '{}').data.object).toMatchObject({ id: intent.id, status: 'succeeded' })
  // Another merchant's copy of the number is not the erased customer's.
  await sql`update charges set payer_msisdn = null where merchant_id = ${merchantId}`.execute(world.db.writer)
}

test('a step that has not committed keeps neither another payment of the customer nor the confirm of a neighbour', async () => {
  const customerId = await saveCustomer(world)
  await savePayments(customerId, 2 * STEP_ROWS_MAX)
  const intent = await saveIntent(world, makeIntent('processing', { customerId }))
  await saveCharge(world, makeCharge('live', { intentId: intent.id, customerId, nextQueryAtMs: T0 }))
  const neighbour = await saveIntent(world, makeIntent('requires_payment_method'))
  const erasure = await begin(customerId)
  const reached = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const transact = <T>(work: (tx: Tx) => Promise<T>) =>
    world.db.transact(async (tx) => {
      const result = await work(tx)
      reached.resolve()
      await gate.promise
      return result
    })
  const step = takeStep({ ...world, db: { ...world.db, transact } }, erasure)
  await reached.promise

  world.push.whenSubmitted = () => accepted
  world.push.whenAsked = () => ({ kind: 'failed', decline: naming })
  expect((await confirmIntent(world, claimOf(), neighbour.id, confirmation())).status).toBe(200)
  world.nowMs += 60_000
  expect(await settleCharges(world)).toMatchObject({ moved: 2 })
  expect((await readIntent(world, intent.id))?.lastPaymentError?.message).toBe('[redacted]')

  gate.resolve()
  expect(await step).toBe('advanced')
  await finishAll(world)
})

describe('after the first commit of an erasure, before any copy is cleared', () => {
  test('the customer is read as erased, and can be neither named nor changed', async () => {
    const id = mintId('cus', T0)
    await sql`insert into customers (merchant_id, id, name, phone, metadata, livemode, last_used_at)
      values (${ACME}, ${uuidOf(id)}::uuid, 'Ada', ${PAYER}, '{"kept":"yes"}', false, now())`.execute(
      world.db.writer,
    )
    await saveIntent(world, makeIntent('requires_payment_method', { customerId: id }))
    await begin(id)
    const read = await getCustomer(world, ACME, id)
    expect(read).toMatchObject({ deleted: true, name: '[redacted]', phone: '[redacted]' })
    expect(read.metadata).toEqual({ kept: 'yes' })
    const erased = { code: 'customer_erased' }
    await expect(updateCustomer(world, claimOf(), id, { name: 'Eve' })).rejects.toMatchObject(erased)
    const wanted = { amountMinor: 1, currency: 'XAF', paymentMethodTypes: [PUSH], metadata: {} } as const
    const named = createIntent(world, claimOf(), { ...wanted, customer: id, description: null })
    await expect(named).rejects.toMatchObject(erased)
    await finishAll(world)
    expect(await deletesTold(id)).toBe(1)
  })

  test('a customer whom nothing names is still there, and is removed with the event', async () => {
    const { body } = await createCustomer(world, claimOf(), { name: 'Ada' })
    const { id } = JSON.parse(body) as { id: CustomerId }
    await begin(id)
    expect(await getCustomer(world, ACME, id)).toMatchObject({ deleted: true })
    expect(await deletesTold(id)).toBe(0)
    await finishAll(world)
    await expect(getCustomer(world, ACME, id)).rejects.toMatchObject({ code: 'resource_missing' })
    expect(await deletesTold(id)).toBe(1)
  })

  test('the removal and its event are one transaction: an event that cannot be written keeps both [§3.2, §6.2]', async () => {
    const { body } = await createCustomer(world, claimOf(), { name: 'Ada' })
    const { id } = JSON.parse(body) as { id: CustomerId }
    const erasure = await begin(id)
    await run(`create function refuse_events() returns trigger language plpgsql as
      'begin raise exception ''no events''; end'`)
    await run(
      'create trigger refuse_events before insert on events for each row execute function refuse_events()',
    )
    try {
      await expect(takeStep(world, erasure)).rejects.toThrow('no events')
    } finally {
      await run('drop function refuse_events cascade')
    }
    expect(await getCustomer(world, ACME, id)).toMatchObject({ deleted: true })
    expect(await deletesTold(id)).toBe(0)
    await finishAll(world)
    await expect(getCustomer(world, ACME, id)).rejects.toMatchObject({ code: 'resource_missing' })
    expect(await deletesTold(id)).toBe(1)
  })

  test('a refund made later keeps its number, and one made earlier loses it', async () => {
    const customerId = await saveCustomer(world)
    const { id: intentId } = await savePaid(world, { customerId })
    const fields = { intentId, customerId, destination: PAYER }
    world.nowMs = T0 + 10_000
    const before = await saveRefund(world, makeRefund('pending', { ...fields, openedAtMs: T0 + 9_999 }))
    await begin(customerId)
    const after = await saveRefund(world, makeRefund('pending', { ...fields, openedAtMs: T0 + 10_001 }))
    await finishAll(world)
    const { rows } = await sql<{ id: string; number: string | null }>`
      select id, destination_msisdn as number from refunds where customer_id = ${uuidOf(customerId)}::uuid
    `.execute(world.db.writer)
    const numbers = new Map(rows.map(({ id, number }) => [id.replaceAll('-', ''), number]))
    expect([numbers.get(uuidOf(before.id)), numbers.get(uuidOf(after.id))]).toEqual([null, PAYER])
  })
})

describe('an erasure that makes no progress', () => {
  const restsOf = async (id: CustomerId) => {
    const { rows } = await sql<{ failures: number; rests: boolean }>`
      select failures, due_at > now() as rests from customer_erasures where customer_id = ${uuidOf(id)}::uuid
    `.execute(world.db.writer)
    return rows[0]
  }
  const saveAnswer = (key: string, customer: CustomerId, body: string) =>
    sql`insert into idempotency_keys (merchant_id, scope, key, fingerprint, status, body, customer_id, expires_at)
      values (${ACME}, 'v1', ${key}, '', 200, ${body}, ${uuidOf(customer)}::uuid, now())`.execute(
      world.db.writer,
    )
  const wire = JSON.stringify({ object: 'customer', phone: '237699999999' })

  test('of an unreadable body raises an alert, rests longer each time, and delays no other', async () => {
    const [poisoned, other] = [await saveCustomer(world), await saveCustomer(world)]
    await saveAnswer('poison', poisoned, 'not an object')
    await saveAnswer('sound', other, wire)
    await begin(poisoned)
    await begin(other)
    for (let passes = 1; passes <= 6; passes += 1) {
      await run('update customer_erasures set due_at = now(), lease_until = null')
      const { finished } = await finishErasures(world)
      expect(finished).toBe(passes === 1 ? 1 : 0)
      expect(await restsOf(poisoned)).toEqual({ failures: passes, rests: true })
      expect(await finishErasures(world)).toEqual({ claimed: 0, finished: 0, full: false })
    }
    expect(world.alerts).toEqual(
      [5, 6].map((failures) => ({
        name: 'erasure_stuck',
        facts: { customer: poisoned, failures, reason: 'SyntaxError' },
      })),
    )
    await run("delete from idempotency_keys where key = 'poison'")
    await finishAll(world)
    expect([await deletesTold(poisoned), await deletesTold(other)]).toEqual([1, 1])
  })

  test('because a row is locked delays no other, and ends once the row is free', async () => {
    const customer = await saveCustomer(world)
    await saveAnswer('a-first', customer, wire)
    await saveAnswer('b-held', customer, wire)
    await saveAnswer('c-last', customer, wire)
    const erasure = await begin(customer)
    await world.db.transact(async (tx) => {
      await sql`select from idempotency_keys where key = 'b-held' for update`.execute(tx)
      expect(await takeStep(world, erasure)).toBe('advanced')
      expect(await takeStep(world, erasure)).toBe('held')
      await run('update customer_erasures set due_at = now(), lease_until = null')
      expect(await finishErasures(world)).toEqual({ claimed: 1, finished: 0, full: false })
      expect(await restsOf(customer)).toEqual({ failures: 1, rests: true })
    })
    await finishAll(world)
    const { rows } = await sql`select from idempotency_keys where body like '%237699999999%'`.execute(
      world.db.writer,
    )
    expect(rows).toEqual([])
    expect(await deletesTold(customer)).toBe(1)
  })

  test('because its process died is taken over, and what that process does late changes nothing', async () => {
    const customer = await saveCustomer(world)
    await saveAnswer('taken-over', customer, wire)
    const late = await begin(customer)
    expect(await claimErasures(world.db.writer, 1)).toEqual([])
    await run("update customer_erasures set lease_until = now() - interval '1 second'")
    expect(await finishErasures(world)).toMatchObject({ claimed: 1, finished: 1 })
    expect(await takeStep(world, late)).toBe('lost')
    expect(await deletesTold(customer)).toBe(1)
  })

  test('a step of an erasure that has not begun changes nothing', async () => {
    const customerId = await saveCustomer(world)
    await saveAnswer('kept', customerId, wire)
    expect(await takeStep(world, { merchantId: ACME, customerId, fence: 1 })).toBe('lost')
    const { rows } = await sql`select from idempotency_keys where key = 'kept' and body = ${wire}`.execute(
      world.db.writer,
    )
    expect(rows).toHaveLength(1)
  })
})

test('the commit of a step waits for no flush, and that of the last step waits', async () => {
  await run(`create table flushes (at bigserial, place text, setting text)`)
  await run('grant insert on flushes to merchant_payments_app')
  await run('grant usage on sequence flushes_at_seq to merchant_payments_app')
  await run(`create function note_flush() returns trigger language plpgsql as $$
    begin
      insert into flushes (place, setting) values (tg_table_name, current_setting('synchronous_commit'));
      return null;
    end $$`)
  await run('create trigger note_flush after update on customer_erasures execute function note_flush()')
  await run('create trigger note_flush after insert on events execute function note_flush()')
  // The test server has it off for every commit. New connections take the database's own setting.
  await run(
    `do $$ begin execute format('alter database %I set synchronous_commit = on', current_database()); end $$`,
  )
  const db = openTestDatabase(world.appUrl)
  try {
    const customer = await saveCustomer(world)
    await savePayments(customer, STEP_ROWS_MAX)
    const erasure = await begin(customer)
    await run('truncate flushes')
    const deps = { ...world, db }
    const ends = []
    do ends.push(await takeStep(deps, erasure))
    while (ends.at(-1) === 'advanced')
    const { rows } = await sql<{ place: string; setting: string }>`
      select place, setting from flushes order by at`.execute(world.owner.writer)
    const steps = ends.slice(0, -1).map(() => ({ place: 'customer_erasures', setting: 'off' }))
    expect(steps.length).toBeGreaterThan(0)
    expect(rows).toEqual([...steps, { place: 'events', setting: 'on' }])
  } finally {
    await db.close()
    await run('drop trigger note_flush on customer_erasures')
    await run('drop trigger note_flush on events')
  }
})

test('a step reads no more bytes of bodies than it may, and one body however long', async () => {
  const customer = await saveCustomer(world)
  const long = 200 * 1_024
  const count = 12
  await sql`insert into idempotency_keys (merchant_id, scope, key, fingerprint, status, body, customer_id, expires_at)
    select ${ACME}, 'v1', 'long-' || n, '', 200,
      json_build_object('object', 'customer', 'phone', ${PAYER}::text, 'metadata', repeat('x', ${long})),
      ${uuidOf(customer)}::uuid, now()
    from generate_series(1, ${count}) n`.execute(world.db.writer)
  const erasure = await begin(customer)
  const cleared = async () => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from idempotency_keys
      where customer_id = ${uuidOf(customer)}::uuid and body like '%"phone":"[redacted]"%'`.execute(
      world.db.writer,
    )
    return rows[0]?.n ?? 0
  }
  let before = 0
  for (let end = await takeStep(world, erasure); end !== 'finished'; end = await takeStep(world, erasure)) {
    const after = await cleared()
    expect(after - before).toBeGreaterThan(0)
    expect((after - before - 1) * long).toBeLessThan(STEP_BYTES_MAX)
    before = after
  }
  expect(await cleared()).toBe(count)
})
