import type { Tx } from '@merchant-payments/db'
import { expect } from 'vitest'
import type { PlainCharge } from '../src/payment-intents/opening.ts'
import { openCharges } from '../src/payment-intents/opening-store.ts'
import { claimCharges, pullForward } from '../src/charges/store.ts'
import { moveSession } from '../src/checkout-sessions/session.ts'
import { findOverdue, writeLapses } from '../src/checkout-sessions/store.ts'
import { type Customer, noFacts } from '../src/customers/customer.ts'
import { renderCustomer } from '../src/customers/render.ts'
import { newCustomers } from '../src/customers/insertions.ts'
import { findCustomer, writeChange } from '../src/customers/store.ts'
import { claimDeliveries } from '../src/deliveries/claim-store.ts'
import { findLostDeliveries, leaveToOthers } from '../src/deliveries/store.ts'
import { answerBodies, clearBodies, eventBodies } from '../src/customers/erasure/bodies-store.ts'
import { claimErasures } from '../src/customers/erasure/jobs-store.ts'
import { STEP_BYTES_MAX, STEP_ROWS_MAX } from '../src/customers/erasure/step.ts'
import { clearIntents, clearWords, excerpts, refundWords } from '../src/customers/erasure/words-store.ts'
import { newEvent } from '../src/commit/event.ts'
import { findDueFanouts } from '../src/events/store.ts'
import { type CustomerId, mintId, uuidFloorOf } from '../src/base/ids.ts'
import { newSessions } from '../src/checkout-sessions/insertions.ts'
import { newInvoices } from '../src/invoices/insertions.ts'
import type { Invoice } from '../src/invoices/invoice.ts'
import { newItems } from '../src/invoices/item-store.ts'
import { invoiceEventOf, moveInvoice } from '../src/invoices/invoice.ts'
import { renderInvoice } from '../src/invoices/render.ts'
import { findInvoice, listInvoicePage, writeInvoice } from '../src/invoices/store.ts'
import { spendJtis } from '../src/oauth/clients.ts'
import { newIntents } from '../src/payment-intents/insertions.ts'
import { moveRefund } from '../src/refunds/refund.ts'
import { claimRefunds, findRefund } from '../src/refunds/store.ts'
import { openRefund, writeRefund } from '../src/refunds/transitions.ts'
import { type ClaimOrder, LEASE_MS } from '../src/queue/claim.ts'
import { CHECKED_MAX, COLLECTED_MAX } from '../src/payer-numbers/collect.ts'
import {
  addNumbersOf,
  checkNumbers,
  findChargesAfter,
  forgetUnpaid,
  type HeldWalk,
} from '../src/payer-numbers/store.ts'
import { removeFine, rollUpBucket } from '../src/rollups/store.ts'
import { findExpiredKeys, findSpentJtis, removeJtis, removeKeys } from '../src/queue/housekeeping.ts'
import type { Round } from '../src/queue/walk.ts'
import { type BigTables, customerOfMany, merchants, middleOf } from './big-tables.ts'
import type { HotStatements } from './hot-statements.ts'
import { ACME, makeIntent, makeInvoice, makeRefund, makeSession, PAYER, PUSH } from './make.ts'
import { claimOf } from './world.ts'

export const orderOf = ({ nowMs }: BigTables, limit: number): ClaimOrder => ({
  nowMs,
  limit,
  leaseUntilMs: nowMs + LEASE_MS,
})

const ours = { known: [PUSH] }

const hundred = async (claim: Promise<unknown[]>) => {
  expect(await claim).toHaveLength(100)
}

/** A time before the first row, when nothing is due. */
const early = (big: BigTables): BigTables => ({ ...big, nowMs: big.startMs - 60_000 })

const claims: HotStatements = {
  'a claim of 100 charges of thousands that are due': [
    2_200,
    ({ writer }, big) => hundred(claimCharges(writer, orderOf(big, 100), ours)),
  ],
  'a claim past the thousands that are due at a busy rail': [
    3_000,
    async ({ writer }, big) =>
      expect(await claimCharges(writer, orderOf(big, 100), { ...ours, leftOut: [PUSH] })).toEqual([]),
  ],
  'the counts of a bucket of all merchants, without a row': [
    40,
    ({ writer }, { startMs }) =>
      rollUpBucket(writer as Tx, { fromMs: startMs - 600_000, untilMs: startMs - 300_000 }, { except: [] }),
  ],
  'the removal of old buckets, of which there are none': [
    40,
    ({ writer }, { startMs }) => removeFine(writer, { beforeMs: startMs - 3_600_000, looks: [] }),
  ],
  'a search for the next thousand charges whose numbers are collected': [
    1_200,
    async ({ reader }, { startMs, nowMs }) =>
      expect(
        await findChargesAfter(reader, uuidFloorOf(startMs), uuidFloorOf(nowMs), COLLECTED_MAX),
      ).toHaveLength(COLLECTED_MAX),
  ],
  'the numbers of a thousand charges, of which all are known': [
    10_000,
    async ({ reader, writer }, { startMs, nowMs }) => {
      const from = uuidFloorOf(startMs)
      const charges = await findChargesAfter(reader, from, uuidFloorOf(nowMs), COLLECTED_MAX)
      await addNumbersOf(writer as HeldWalk, charges)
    },
  ],
  'a look at the next payers’ numbers': [
    1_500,
    ({ writer }) => checkNumbers(writer as HeldWalk, CHECKED_MAX),
  ],
  'the removal of a number that no charge has': [
    60,
    ({ writer }) => forgetUnpaid(writer as HeldWalk, ['237600009999']),
  ],
  'a claim of charges when none is due': [
    60,
    ({ writer }, big) => claimCharges(writer, orderOf(early(big), 100), ours),
  ],
  'a claim of refunds when none is due': [
    60,
    ({ writer }, big) => claimRefunds(writer, orderOf(early(big), 100), ours),
  ],
  'a claim of 100 refunds of thousands that are due': [
    2_200,
    ({ writer }, big) => hundred(claimRefunds(writer, orderOf(big, 100), ours)),
  ],
  'a claim of refunds past the thousands that are due at a busy rail': [
    60,
    async ({ writer }, big) =>
      expect(await claimRefunds(writer, orderOf(big, 100), { ...ours, leftOut: [PUSH] })).toEqual([]),
  ],
  'a search for 100 events of thousands to fan out': [
    3_000,
    ({ reader }, big) => hundred(findDueFanouts(reader, big.nowMs, 100)),
  ],
  // A few pages for each of the endpoints that one claim walks, out of 2 000 that have jobs.
  'a claim of 100 deliveries of thousands that are due': [
    3_000,
    ({ writer }, big) => hundred(claimDeliveries(writer, orderOf(big, 100), [], { behind: null })),
  ],
  'a claim past a busy endpoint': [
    3_000,
    ({ writer }, big) =>
      hundred(claimDeliveries(writer, orderOf(big, 100), ['m1/hook', 'm2/hook'], { behind: null })),
  ],
  'a claim of 100 deliveries whose endpoints are left to other workers': [
    4_000,
    async ({ writer }, big) => {
      const { nowMs, leaseUntilMs, ...order } = orderOf(big, 100)
      const jobs = await claimDeliveries(writer, { ...order, nowMs, leaseUntilMs }, [], { behind: null })
      expect(await leaveToOthers(writer, jobs, leaseUntilMs, nowMs)).toEqual(new Set())
    },
  ],
  'a claim of deliveries when none is due': [
    60,
    ({ writer }, big) => claimDeliveries(writer, orderOf(early(big), 100), [], { behind: null }),
  ],
}

const scopeOf = (big: BigTables) => ({
  merchantId: ACME,
  customerId: customerOfMany(big),
  begunAtMs: big.nowMs,
})
const budget = { rowsMax: STEP_ROWS_MAX, bytesMax: STEP_BYTES_MAX }
const aStep = { rows: STEP_ROWS_MAX, next: 'page' }

/** Erasures of a customer with more copies than a step clears. */
const erasures: HotStatements = {
  'a claim of erasures of thousands that are due': [
    60,
    async ({ writer }) => expect(await claimErasures(writer, 4)).toHaveLength(4),
  ],
  'a step of an erasure over intents and their charges': [
    6_000,
    async ({ writer }, big) =>
      expect(await clearIntents(writer as Tx, scopeOf(big), null, STEP_ROWS_MAX)).toMatchObject(aStep),
  ],
  'a step of an erasure over refunds': [
    2_000,
    async ({ writer }, big) =>
      expect(await clearWords(writer as Tx, refundWords, scopeOf(big), null, STEP_ROWS_MAX)).toMatchObject(
        aStep,
      ),
  ],
  'a step of an erasure over excerpts': [
    6_000,
    async ({ writer }, big) =>
      expect(await clearWords(writer as Tx, excerpts, scopeOf(big), null, STEP_ROWS_MAX)).toMatchObject(
        aStep,
      ),
  ],
  'a step of an erasure over events': [
    2_000,
    async ({ writer }, big) =>
      expect(await clearBodies(writer as Tx, eventBodies, scopeOf(big), null, budget)).toMatchObject(aStep),
  ],
  'a step of an erasure over answers': [
    2_000,
    async ({ writer }, big) =>
      expect(await clearBodies(writer as Tx, answerBodies, scopeOf(big), null, budget)).toMatchObject(aStep),
  ],
}

const roundUntil = (untilMs: number): Round => ({ untilMs, after: null })

const sweeps: HotStatements = {
  'a sweep of hundreds of checkout sessions of thousands that are over': [
    25_000,
    async ({ reader, writer }, { nowMs }) => {
      const { found: overdue } = await findOverdue(reader, roundUntil(nowMs), nowMs)
      expect(overdue.length).toBeGreaterThanOrEqual(100)
      const changes = overdue.map((session) => moveSession(session, 'lapse', nowMs))
      expect(await writeLapses(writer, changes, nowMs)).toBe(overdue.length)
    },
  ],
  'the scan for deliveries whose job vanished': [
    12_000,
    ({ reader }, { nowMs }) => findLostDeliveries(reader, null, nowMs),
  ],
  'keys past their life': [
    20_000,
    async ({ reader, writer }, { nowMs }) =>
      removeKeys(
        writer,
        (await findExpiredKeys(reader, roundUntil(nowMs + 1_000_000), nowMs)).found.slice(0, 1_000),
        nowMs + 1_000_000,
      ),
  ],
  'spent jtis past their life': [
    20_000,
    async ({ reader, writer }, { nowMs }) =>
      removeJtis(
        writer,
        (await findSpentJtis(reader, roundUntil(nowMs + 4_600_000), nowMs)).found.slice(0, 1_000),
      ),
  ],
}

const creates: HotStatements = {
  'spent jtis': [
    30,
    ({ writer }, { nowMs }) =>
      spendJtis(writer, [{ clientId: ACME, jti: crypto.randomUUID(), expiresAtMs: nowMs + 60_000 }]),
  ],
  'a new customer': [60, ({ writer }, big) => newCustomers.write(writer, [newCustomer(big)], 'wait')],
  'the new customers of several requests': [
    300,
    ({ writer }, big) => newCustomers.write(writer, several(newCustomer, big), 'skip'),
  ],
  'a new payment intent': [60, ({ writer }, big) => newIntents.write(writer, [newIntent(big)], 'wait')],
  'the new payment intents of several requests': [
    240,
    ({ writer }, big) =>
      newIntents.write(
        writer,
        several((at) => newIntent(at), big),
        'skip',
      ),
  ],
  'the new payment intents of several requests that name customers': [
    400,
    async ({ writer }, big) => {
      const intents = several((at, n) => newIntent(at, middleOf(at, 'cus', ACME, n)), big)
      expect(new Set(await newIntents.write(writer, intents, 'skip'))).toEqual(new Set(['inserted']))
    },
  ],
  'the new sessions of several requests that name customers': [
    600,
    async ({ writer }, big) => {
      const sessions = several((at, n) => newSession(at, middleOf(at, 'cus', ACME, n)), big)
      expect(new Set(await newSessions.write(writer, sessions, 'skip'))).toEqual(new Set(['inserted']))
    },
  ],
  'the new invoices of several requests': [
    500,
    async ({ writer }, big) => {
      const invoices = several((at, n) => newInvoice(at, middleOf(at, 'cus', ACME, n)), big)
      expect(new Set(await newInvoices.write(writer, invoices, 'skip'))).toEqual(new Set(['inserted']))
    },
  ],
  'the new lines of several requests': [
    500,
    async ({ reader, writer }, { nowMs }) => {
      const page = { limit: 8, startingAfter: null, endingBefore: null, created: null }
      const { found } = await listInvoicePage(reader, ACME, page, { customerId: null, status: 'draft' })
      const lines = found.items.map(({ invoice }) => newLine(invoice, nowMs))
      expect(lines).toHaveLength(8)
      expect(new Set(await newItems.write(writer, lines, 'skip'))).toEqual(new Set([true]))
    },
  ],
  'a new charge': [
    120,
    async ({ writer }, big) => {
      const [opened] = await openCharges(writer, [wantedCharge(big)])
      expect(opened?.charge?.status).toBe('submitting')
    },
  ],
  'the new charges of several requests': [
    600,
    ({ writer }, big) =>
      openCharges(
        writer,
        [0, 1, 2, 3].map((after) => wantedCharge(big, after)),
      ),
  ],
  'a new refund': [
    120,
    async ({ writer }, { nowMs, ...big }) => {
      const intentId = middleOf({ nowMs, ...big }, 'pi', merchants.paid)
      const fields = { merchantId: merchants.paid, id: mintId('re', nowMs), intentId }
      const event = newEvent('charge.refunded', {}, { livemode: false, customerId: null, nowMs })
      const claim = { ...claimOf(), merchantId: merchants.paid }
      const hold = {
        knownSinceMs: nowMs,
        dueAtMs: nowMs + 8_000,
        heldUntilMs: nowMs + 12_000,
        reservedMinor: null,
      }
      expect(
        (await openRefund(writer, claim, makeRefund('pending', fields), event, hold)).fence,
      ).not.toBeNull()
    },
  ],
}

const changes: HotStatements = {
  'an update of a customer': [
    80,
    async ({ reader, writer }, big) => {
      const { found } = await findCustomer(reader, ACME, middleOf(big, 'cus'))
      const { customer, event } = madeCustomer(big.nowMs, found)
      expect(await writeChange(writer, claimOf(), { after: customer, event }, answer, big.nowMs)).toBe(true)
    },
  ],
  'a finalized invoice': [
    250,
    async ({ reader, writer }, { nowMs }) => {
      const page = { limit: 1, startingAfter: null, endingBefore: null, created: null }
      const { found } = await listInvoicePage(reader, ACME, page, { customerId: null, status: 'draft' })
      const invoice = found.items[0]?.invoice
      if (invoice?.status !== 'draft') throw new Error('a draft was expected')
      const change = moveInvoice(invoice, 'finalize', {}, nowMs)
      const rendered = { ...answer, body: JSON.stringify(renderInvoice(change.after, [])) }
      const written = await writeInvoice(writer, claimOf(), { change, intent: null, answer: rendered }, nowMs)
      expect(written).toMatchObject({ status: answer.status })
    },
  ],
  'a voided invoice': [
    250,
    async ({ reader, writer }, big) => {
      const { found } = await findInvoice(reader, ACME, middleOf(big, 'in'))
      if (found?.invoice.status !== 'open') throw new Error('an open invoice was expected')
      const change = moveInvoice(found.invoice, 'void', {}, big.nowMs)
      const write = { change, intent: null, answer }
      expect(await writeInvoice(writer, claimOf(), write, big.nowMs)).toEqual(answer)
    },
  ],
  'a refund that fails': [
    120,
    async ({ reader, writer }, big) => {
      const { found } = await findRefund(reader, merchants.paid, middleOf(big, 're', merchants.paid))
      if (found?.status !== 'pending') throw new Error('no refund waits')
      const change = moveRefund(found, 'fail', { reason: 'declined' }, big.nowMs)
      expect(await writeRefund(writer, change, null, { job: { kind: 'end' } }, big.nowMs)).toBe(true)
    },
  ],
  'a callback by reference': [
    40,
    ({ writer }, { nowMs }) => pullForward(writer, PUSH, { by: 'reference', value: 'ref-77' }, nowMs),
  ],
  'a callback by secret': [
    40,
    ({ writer }, { nowMs }) =>
      pullForward(writer, PUSH, { by: 'callback_secret', value: 'secret-78' }, nowMs),
  ],
}

const answer = { status: 200, body: '{}', shouldRetry: null }

const several = <Item>(make: (big: BigTables, n: number) => Item, big: BigTables): Item[] =>
  Array.from({ length: 8 }, (_, n) => make(big, n))

const newCustomer = ({ nowMs }: BigTables) => ({ ...madeCustomer(nowMs), claim: claimOf(), answer, nowMs })

const newIntent = ({ nowMs }: BigTables, customerId: CustomerId | null = null) => ({
  claim: claimOf(),
  intent: makeIntent('requires_payment_method', { id: mintId('pi', nowMs), customerId }),
  answer,
  nowMs,
})

function newSession(big: BigTables, customerId: CustomerId) {
  const made = newIntent(big, customerId)
  const id = mintId('cs', big.nowMs)
  // It outlasts the lives that are led before the tables' rows.
  const session = makeSession(made.intent, 'open', { id, customerId, expiresAtMs: big.nowMs + 3_600_000 })
  return { ...made, session }
}

function newInvoice({ nowMs, startMs }: BigTables, customerId: CustomerId) {
  // Older than the draft that is finalized.
  const invoice = makeInvoice('draft', { id: mintId('in', startMs), customerId })
  return {
    claim: claimOf(),
    invoice,
    event: invoiceEventOf('invoice.created', invoice, nowMs),
    answer,
    nowMs,
  }
}

function newLine(invoice: Invoice, nowMs: number) {
  const price = { amountMinor: 10, unitAmountMinor: 10, quantity: 1 }
  const item = { id: mintId('ii', nowMs), ...price, description: null, metadata: {}, bytes: 300, revision: 0 }
  return { claim: claimOf(), item, invoice: { ...invoice, itemBytes: 0 }, answer, nowMs }
}

function wantedCharge(big: BigTables, after = 0): PlainCharge {
  const { nowMs } = big
  return {
    claim: { ...claimOf(), merchantId: merchants.waiting },
    intentId: middleOf(big, 'pi', merchants.waiting, after),
    charge: {
      id: mintId('ch', nowMs),
      reference: crypto.randomUUID(),
      rail: PUSH,
      settlementCurrency: 'XAF',
      payer: PAYER,
      namedCustomer: null,
      session: null,
      openedAtMs: nowMs,
      submitDeadlineMs: nowMs + 7_000,
      firstQueryAtMs: nowMs + 8_000,
    },
    hold: { untilMs: nowMs + 12_000, released: null },
  }
}

function madeCustomer(nowMs: number, found?: Customer) {
  const customer: Customer = found ?? {
    ...noFacts,
    merchantId: ACME,
    id: mintId('cus', nowMs),
    name: 'Awa',
    livemode: false,
    erasedAtMs: null,
    lastUsedAtMs: nowMs,
    revision: 0,
  }
  const facts = { livemode: false, customerId: customer.id, nowMs }
  return { customer, event: newEvent('customer.updated', renderCustomer(customer), facts) }
}

export const hotWrites: HotStatements = { ...claims, ...erasures, ...sweeps, ...creates, ...changes }
