import { openDatabase } from '@merchant-payments/db'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settleCharges } from '../src/charges/settle.ts'
import { listCheckoutSessions } from '../src/checkout-sessions/queries.ts'
import { createCustomer } from '../src/customers/create.ts'
import { deleteCustomer } from '../src/customers/delete.ts'
import { listCustomers } from '../src/customers/queries.ts'
import { updateCustomer } from '../src/customers/update.ts'
import { claimDeliveries, fanOut, finishAttempts } from '../src/deliveries/store.ts'
import { claimFanout } from '../src/events/store.ts'
import { listEvents } from '../src/events/queries.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import { createIntent } from '../src/payment-intents/create.ts'
import type { PageQuery } from '../src/pages/page.ts'
import { getIntent, listPaymentIntents } from '../src/payment-intents/queries.ts'
import { createRefund } from '../src/refunds/create.ts'
import { instructRefunds } from '../src/refunds/instruct.ts'
import { getRefund, listRefunds } from '../src/refunds/queries.ts'
import { updateRefund } from '../src/refunds/update.ts'
import { LEASE_MS } from '../src/work/claim.ts'
import { ACME, declined, makeRefunds, paid, PAYER, PUSH, T0, type TestRefunds, unknown } from './make.ts'
import { claimOf, confirmation, openWorld, type World } from './world.ts'

/** PostgreSQL settles on one plan for a prepared statement after five. */
const LIVES_PLANNED = 7
const ROWS = 5_000
/** All its statements together; one that walks the merchant's rows would read thousands. */
const ROWS_READ_MAX = 200

let world: World
const run = (text: string) => sql.raw(text).execute(world.db.writer)

describe.each([
  ['a payment, until its refund and their webhooks', live],
  ['a customer, until erased or removed', meetAndErase],
  ['a page of each list', turnPages],
])('%s', (_, life) => {
  beforeAll(async () => {
    const opened = await openWorld()
    const oneConnection = openDatabase({
      url: opened.url,
      poolSize: 1,
      readConnections: 0,
      applicationName: 'young-tables',
      namedStatements: true,
      onConnectionLost: () => undefined,
    })
    await opened.db.close()
    world = Object.assign(opened, { db: oneConnection })
    world.push.whenAsked = () => paid
    world.push.refunds = Object.assign(makeRefunds(), { whenSent: sendsOnSecondTry() })
    await run(`do $$ declare t regclass; begin
      for t in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
        execute format('alter table %s set (autovacuum_enabled = false)', t);
      end loop; end $$`)
  })
  afterAll(() => world.stop())

  test('whose statements were planned on empty tables still finds each row by its key when they have grown', async () => {
    for (let n = 0; n < LIVES_PLANNED; n += 1) await life()
    await grow()
    const before = await rowsRead()
    await life()
    expect((await rowsRead()) - before).toBeLessThan(ROWS_READ_MAX)
  })
})

/** From either end, and from a row in the middle in both directions. */
async function turnPages(): Promise<void> {
  for (const [startingAfter, endingBefore] of [
    [null, null],
    [MIDDLE, null],
    [null, MIDDLE],
  ]) {
    const page = { limit: 3, startingAfter, endingBefore } as PageQuery<never>
    await listPaymentIntents(world, ACME, page)
    await listCheckoutSessions(world, ACME, page)
    await listCustomers(world, ACME, page)
    await listRefunds(world, ACME, null, page)
    await listEvents(world, ACME, page)
  }
}

/** An id amid those that `grow` makes. */
const MIDDLE = `xx_${(T0 - ROWS / 2).toString(16).padStart(12, '0')}7000a000000000000000`

/** Two customers, of whom one was named with a payment that was refused. */
async function meetAndErase(): Promise<void> {
  world.push.whenSubmitted = () => ({ kind: 'declined', decline: declined })
  for (const isNamed of [true, false]) {
    const { body } = await createCustomer(world, claimOf(), { name: 'Ada', phone: PAYER })
    const { id } = JSON.parse(body) as { id: string }
    await updateCustomer(world, claimOf(), id, { email: 'ada@shop.example' })
    if (isNamed) {
      const created = await createIntent(world, claimOf(), { ...wanted, customer: id })
      const intent = (JSON.parse(created.body) as { id: string }).id
      expect((await confirmIntent(world, claimOf(), intent, confirmation())).status).toBe(200)
    }
    await deleteCustomer(world, ACME, id, 'req_1')
  }
}

const wanted = {
  amountMinor: 1_000,
  currency: 'XAF',
  paymentMethodTypes: [PUSH],
  customer: null,
  description: null,
  metadata: {},
} as const

/** The rail's first answer to each refund is lost. */
function sendsOnSecondTry(): TestRefunds['whenSent'] {
  const seen = new Set<string>()
  return ({ reference }) => {
    if (seen.has(reference)) return { kind: 'accepted' }
    seen.add(reference)
    return unknown
  }
}

/** One payment, from its creation to its refund and their webhooks. */
async function live(): Promise<void> {
  const { db } = world
  const created = await createIntent(world, claimOf(), wanted)
  const { id } = JSON.parse(created.body) as { id: string }
  expect((await confirmIntent(world, claimOf(), id, confirmation())).status).toBe(200)
  world.nowMs += 60_000
  expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 1 })
  expect((await getIntent(world, ACME, id)).status).toBe('succeeded')
  await refund(id)
  const order = { nowMs: world.nowMs, limit: 10, leaseUntilMs: world.nowMs + LEASE_MS }
  const events = await claimFanout(db.writer, order)
  expect(await fanOut(db.writer, events, () => ['hook'], order.leaseUntilMs, world.nowMs)).toBe(2)
  const jobs = await claimDeliveries(db.writer, order, [])
  const posted = {
    startedAtMs: world.nowMs,
    durationMs: 5,
    statusCode: 200,
    error: null,
    responseExcerpt: null,
  }
  const attempts = jobs.map((job) => ({ job, ...posted, result: 'succeeded' as const }))
  expect(await finishAttempts(db.writer, attempts, order.leaseUntilMs, world.nowMs)).toHaveLength(2)
}

/** A refund that the rail may have, until the worker finds out. */
async function refund(paymentIntent: string): Promise<void> {
  const destination = { [PUSH]: { msisdn: PAYER } }
  const wanted = { paymentIntent, amountMinor: null, reason: null, metadata: {}, destination }
  const created = await createRefund(world, claimOf(), wanted)
  const { id } = JSON.parse(created.body) as { id: string }
  await updateRefund(world, claimOf(), id, {})
  world.nowMs += 5_000
  expect(await instructRefunds(world)).toEqual({ claimed: 1, moved: 1 })
  expect((await getRefund(world, ACME, id)).status).toBe('pending')
}

/** Thousands of payments of the same merchant, behind it. */
async function grow(): Promise<void> {
  const id = `(lpad(to_hex(${T0}::bigint - n), 12, '0') || '7000a' || substr(md5(n::text), 1, 15))::uuid`
  const series = `from generate_series(1, ${ROWS}) n`
  await run(`insert into payment_intents
      (merchant_id, id, amount, currency, status, payment_method_types, metadata, client_secret, livemode)
    select '${ACME}', ${id}, 1000, 'XAF', 'succeeded', '{${PUSH}}', '{}', 'secret', false ${series}`)
  await run(`insert into customers (merchant_id, id, name, metadata, livemode, last_used_at)
    select '${ACME}', ${id}, 'Awa', '{}', false, now() ${series}`)
  await run(`insert into charges
      (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at, submit_deadline)
    select '${ACME}', ${id}, ${id}, '${PUSH}', 'succeeded', 1000, 'XAF', 'old-' || n, now(), now() ${series}`)
  await run(`insert into checkout_sessions
      (merchant_id, id, payment_intent_id, status, client_secret, ui_mode, metadata, livemode, expires_at)
    select '${ACME}', ${id}, ${id}, 'expired', 'secret', 'embedded', '{}', false, now() ${series}`)
  await run(`insert into refunds
      (merchant_id, id, payment_intent_id, status, amount, currency, metadata, livemode, opened_at, rail, reference,
       instruction, submit_deadline)
    select '${ACME}', ${id}, ${id}, 'pending', 1, 'XAF', '{}', false, now(), '${PUSH}', 'old-' || n, 'accepted',
      now() ${series}`)
  await run(`insert into events (merchant_id, id, type, body, fanout_state, fanout_due_at)
    select '${ACME}', ${id}, 'payment_intent.succeeded', '{}', 'done', now() ${series}`)
  await run(`insert into deliveries (merchant_id, event_id, endpoint_id, id, status, created_at)
    select '${ACME}', ${id}, 'hook', ${id}, 'succeeded', now() ${series}`)
  await run(`insert into delivery_attempts (merchant_id, delivery_id, number, event_id, started_at, duration_ms)
    select '${ACME}', ${id}, 1, ${id}, now(), 5 ${series}`)
  await run(`insert into idempotency_keys (merchant_id, scope, key, fingerprint, status, body, expires_at)
    select '${ACME}', 'v1', 'old-' || n, '\\x00', 200, '{}', now() + interval '1 day' ${series}`)
}

/** By this database's statements so far, whether from an index or from end to end. */
async function rowsRead(): Promise<number> {
  await run('select pg_stat_force_next_flush()')
  const { rows } = await sql<{ read: number }>`
    select (select sum(seq_tup_read) from pg_stat_user_tables)::bigint
      + (select sum(idx_tup_read) from pg_stat_user_indexes)::bigint as read`.execute(world.db.writer)
  return rows[0]?.read ?? 0
}
