import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPayable } from '../src/browser/store.ts'
import type { Charge } from '../src/charges/charge.ts'
import type { WantedCharge } from '../src/charges/opening/opening.ts'
import { openCharges } from '../src/charges/opening/store.ts'
import {
  claimCharges,
  loadIntents,
  pullForward,
  reloadCharges,
  rescheduleCharges,
} from '../src/charges/store.ts'
import {
  findOverdue,
  findSession,
  LAPSE_BATCH_MAX,
  listSessions,
  writeLapses,
} from '../src/checkout-sessions/store.ts'
import { moveSession } from '../src/checkout-sessions/session.ts'
import { type Customer, nobody } from '../src/customers/customer.ts'
import { renderCustomer } from '../src/customers/render.ts'
import { findCustomer, insertCustomer, listCustomerPage, writeChange } from '../src/customers/store.ts'
import { claimDeliveries, finishAttempts, fanOut } from '../src/deliveries/store.ts'
import { newEvent } from '../src/events/event.ts'
import { listIdleCustomers } from '../src/erasure/store.ts'
import { claimFanout, findEventBody, listEventBodies } from '../src/events/store.ts'
import { findUsedKey } from '../src/idempotency/store.ts'
import {
  type CheckoutSessionId,
  type CustomerId,
  type EventId,
  idOf,
  type InvoiceId,
  type InvoiceItemId,
  type MerchantId,
  mintId,
  type PaymentIntentId,
  type RefundId,
} from '../src/ids.ts'
import { findItem } from '../src/invoice-items/store.ts'
import { moveInvoice } from '../src/invoices/invoice.ts'
import { findInvoice, findStanding, listInvoicePage, writeInvoice } from '../src/invoices/store.ts'
import { moveIntent } from '../src/payment-intents/intent.ts'
import { insertIntents } from '../src/payment-intents/insertions/store.ts'
import { findIntent, insertIntent, listIntents } from '../src/payment-intents/store.ts'
import { moveRefund } from '../src/refunds/refund.ts'
import { claimRefunds, findErased, findRefund, findRefundable, listRefundRows } from '../src/refunds/store.ts'
import { openRefund, writeRefund } from '../src/refunds/transitions.ts'
import { writeTransitions } from '../src/transitions.ts'
import { type ClaimOrder, LEASE_MS } from '../src/work/claim.ts'
import { removeExpiredKeys } from '../src/work/housekeeping.ts'
import { makeIntent, makeRefund, PAYER, PUSH } from './make.ts'
import { type Cost, costsOf } from './explain.ts'
import { claimOf, openWorld, type World } from './world.ts'

const ROWS = 200_000
const FILL_ROWS = 25_000
const MERCHANTS = 20
const BILLS = 20_000
const BIG = 1_000
/** A row's id, and the same one for its intent, charge, event, delivery and job: n milliseconds after the start. */
const NOW = Date.now()
const START = NOW - ROWS * 5
const idAt = (n: string) =>
  `(lpad(to_hex(${START}::bigint + ${n} * 5), 12, '0') || '7000a' || substr(md5(${n}::text), 1, 15))::uuid`

let world: World
beforeAll(async () => {
  world = await openWorld()
  const merchant = `'m' || n % ${MERCHANTS}`
  const series = `from generate_series(1, ${ROWS}) n`
  const run = (text: string) => sql.raw(text).execute(world.db.writer)
  // In parts, so that a loaded machine writes each within the time limit of a statement.
  const fill = async (text: string) => {
    for (let n = 0; n < ROWS; n += FILL_ROWS) {
      await run(text.replace(series, `from generate_series(${n + 1}, ${n + FILL_ROWS}) n`))
    }
  }
  const dueOf = (every: number) =>
    `case when n % ${every} = 0 then to_timestamp(${NOW / 1000}) - make_interval(secs => n % 60) else to_timestamp(${NOW / 1000}) + make_interval(secs => 60 + n) end`
  await fill(`insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata, client_secret, livemode)
    select ${merchant}, ${idAt('n')}, 1000, 'XAF', case when n % 10 = 0 then 'requires_payment_method' else 'processing' end,
      '{push_rail}', '{"order":"42"}', 'secret', false ${series}`)
  await fill(`insert into charges (merchant_id, id, payment_intent_id, rail, status, amount, currency, reference, callback_secret, opened_at, submit_deadline, next_query_at)
    select ${merchant}, ${idAt('n')}, ${idAt('n')}, 'push_rail', case when n % 10 = 0 then 'succeeded' else 'live' end, 1000, 'XAF', 'ref-' || n,
      'secret-' || n, now(), now(), case when n % 10 = 0 then null else ${dueOf(101)} end ${series}`)
  await run(`insert into checkout_sessions (merchant_id, id, payment_intent_id, status, client_secret, ui_mode, metadata, livemode, expires_at)
    select ${merchant}, ${idAt('n')}, ${idAt('n')}, case when n % 10 = 0 then 'open' else 'expired' end, 'secret', 'embedded', '{}', false,
      case when n % 20 = 0 then to_timestamp(${NOW / 1000}) - make_interval(secs => n % 60) else to_timestamp(${NOW / 1000}) + make_interval(secs => 60 + n) end from generate_series(1, ${ROWS / 4}) n`)
  await fill(`insert into refunds (merchant_id, id, payment_intent_id, status, amount, currency, metadata, livemode, opened_at, rail, reference, instruction, submit_deadline, instruct_at)
    select ${merchant}, ${idAt('n')}, ${idAt('(n - 20 * (n / 20 % 20))')}, 'pending', 1, 'XAF', '{}', false, now(), 'push_rail', 'ref-' || n,
      case when n % 10 = 0 then 'accepted' else 'sent' end, now(), case when n % 10 = 0 then null else ${dueOf(101)} end ${series} where n > 400`)
  await fill(`insert into events (merchant_id, id, type, body, fanout_state, fanout_due_at)
    select ${merchant}, ${idAt('n')}, 'payment_intent.succeeded', '{"a":"b"}', case when n % 101 = 0 then 'pending' else 'done' end, to_timestamp(${NOW / 1000}) ${series}`)
  await fill(`insert into deliveries (merchant_id, event_id, endpoint_id, id, status, created_at)
    select ${merchant}, ${idAt('n')}, 'hook', ${idAt('n')}, 'pending', now() ${series}`)
  await fill(`insert into delivery_jobs (delivery_id, merchant_id, event_id, endpoint_id, due_at)
    select ${idAt('n')}, ${merchant}, ${idAt('n')}, 'hook', ${dueOf(101)} ${series}`)
  await fill(`insert into idempotency_keys (merchant_id, scope, key, fingerprint, status, body, expires_at)
    select ${merchant}, 'v1', 'key-' || n, '\\x00', 200, '{}', to_timestamp(${NOW / 1000}) + make_interval(secs => n) ${series}`)
  await run(`insert into customers (merchant_id, id, name, phone, metadata, livemode, last_used_at)
    select ${merchant}, ${idAt('n')}, 'Awa', '237670000001', '{}', false, to_timestamp(${NOW / 1000}) - make_interval(hours => n / 10) ${series}`)
  const bills = `from generate_series(1, ${BILLS}) n`
  await run(`insert into invoices (merchant_id, id, status, customer_id, currency, total, line_count, payment_method_types, metadata, livemode)
    select ${merchant}, ${idAt('n')}, 'draft', ${idAt('n')}, 'XAF', 30, 3, '{}', '{}', false ${bills}`)
  await run(`insert into invoice_items (merchant_id, id, invoice_id, amount, unit_amount, quantity, metadata)
    select ${merchant}, ${idAt('(n * 3 + line)')}, ${idAt('n')}, 10, 10, 1, '{}' ${bills}, generate_series(0, 2) line`)
  await run(`insert into invoice_counters select 'm' || n, 0 from generate_series(0, ${MERCHANTS - 1}) n`)
  await run(
    'vacuum (analyze) customers, invoices, invoice_items, invoice_counters, payment_intents, charges, checkout_sessions, refunds, events, deliveries, delivery_jobs, idempotency_keys',
  )
}, 240_000)
afterAll(() => world.stop())

const merchant = 'm7' as MerchantId
/** The id of the merchant's row in the middle of its history. */
const middle = async (prefix: 'pi' | 'evt' | 'cus' | 're') => {
  const { rows } = await sql<{ id: string }>`select id from payment_intents where merchant_id = ${merchant}
    order by id offset 5000 limit 1`.execute(world.db.writer)
  return idOf(prefix, rows[0]?.id ?? '')
}

/** Tables of thousands of rows that were read from end to end: their small or empty partitions may be. */
async function bigScans(costs: readonly Cost[]): Promise<string[]> {
  const scanned = [...new Set(costs.flatMap((cost) => cost.scanned))]
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relname = any (${scanned}::text[]) and reltuples > ${BIG}::integer`.execute(world.db.writer)
  return rows.map(({ name }) => name)
}

const order = (limit: number): ClaimOrder => ({ nowMs: NOW, limit, leaseUntilMs: NOW + LEASE_MS })
const page = { limit: 10, startingAfter: null, endingBefore: null, created: null }
const anyRefund = { intentId: null }

type Run = Parameters<typeof costsOf>[1]

const hundred = async (claim: Promise<unknown[]>) => {
  expect(await claim).toHaveLength(100)
}

/** A statement of the hot paths, and how many pages of 8 kB each run of it may touch. */
const statements: Record<string, [buffersMax: number, run: Run]> = {
  'a claim of 100 charges of thousands that are due, of 180 000 that wait': [
    1_500,
    ({ writer }) => hundred(claimCharges(writer, order(100))),
  ],
  'a claim past the thousands that are due at a busy rail': [
    3_000,
    async ({ writer }) => expect(await claimCharges(writer, order(100), [PUSH])).toEqual([]),
  ],
  'a claim of 100 events of thousands to fan out, of 200 000': [
    3_000,
    ({ writer }) => hundred(claimFanout(writer, order(100))),
  ],
  'a claim of 100 deliveries of thousands that are due, of 200 000 that wait': [
    3_000,
    ({ writer }) => hundred(claimDeliveries(writer, order(100), [])),
  ],
  'a claim past a busy endpoint': [
    2_500,
    ({ writer }) => hundred(claimDeliveries(writer, order(100), ['m1/hook', 'm2/hook'])),
  ],
  'a claim of deliveries when none is due': [
    60,
    ({ writer }) => claimDeliveries(writer, { ...order(100), nowMs: START - 60_000 }, []),
  ],
  'a claim that finds nothing': [
    60,
    ({ writer }) => claimCharges(writer, { nowMs: START - 60_000, limit: 100, leaseUntilMs: START }),
  ],
  'the first page of payment intents': [60, ({ reader }) => listIntents(reader, merchant, page)],
  'the page after a payment intent': [
    60,
    async ({ reader }) =>
      listIntents(reader, merchant, { ...page, startingAfter: (await middle('pi')) as PaymentIntentId }),
  ],
  'the page before a payment intent': [
    60,
    async ({ reader }) =>
      listIntents(reader, merchant, { ...page, endingBefore: (await middle('pi')) as PaymentIntentId }),
  ],
  'the first page of events': [80, ({ reader }) => listEventBodies(reader, merchant, page)],
  'the page after an event': [
    100,
    async ({ reader }) =>
      listEventBodies(reader, merchant, { ...page, startingAfter: (await middle('evt')) as EventId }),
  ],
  'the page before an event': [
    100,
    async ({ reader }) =>
      listEventBodies(reader, merchant, { ...page, endingBefore: (await middle('evt')) as EventId }),
  ],
  'a payment intent': [
    20,
    async ({ reader }) => findIntent(reader, merchant, (await middle('pi')) as PaymentIntentId),
  ],
  'the first page of checkout sessions': [
    120,
    ({ reader }) => listSessions(reader, merchant, page, { intentId: null, customerId: null, status: null }),
  ],
  'what a payer reads, by an intent': [
    50,
    async ({ reader }) => findPayable(reader, merchant, (await middle('pi')) as PaymentIntentId),
  ],
  'what a payer reads, by a session': [
    60,
    async ({ reader }) => findPayable(reader, merchant, await aSession()),
  ],
  'a checkout session': [30, async ({ reader }) => findSession(reader, merchant, await aSession())],
  'a sweep of 500 checkout sessions of 2 500 that are over, of 2 500 that wait': [
    20_000,
    async ({ reader, writer }) => {
      const overdue = await findOverdue(reader, NOW)
      expect(overdue).toHaveLength(LAPSE_BATCH_MAX)
      const changes = overdue.map((session) => moveSession(session, 'lapse', NOW))
      expect(await writeLapses(writer, changes, NOW)).toBe(LAPSE_BATCH_MAX)
    },
  ],
  'an event': [30, async ({ reader }) => findEventBody(reader, merchant, (await middle('evt')) as EventId)],
  'the page after a customer': [
    60,
    async ({ reader }) =>
      listCustomerPage(reader, merchant, { ...page, startingAfter: (await middle('cus')) as CustomerId }),
  ],
  'a customer': [
    20,
    async ({ reader }) => findCustomer(reader, merchant, (await middle('cus')) as CustomerId),
  ],
  'customers who were idle for long': [
    200,
    async ({ reader }) => {
      expect(await listIdleCustomers(reader, NOW - 500 * 24 * 3_600_000, 100)).toHaveLength(100)
    },
  ],
  'a new customer': [
    60,
    ({ writer }) => {
      const { customer, event } = madeCustomer()
      return insertCustomer(writer, claimOf(), { customer, event, answer }, NOW)
    },
  ],
  'an update of a customer': [
    80,
    async ({ reader, writer }) => {
      const { found } = await findCustomer(reader, merchant, (await middle('cus')) as CustomerId)
      const { customer, event } = madeCustomer(found)
      await writeChange(writer, claimOf(), { after: customer, event }, answer, NOW)
    },
  ],
  'a key': [
    20,
    ({ reader }) => findUsedKey(reader, { ...claimOf('key-7'), merchantId: merchant }, NOW).catch(() => null),
  ],
  'a new payment intent': [
    60,
    ({ writer }) => {
      const intent = makeIntent('requires_payment_method', { id: mintId('pi', NOW) })
      return insertIntent(writer, claimOf(), intent, { status: 201, body: '{}', shouldRetry: null }, NOW)
    },
  ],
  'the new payment intents of several requests': [
    240,
    ({ writer }) =>
      insertIntents(
        writer,
        Array.from({ length: 8 }, () => ({
          claim: claimOf(),
          intent: makeIntent('requires_payment_method', { id: mintId('pi', NOW) }),
          answer: { status: 201, body: '{}', shouldRetry: null },
          nowMs: NOW,
        })),
      ),
  ],
  'a new charge': [120, async ({ writer }) => openCharges(writer, [await wantedCharge()])],
  'the new charges of several requests': [
    600,
    async ({ writer }) => openCharges(writer, await Promise.all([0, 1, 2, 3].map(wantedCharge))),
  ],
  'an invoice with its lines': [40, async ({ reader }) => findInvoice(reader, merchant, await aBill())],
  'an invoice that is to be paid or closed': [
    60,
    async ({ reader }) => findStanding(reader, merchant, await aBill()),
  ],
  'the first page of invoices, with their lines': [
    250,
    ({ reader }) => listInvoicePage(reader, merchant, page, { customerId: null, status: null }),
  ],
  'a finalized invoice': [
    200,
    async ({ writer }) => {
      const { found } = await findInvoice(world.db.reader, merchant, await aBill())
      if (found?.invoice.status !== 'draft') throw new Error('a draft was expected')
      const change = moveInvoice(found.invoice, 'finalize', {}, NOW)
      const claim = { ...claimOf(), merchantId: merchant }
      const answer = { status: 200, body: '{"number":null}', shouldRetry: null }
      const written = await writeInvoice(writer, claim, { change, intent: null, answer }, NOW)
      expect(written).toMatchObject({ kind: 'written' })
    },
  ],
  'an item with its invoice': [
    40,
    async ({ reader }) => findItem(reader, merchant, (await aRow('invoice_items', 'ii')) as InvoiceItemId),
  ],
  'a callback by reference': [
    40,
    ({ writer }) => pullForward(writer, PUSH, { by: 'reference', value: 'ref-77' }, NOW),
  ],
  'a callback by secret': [
    40,
    ({ writer }) => pullForward(writer, PUSH, { by: 'callback_secret', value: 'secret-78' }, NOW),
  ],
  'a claim of 100 refunds of thousands that are due, of 180 000 that wait': [
    1_500,
    ({ writer }) => hundred(claimRefunds(writer, order(100))),
  ],
  'a claim past the refunds that are due at a busy rail': [
    3_000,
    async ({ writer }) => expect(await claimRefunds(writer, order(100), [PUSH])).toEqual([]),
  ],
  'which of 50 refunds belong to an erased customer': [
    400,
    async ({ reader }) => {
      const { found } = await listRefundRows(reader, merchant, { ...page, limit: 50 }, anyRefund)
      await findErased(reader, found.items)
    },
  ],
  'the first page of refunds': [60, ({ reader }) => listRefundRows(reader, merchant, page, anyRefund)],
  'the page after a refund': [
    60,
    async ({ reader }) =>
      listRefundRows(
        reader,
        merchant,
        { ...page, startingAfter: (await middle('re')) as RefundId },
        anyRefund,
      ),
  ],
  'the refunds of a payment intent': [
    60,
    async ({ reader }) =>
      listRefundRows(reader, merchant, page, { intentId: (await middle('pi')) as PaymentIntentId }),
  ],
  'a refund': [20, async ({ reader }) => findRefund(reader, merchant, (await middle('re')) as RefundId)],
  'a payment intent and what its refunds hold': [
    30,
    async ({ reader }) => findRefundable(reader, merchant, (await middle('pi')) as PaymentIntentId),
  ],
  'a new refund': [
    120,
    async ({ writer }) => {
      const fields = { merchantId: merchant, id: mintId('re', NOW), intentId: await aPaidIntent() }
      const refund = makeRefund('pending', fields)
      const event = newEvent('charge.refunded', {}, { livemode: false, customerId: null, nowMs: NOW })
      const claim = { ...claimOf(), merchantId: merchant }
      const hold = { heldUntilMs: NOW + 12_000, reservedMinor: null }
      expect((await openRefund(writer, claim, refund, event, hold)).fence).not.toBeNull()
    },
  ],
  'a refund that fails': [
    120,
    async ({ reader, writer }) => {
      const { found } = await findRefund(reader, merchant, await waitingRefund())
      if (found?.status !== 'pending') throw new Error('no refund waits')
      const change = moveRefund(found, 'fail', { reason: 'declined' }, NOW)
      expect(await writeRefund(writer, change, null, NOW)).toBe(true)
    },
  ],
  'keys past their life': [5_000, ({ writer }) => removeExpiredKeys(writer, NOW + 1_000_000)],
}

async function aSession(): Promise<CheckoutSessionId> {
  const { rows } = await sql<{ id: string }>`select id from checkout_sessions where merchant_id = ${merchant}
    order by id offset 1000 limit 1`.execute(world.db.writer)
  return idOf('cs', rows[0]?.id ?? '')
}

const answer = { status: 200, body: '{}', shouldRetry: null }

function madeCustomer(found?: Customer) {
  const customer: Customer = found ?? {
    ...nobody,
    merchantId: merchant,
    id: mintId('cus', NOW),
    name: 'Awa',
    livemode: false,
    erasedAtMs: null,
    lastUsedAtMs: NOW,
    revision: 0,
  }
  const facts = { livemode: false, customerId: customer.id, nowMs: NOW }
  return { customer, event: newEvent('customer.updated', renderCustomer(customer), facts) }
}

const aRow = async (table: 'invoices' | 'invoice_items', prefix: 'in' | 'ii') => {
  const drafts = table === 'invoices' ? sql`and status = 'draft'` : sql``
  const { rows } = await sql<{
    id: string
  }>`select id from ${sql.table(table)} where merchant_id = ${merchant}
    ${drafts} order by id offset 500 limit 1`.execute(world.db.writer)
  return idOf(prefix, rows[0]?.id ?? '')
}
const aBill = async () => (await aRow('invoices', 'in')) as InvoiceId

/** Of the nth intent that waits. */
async function wantedCharge(n = 0): Promise<WantedCharge> {
  const { rows } = await sql<{ id: string }>`select p.id from payment_intents p where merchant_id = 'm0'
    and status = 'requires_payment_method' order by id offset ${n} limit 1`.execute(world.db.writer)
  return {
    claim: { ...claimOf(), merchantId: 'm0' as MerchantId },
    intentId: idOf('pi', rows[0]?.id ?? ''),
    charge: {
      id: mintId('ch', NOW),
      reference: crypto.randomUUID(),
      rail: PUSH,
      settlementCurrency: 'XAF',
      payer: PAYER,
      namedCustomer: null,
      session: null,
      openedAtMs: NOW,
      submitDeadlineMs: NOW + 7_000,
      firstQueryAtMs: NOW + 8_000,
    },
    hold: { untilMs: NOW + 12_000, released: null },
  }
}

/** With a reservation to release: the refund's own intent may lie in another merchant's rows. */
async function waitingRefund(): Promise<RefundId> {
  const { rows } = await sql<{ id: string }>`
    with r as (
      update refunds set payment_intent_id = ${(await aPaidIntent()).slice(3)}::uuid
      where merchant_id = ${merchant} and id = (
        select id from refunds where merchant_id = ${merchant} and instruction = 'sent' limit 1)
      returning id, payment_intent_id, merchant_id),
    p as (
      update payment_intents p set refund_reserved = 500 from r
      where p.merchant_id = r.merchant_id and p.id = r.payment_intent_id)
    select id from r`.execute(world.db.writer)
  return idOf('re', rows[0]?.id ?? '')
}

async function aPaidIntent(): Promise<PaymentIntentId> {
  const { rows } = await sql<{ id: string }>`update payment_intents set status = 'succeeded'
    where merchant_id = ${merchant} and id = (
      select id from payment_intents where merchant_id = ${merchant} order by id offset 100 limit 1)
    returning id`.execute(world.db.writer)
  return idOf('pi', rows[0]?.id ?? '')
}

describe('among 200 000 rows, no big table is read from end to end, and few pages are touched, for', () => {
  test.each(Object.entries(statements))('%s', async (_name, [buffersMax, run]) => {
    const costs = await costsOf(world, run)
    expect(costs.length).toBeGreaterThan(0)
    expect(await bigScans(costs)).toEqual([])
    expect(Math.max(...costs.map(({ buffers }) => buffers))).toBeLessThanOrEqual(buffersMax)
  })

  test('a batch of 100 settlements, from the claim to the last write', async () => {
    const claimOrder = order(100)
    let charges: Charge[] = []
    const costs = await costsOf(world, async ({ reader, writer }) => {
      charges = await claimCharges(writer, claimOrder)
      const intents = await loadIntents(reader, charges)
      await reloadCharges(reader, charges)
      const later = charges.map((charge) => ({
        charge,
        nextQueryAtMs: NOW + 2_000,
        queryRung: 1,
        notFoundCount: 0,
      }))
      await rescheduleCharges(writer, later, claimOrder.leaseUntilMs, NOW)
      const cancels = [...intents.values()].flatMap((intent) =>
        intent.status === 'processing'
          ? [{ intent: moveIntent(intent, 'cancel', { reason: null }, NOW), charge: null, key: null }]
          : [],
      )
      expect(await writeTransitions(writer, cancels, NOW)).toEqual(cancels.map(() => true))
    })
    expect(charges).toHaveLength(100)
    expect(await bigScans(costs)).toEqual([])
    expect(Math.max(...costs.map(({ buffers }) => buffers))).toBeLessThanOrEqual(2_000)
  })

  test('a batch of 100 events, from the claim to the last attempt', async () => {
    const claimOrder = order(100)
    const costs = await costsOf(world, async ({ writer }) => {
      const events = await claimFanout(writer, claimOrder)
      expect(await fanOut(writer, events, () => ['hook', 'other'], claimOrder.leaseUntilMs, NOW)).toBe(100)
      const jobs = await claimDeliveries(writer, claimOrder, [])
      const attempts = jobs.map((job) => ({
        job,
        startedAtMs: NOW,
        durationMs: 5,
        statusCode: 200,
        error: null,
        responseExcerpt: null,
        result: 'succeeded' as const,
      }))
      expect(await finishAttempts(writer, attempts, claimOrder.leaseUntilMs, NOW)).toHaveLength(100)
    })
    expect(await bigScans(costs)).toEqual([])
    expect(Math.max(...costs.map(({ buffers }) => buffers))).toBeLessThanOrEqual(4_000)
  })
})
