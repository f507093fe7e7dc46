import { expect } from 'vitest'
import { findPayable } from '../src/payers/store.ts'
import { createSession } from '../src/checkout-sessions/create.ts'
import { expireSession } from '../src/checkout-sessions/expire.ts'
import { lapseSessions } from '../src/checkout-sessions/lapse.ts'
import { getSession } from '../src/checkout-sessions/queries.ts'
import { createCustomer } from '../src/customers/create.ts'
import { deleteCustomer } from '../src/customers/erasure/delete.ts'
import { updateCustomer } from '../src/customers/update.ts'
import { claimDeliveries } from '../src/deliveries/claim-store.ts'
import { fanOut, finishAttempts } from '../src/deliveries/store.ts'
import { findDueFanouts } from '../src/events/store.ts'
import type { CheckoutSessionId, PaymentIntentId } from '../src/base/ids.ts'
import { createInvoiceItem, updateInvoiceItem } from '../src/invoices/item-commands.ts'
import { createInvoice } from '../src/invoices/commands.ts'
import { finalizeInvoice } from '../src/invoices/moves.ts'
import { payInvoice } from '../src/invoices/pay.ts'
import { getInvoice } from '../src/invoices/queries.ts'
import { cancelIntent } from '../src/payment-intents/cancel.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import { createIntent } from '../src/payment-intents/create.ts'
import { getIntent } from '../src/payment-intents/queries.ts'
import { createRefund } from '../src/refunds/create.ts'
import { getRefund } from '../src/refunds/queries.ts'
import { updateRefund } from '../src/refunds/update.ts'
import { LEASE_MS } from '../src/queue/claim.ts'
import {
  exhausted,
  accepted,
  ACME,
  declined,
  makeRefunds,
  paid,
  PAYER,
  PUSH,
  type TestRefunds,
  unknown,
  wantedIntent,
  wantedSession,
} from './make.ts'
import type { BigTables } from './big-tables.ts'
import { instructRefunds, settleCharges } from './passes.ts'
import { rowsRead } from './rows-read.ts'
import { claimOf, confirmation, type World } from './world.ts'

/** Whole lives of a merchant's objects, made by the service's commands and passes. Each can be run again. */

const DAY_MS = 24 * 3_600_000

/** The rails accept everything, except that their first answer to each refund is lost. */
export function approveAll(world: World): void {
  world.push.whenSubmitted = () => accepted
  world.push.whenAsked = () => paid
  world.push.refunds = Object.assign(makeRefunds(), { whenSent: sendsOnSecondTry() })
}

function sendsOnSecondTry(): TestRefunds['whenSent'] {
  const seen = new Set<string>()
  return ({ reference }) => {
    if (seen.has(reference)) return { kind: 'accepted' }
    seen.add(reference)
    return unknown
  }
}

/** Two customers, one of them named in a payment that was refused. */
export async function meetAndErase(world: World): Promise<void> {
  world.push.whenSubmitted = () => ({ kind: 'declined', decline: declined })
  for (const isNamed of [true, false]) {
    const { body } = await createCustomer(world, claimOf(), { name: 'Ada', phone: PAYER })
    const { id } = JSON.parse(body) as { id: string }
    await updateCustomer(world, claimOf(), id, { email: 'ada@shop.example' })
    if (isNamed) {
      const created = await createIntent(world, claimOf(), { ...wantedIntent, customer: id })
      const intent = (JSON.parse(created.body) as { id: string }).id
      expect((await confirmIntent(world, claimOf(), intent, confirmation())).status).toBe(200)
    }
    await deleteCustomer(world, ACME, id, 'req_1')
  }
}

/** One payment, from its creation to its refund, with their webhooks. */
export async function payAndRefund(world: World): Promise<void> {
  const { db } = world
  const created = await createIntent(world, claimOf(), wantedIntent)
  const { id } = JSON.parse(created.body) as { id: string }
  await confirmAndSettle(world, id)
  expect((await getIntent(world, ACME, id)).status).toBe('succeeded')
  await refund(world, id)
  const order = { nowMs: world.nowMs, limit: 10, leaseUntilMs: world.nowMs + LEASE_MS }
  const events = await findDueFanouts(db.reader, world.nowMs, 10)
  expect(await fanOut(db.writer, events, () => ['hook'], world.nowMs)).toBe(2)
  const jobs = await claimDeliveries(db.writer, order, [], { behind: null })
  const posted = {
    startedAtMs: world.nowMs,
    durationMs: 5,
    statusCode: 200,
    error: null,
    responseExcerpt: null,
  }
  const attempts = jobs.map((job) => ({ job, ...posted, result: 'succeeded' as const }))
  expect(await finishAttempts(db.writer, attempts, order.leaseUntilMs, world.nowMs, exhausted)).toHaveLength(
    2,
  )
}

/** A refund that the rail may have, which the worker then resolves. */
async function refund(world: World, paymentIntent: string): Promise<void> {
  const destination = { [PUSH]: { msisdn: PAYER } }
  const wanted = { paymentIntent, amountMinor: null, reason: null, metadata: {}, destination }
  const created = await createRefund(world, claimOf(), wanted)
  const { id } = JSON.parse(created.body) as { id: string }
  await updateRefund(world, claimOf(), id, {})
  world.nowMs += 5_000
  expect(await instructRefunds(world)).toMatchObject({ moved: 1 })
  expect((await getRefund(world, ACME, id)).status).toBe('pending')
}

/** Three sessions: one is paid, one is ended by the merchant, and one expires. */
export async function sellOnPages(world: World): Promise<void> {
  const ids: string[] = []
  const paymentIntents: string[] = []
  for (let n = 0; n < 3; n += 1) {
    const { body } = await createSession(world, claimOf(), n === 0 ? wantedSession : await adoption(world))
    const session = JSON.parse(body) as { id: string; payment_intent: string }
    ids.push(session.id)
    paymentIntents.push(session.payment_intent)
  }
  const [paid = '', ended = '', over = ''] = ids
  for (const id of [paid as CheckoutSessionId, paymentIntents[0] as PaymentIntentId]) {
    expect((await findPayable(world.db.reader, ACME, id)).found).toBeDefined()
  }
  expect((await expireSession(world, claimOf(), ended)).status).toBe(200)
  await confirmAndSettle(world, paymentIntents[0] ?? '')
  world.nowMs += DAY_MS
  expect(await lapseSessions(world)).toEqual({ lapsed: 1, full: false })
  expect((await getSession(world, ACME, paid)).status).toBe('complete')
  expect((await getSession(world, ACME, over)).status).toBe('expired')
}

/** A session for an existing intent. */
async function adoption(world: World) {
  const { body } = await createIntent(world, claimOf(), wantedIntent)
  const { id: paymentIntent } = JSON.parse(body) as { id: string }
  return { ...wantedSession, paymentIntent, amountMinor: null, currency: null, paymentMethodTypes: null }
}

/** An invoice with two lines for a new customer. The merchant replaces the first intent that it mints. */
export async function billAndPay(world: World): Promise<void> {
  const { body } = await createCustomer(world, claimOf(), { name: 'Ada' })
  const { id: customer } = JSON.parse(body) as { id: string }
  const created = await createInvoice(world, claimOf(), {
    customer,
    currency: 'XAF',
    description: null,
    paymentMethodTypes: [PUSH],
    metadata: {},
    dueDateSec: undefined,
    daysUntilDue: undefined,
  })
  const { id: invoice } = JSON.parse(created.body) as { id: string }
  const line = { invoice, customer: null, currency: undefined, description: null, metadata: {} }
  const noPrice = { amountMinor: undefined, unitAmountMinor: undefined, quantity: undefined }
  for (const amountMinor of [300, 700]) {
    const { body } = await createInvoiceItem(world, claimOf(), { ...line, ...noPrice, amountMinor })
    const { id } = JSON.parse(body) as { id: string }
    const changes = { ...noPrice, description: 'May', metadata: {} }
    expect((await updateInvoiceItem(world, claimOf(), id, changes)).status).toBe(200)
  }
  expect((await finalizeInvoice(world, claimOf(), invoice)).status).toBe(200)
  const replaced = await pay(world, invoice)
  expect((await cancelIntent(world, claimOf(), replaced, null)).status).toBe(200)
  world.nowMs += 1_000
  await confirmAndSettle(world, await pay(world, invoice))
  expect((await getInvoice(world, ACME, invoice)).status).toBe('paid')
}

async function pay(world: World, invoice: string): Promise<string> {
  const { body } = await payInvoice(world, claimOf(), invoice)
  return (JSON.parse(body) as { payment_intent: string }).payment_intent
}

async function confirmAndSettle(world: World, intent: string): Promise<void> {
  expect((await confirmIntent(world, claimOf(), intent, confirmation())).status).toBe(200)
  world.nowMs += 60_000
  expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 1 })
}

/** Each life of the objects that a merchant sells with. */
export const lives = [
  ['a payment, until its refund and their webhooks', payAndRefund],
  ['sessions, one paid, one ended, one over', sellOnPages],
  ['a bill, until paid', billAndPay],
  ['a customer, until erased or removed', meetAndErase],
] as const

/** Days before the rows of big tables, so that no row is due in the worker's queues. */
const LIVED_BEFORE_MS = 10 * 24 * 3_600_000
/** About a hundred, plus dead index entries while any backend of the server holds an older snapshot. */
export const LIFE_ROWS_READ_MAX = 1_000

/** Rows that a life among big tables reads, with those that its triggers read. The life before it is not counted. */
export async function rowsReadByLife(
  world: World,
  { startMs }: Pick<BigTables, 'startMs'>,
  live: (world: World) => Promise<void>,
): Promise<number> {
  world.nowMs = startMs - LIVED_BEFORE_MS
  approveAll(world)
  await live(world)
  const before = await rowsRead(world)
  await live(world)
  return (await rowsRead(world)) - before
}
