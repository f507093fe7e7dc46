import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listCheckoutSessions } from '../src/checkout-sessions/queries.ts'
import { listCustomers } from '../src/customers/queries.ts'
import { listEvents } from '../src/events/queries.ts'
import type { CustomerId, PaymentIntentId } from '../src/base/ids.ts'
import { listInvoices } from '../src/invoices/queries.ts'
import type { PageQuery } from '../src/pages/page.ts'
import { listPaymentIntents } from '../src/payment-intents/queries.ts'
import { listRefunds } from '../src/refunds/queries.ts'
import { stopAutovacuum } from './big-tables.ts'
import { approveAll, billAndPay, meetAndErase, payAndRefund, sellOnPages } from './lives.ts'
import { ACME, PUSH, T0 } from './make.ts'
import { onOneConnection, rowsRead } from './rows-read.ts'
import { openWorld, type World } from './world.ts'

/** PostgreSQL may choose one plan for a prepared statement after five executions. */
const LIVES_PLANNED = 7
const ROWS = 5_000
/**
 * All statements of a life together read about a hundred rows. A life that scans the merchant's rows reads
 * thousands. Dead entries in the job tables' indexes come in between: they are read again while any backend of the
 * server holds an older snapshot. With such a backend, a life that reads 122 read 246.
 */
const ROWS_READ_MAX = 1_000
const ROWS_READ_OF_LISTS_MAX = 1_500

let world: World
const run = (text: string) => sql.raw(text).execute(world.db.writer)

describe.each([
  ['a payment, until its refund and their webhooks', payAndRefund, ROWS_READ_MAX],
  ['a customer, until erased or removed', meetAndErase, ROWS_READ_MAX],
  ['sessions, one paid, one ended, one over', sellOnPages, ROWS_READ_MAX],
  ['a bill, until paid', billAndPay, ROWS_READ_MAX],
  ['a page of each list, by each filter', turnPages, ROWS_READ_OF_LISTS_MAX],
])('%s', (_, life, rowsReadMax) => {
  beforeAll(async () => {
    world = await onOneConnection(await openWorld())
    approveAll(world)
    await stopAutovacuum(world.owner.writer)
  })
  afterAll(() => world.stop())

  test('whose statements were planned on empty tables still finds each row by its key when they have grown', async () => {
    for (let n = 0; n < LIVES_PLANNED; n += 1) await life(world)
    await grow()
    const before = await rowsRead(world)
    await life(world)
    expect((await rowsRead(world)) - before).toBeLessThan(rowsReadMax)
  })
})

/** From both ends, and from a row in the middle in both directions, with filters that match all rows and no row. */
async function turnPages(world: World): Promise<void> {
  for (const page of pages) {
    await listPaymentIntents(world, ACME, page)
    await listCustomers(world, ACME, page)
    for (const types of [null, ['payment_intent.succeeded'], ['invoice.paid', 'invoice.voided']] as const) {
      await listEvents(world, ACME, page, { types })
    }
    for (const customerId of [null, MIDDLE as CustomerId]) {
      for (const status of [null, 'draft', 'open'] as const) {
        await listInvoices(world, ACME, page, { status, customerId })
      }
      for (const intentId of [null, MIDDLE as PaymentIntentId]) {
        for (const status of [null, 'open', 'expired'] as const) {
          await listCheckoutSessions(world, ACME, page, { status, customerId, intentId })
        }
      }
    }
    for (const intentId of [null, MIDDLE as PaymentIntentId]) {
      await listRefunds(world, ACME, page, { intentId })
    }
  }
}

/** An id in the middle of those that `grow` inserts. */
const MIDDLE = `xx_${(T0 - ROWS / 2).toString(16).padStart(12, '0')}7000a000000000000000`

const pages = [
  [null, null],
  [MIDDLE, null],
  [null, MIDDLE],
].flatMap(([startingAfter, endingBefore]) =>
  [null, { fromSec: 0, untilSec: T0 }].map(
    (created) => ({ limit: 3, startingAfter, endingBefore, created }) as PageQuery<never>,
  ),
)

/** Inserts thousands of older payments of the same merchant. */
async function grow(): Promise<void> {
  const id = `(lpad(to_hex(${T0}::bigint - n), 12, '0') || '7000a' || substr(md5(n::text), 1, 15))::uuid`
  const series = `from generate_series(1, ${ROWS}) n`
  await run(`with paid as (
      insert into payment_intents
        (merchant_id, id, amount, currency, status, payment_method_types, metadata, client_secret, livemode, refund_reserved)
      select '${ACME}', ${id}, 1000, 'XAF', 'succeeded', '{${PUSH}}', '{}', 'secret', false, 1 ${series}
    ),
    paying as (
      insert into charges
        (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, opened_at, submit_deadline)
      select '${ACME}', ${id}, ${id}, '${PUSH}', 'succeeded', 1000, 'XAF', 'old-' || n, now(), now() ${series}
    )
    insert into refunds
      (merchant_id, id, payment_intent_id, status, amount, currency, metadata, livemode, opened_at, rail, reference,
       instruction, submit_deadline)
    select '${ACME}', ${id}, ${id}, 'pending', 1, 'XAF', '{}', false, now(), '${PUSH}', 'old-' || n, 'accepted',
      now() ${series}`)
  await run(`insert into customers (merchant_id, id, name, metadata, livemode, last_used_at)
    select '${ACME}', ${id}, 'Awa', '{}', false, now() ${series}`)
  await run(`insert into checkout_sessions
      (merchant_id, id, payment_intent_id, status, client_secret, ui_mode, metadata, livemode, expires_at)
    select '${ACME}', ${id}, ${id}, 'open', 'secret', 'embedded', '{}', false, '2100-01-01' ${series}`)
  await run(`insert into invoices (merchant_id, id, status, customer_id, currency, payment_method_types, metadata, livemode)
    select '${ACME}', ${id}, 'draft', ${id}, 'XAF', '{}', '{}', false ${series}`)
  await run(`insert into events (merchant_id, id, type, body, position)
    select '${ACME}', ${id}, 'payment_intent.succeeded', '{}', n ${series}`)
  await run(`insert into deliveries (merchant_id, event_id, endpoint_id, id, status, created_at)
    select '${ACME}', ${id}, 'hook', ${id}, 'succeeded', now() ${series}`)
  await run(`insert into delivery_attempts (merchant_id, delivery_id, number, event_id, started_at, duration_ms)
    select '${ACME}', ${id}, 1, ${id}, now(), 5 ${series}`)
  await run(`insert into idempotency_keys (merchant_id, scope, key, fingerprint, status, body, expires_at)
    select '${ACME}', 'v1', 'old-' || n, '\\x00', 200, '{}', now() + interval '1 day' ${series}`)
}
