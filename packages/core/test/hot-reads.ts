import type { Session } from '@merchant-payments/db'
import { countCharges } from '../src/payment-intents/opening-store.ts'
import { isCallbackKnown } from '../src/charges/store.ts'
import { readUndecided } from '../src/queue/undecided.ts'
import { expect } from 'vitest'
import { findPayable } from '../src/payers/store.ts'
import { findAdoptable, findSession, hasLiveCharge, listSessions } from '../src/checkout-sessions/store.ts'
import { findCustomer, listCustomerPage } from '../src/customers/store.ts'
import { listIdleCustomers } from '../src/customers/erasure/store.ts'
import { findEventBody, listEventBodies } from '../src/events/store.ts'
import { findReplay, findUsedKey } from '../src/commit/answers.ts'
import { findHeading, findItem } from '../src/invoices/item-store.ts'
import { findInvoice, findStanding, listInvoicePage } from '../src/invoices/store.ts'
import { countOpenItems } from '../src/attention/store.ts'
import { countOpenFindings } from '../src/findings/store.ts'
import { findClientState } from '../src/oauth/clients.ts'
import type { PageQuery } from '../src/pages/page.ts'
import { findIntent, listIntents } from '../src/payment-intents/store.ts'
import { findErasedRefunds, findRefund, findRefundable, listRefundRows } from '../src/refunds/store.ts'
import { readDepths } from '../src/queue/depths.ts'
import { readDueWork } from '../src/queue/due-work.ts'
import { type BigTables, customerOfMany, merchants, middleOf, REFUNDS_OF_ONE } from './big-tables.ts'
import type { HotStatements } from './hot-statements.ts'
import { ACME, makeRail, makeRefunds, PUSH } from './make.ts'
import { claimOf } from './world.ts'

const rails = new Map([[PUSH, { ...makeRail(PUSH), refunds: makeRefunds() }]])

type AnyPage = PageQuery<never>

/** The pages of a list: from the newest row, and from a row in the middle in both directions. */
function pagesOf(
  name: string,
  prefix: Parameters<typeof middleOf>[1],
  pagesMax: number,
  list: (db: Session, page: AnyPage, big: BigTables) => Promise<unknown>,
  pagesOfTimeMax = pagesMax,
): HotStatements {
  const newest = { limit: 10, startingAfter: null, endingBefore: null, created: null }
  const asked = (fields: object) => ({ ...newest, ...fields }) as unknown as AnyPage
  return {
    [name]: [pagesMax, (db, big) => list(db, asked({}), big)],
    [`${name}, after a row`]: [
      pagesMax,
      (db, big) => list(db, asked({ startingAfter: middleOf(big, prefix) }), big),
    ],
    [`${name}, before a row`]: [
      pagesMax,
      (db, big) => list(db, asked({ endingBefore: middleOf(big, prefix) }), big),
    ],
    [`${name}, of a time`]: [
      pagesOfTimeMax,
      (db, big) => {
        const middleSec = Math.floor((big.startMs + big.nowMs) / 2_000)
        return list(db, asked({ created: { fromSec: middleSec - 60, untilSec: middleSec } }), big)
      },
    ],
  }
}

/** A time bounds the positions with a slack for events that were under way at once. */
const PAGES_OF_A_TIME_MAX = 300

const anySession = { intentId: null, customerId: null, status: null }
const anyInvoice = { customerId: null, status: null }

const lists: HotStatements = {
  ...pagesOf('payment intents', 'pi', 60, ({ reader }, page) => listIntents(reader, ACME, page, {})),
  ...pagesOf('customers', 'cus', 60, ({ reader }, page) => listCustomerPage(reader, ACME, page, {})),
  ...pagesOf('checkout sessions', 'cs', 120, ({ reader }, page) =>
    listSessions(reader, ACME, page, anySession),
  ),
  ...pagesOf('checkout sessions of a rare status', 'cs', 120, ({ reader }, page) =>
    listSessions(reader, ACME, page, { ...anySession, status: 'open' }),
  ),
  ...pagesOf('checkout sessions of a status that none has', 'cs', 60, ({ reader }, page) =>
    listSessions(reader, ACME, page, { ...anySession, status: 'complete' }),
  ),
  ...pagesOf('checkout sessions of a customer', 'cs', 120, ({ reader }, page, big) =>
    listSessions(reader, ACME, page, { ...anySession, customerId: customerOfMany(big) }),
  ),
  ...pagesOf('checkout sessions of a customer and a common status', 'cs', 120, ({ reader }, page, big) =>
    listSessions(reader, ACME, page, { ...anySession, customerId: customerOfMany(big), status: 'expired' }),
  ),
  ...pagesOf('checkout sessions of an intent', 'cs', 20, ({ reader }, page, big) =>
    listSessions(reader, ACME, page, { ...anySession, intentId: middleOf(big, 'pi') }),
  ),
  ...pagesOf('invoices, with their lines', 'in', 250, ({ reader }, page) =>
    listInvoicePage(reader, ACME, page, anyInvoice),
  ),
  ...pagesOf('invoices of a rare status', 'in', 250, ({ reader }, page) =>
    listInvoicePage(reader, ACME, page, { ...anyInvoice, status: 'draft' }),
  ),
  ...pagesOf('invoices of a status that none has', 'in', 60, ({ reader }, page) =>
    listInvoicePage(reader, ACME, page, { ...anyInvoice, status: 'paid' }),
  ),
  ...pagesOf('invoices of a customer', 'in', 250, ({ reader }, page, big) =>
    listInvoicePage(reader, ACME, page, { ...anyInvoice, customerId: customerOfMany(big) }),
  ),
  ...pagesOf('invoices of a customer and a common status', 'in', 250, ({ reader }, page, big) =>
    listInvoicePage(reader, ACME, page, { customerId: customerOfMany(big), status: 'open' }),
  ),
  ...pagesOf('refunds', 're', 60, ({ reader }, page) =>
    listRefundRows(reader, ACME, page, { intentId: null }),
  ),
  ...pagesOf('refunds of a payment', 're', 60, ({ reader }, page, big) =>
    listRefundRows(reader, ACME, page, { intentId: middleOf(big, 'pi') }),
  ),
  ...pagesOf(
    'events',
    'evt',
    100,
    ({ reader }, page) => listEventBodies(reader, ACME, page),
    PAGES_OF_A_TIME_MAX,
  ),
  ...pagesOf(
    'events of a common type',
    'evt',
    100,
    ({ reader }, page) => listEventBodies(reader, ACME, page, { types: ['payment_intent.succeeded'] }),
    PAGES_OF_A_TIME_MAX,
  ),
  ...pagesOf(
    'events of a rare type and one that none has',
    'evt',
    150,
    ({ reader }, page) => listEventBodies(reader, ACME, page, { types: ['invoice.paid', 'invoice.voided'] }),
    PAGES_OF_A_TIME_MAX,
  ),
}

const found = async (read: Promise<{ readonly found: unknown }>) => {
  expect((await read).found).toBeDefined()
}

const retrieves: HotStatements = {
  'a payment intent': [20, ({ reader }, big) => found(findIntent(reader, ACME, middleOf(big, 'pi')))],
  'a customer': [20, ({ reader }, big) => found(findCustomer(reader, ACME, middleOf(big, 'cus')))],
  'a checkout session': [30, ({ reader }, big) => found(findSession(reader, ACME, middleOf(big, 'cs')))],
  'a refund': [20, ({ reader }, big) => found(findRefund(reader, ACME, middleOf(big, 're')))],
  'an event': [30, ({ reader }, big) => found(findEventBody(reader, ACME, middleOf(big, 'evt')))],
  'an invoice with its lines': [
    40,
    ({ reader }, big) => found(findInvoice(reader, ACME, middleOf(big, 'in'))),
  ],
  'an item with its invoice': [40, ({ reader }, big) => found(findItem(reader, ACME, middleOf(big, 'ii')))],
  'what a payer reads, by an intent': [
    50,
    ({ reader }, big) => found(findPayable(reader, ACME, middleOf(big, 'pi'))),
  ],
  'what a payer reads, by a session': [
    60,
    ({ reader }, big) => found(findPayable(reader, ACME, middleOf(big, 'cs'))),
  ],
}

const MANY = 20

const foundAtOnce = (read: () => Promise<{ readonly found: unknown }>) =>
  Promise.all(Array.from({ length: MANY }, () => found(read())))

/** Reads that arrive together. The pages are those of all their rows. */
const readsAtOnce: HotStatements = {
  'payment intents at once': [
    20 * MANY,
    ({ reader }, big) => foundAtOnce(() => findIntent(reader, ACME, middleOf(big, 'pi'))),
  ],
  'customers at once': [
    20 * MANY,
    ({ reader }, big) => foundAtOnce(() => findCustomer(reader, ACME, middleOf(big, 'cus'))),
  ],
  'checkout sessions at once': [
    30 * MANY,
    ({ reader }, big) => foundAtOnce(() => findSession(reader, ACME, middleOf(big, 'cs'))),
  ],
  'refunds at once': [
    20 * MANY,
    ({ reader }, big) => foundAtOnce(() => findRefund(reader, ACME, middleOf(big, 're'))),
  ],
  'payments and what their refunds hold, at once': [
    30 * MANY,
    ({ reader }, big) =>
      foundAtOnce(() => findRefundable(reader, merchants.paid, middleOf(big, 'pi', merchants.paid))),
  ],
}

/** The reads of commands and passes before they write. */
const looks: HotStatements = {
  'an intent that a session is to be made for': [
    40,
    ({ reader }, big) => found(findAdoptable(reader, ACME, middleOf(big, 'pi'))),
  ],
  'whether a session has a live charge': [
    40,
    async ({ reader }, big) => {
      const { found: session } = await findSession(reader, ACME, middleOf(big, 'cs'))
      if (session === undefined) throw new Error('no such session')
      expect(await hasLiveCharge(reader, session)).toBe(true)
    },
  ],
  'an invoice that gets a line': [
    20,
    ({ reader }, big) => found(findHeading(reader, ACME, middleOf(big, 'in'))),
  ],
  'an invoice that is to be paid or closed': [
    60,
    ({ reader }, big) => found(findStanding(reader, ACME, middleOf(big, 'in'))),
  ],
  'a payment and what its refunds hold': [
    30,
    ({ reader }, big) => found(findRefundable(reader, merchants.paid, middleOf(big, 'pi', merchants.paid))),
  ],
  'which of 20 refunds belong to an erased customer': [
    400,
    async ({ reader }, big) => {
      const page = { limit: REFUNDS_OF_ONE, startingAfter: null, endingBefore: null, created: null }
      const { found } = await listRefundRows(reader, ACME, page, { intentId: middleOf(big, 'pi') })
      expect(found.items).toHaveLength(REFUNDS_OF_ONE)
      await findErasedRefunds(reader, found.items)
    },
  ],
  'a key': [
    20,
    ({ reader }, big) =>
      findUsedKey(reader, { ...claimOf('old-key-7'), merchantId: ACME }, big.nowMs).catch(() => null),
  ],
  'answers to be replayed': [
    20,
    async ({ reader }, big) => {
      const asked = { claim: { ...claimOf('old-key-7'), merchantId: ACME }, nowMs: big.nowMs }
      await Promise.all([findReplay(reader, asked), findReplay(reader, asked)])
    },
  ],
  'what the charges of an intent are counted by': [
    20,
    async ({ reader }, big) => {
      await countCharges(reader, { merchantId: ACME, id: middleOf(big, 'pi') })
    },
  ],
  'whether a callback names a charge': [
    20,
    async ({ reader }) => {
      expect(await isCallbackKnown(reader, PUSH, { by: 'reference', value: 'ref-77' })).toBe(true)
      expect(await isCallbackKnown(reader, PUSH, { by: 'callback_secret', value: 'secret' })).toBe(false)
    },
  ],
  'whether a client is disabled or moves': [10, ({ reader }) => findClientState(reader, ACME)],
  'customers who were idle for long': [
    300,
    async ({ reader }, { nowMs }) => {
      expect(await listIdleCustomers(reader, nowMs - 500 * 24 * 3_600_000, nowMs, 100)).toHaveLength(100)
    },
  ],
  'how deep the queues are': [40_000, ({ writer }, { nowMs }) => readDepths(writer, nowMs)],
  // It counts as many as there are, up to ten thousand.
  'which charges a rail has not decided': [
    10_100,
    ({ reader }, { nowMs }) => readUndecided(reader, rails, nowMs),
  ],
  'which queues have work': [45, ({ reader }, { nowMs }) => readDueWork(reader, nowMs, rails, [])],
  'how many findings of each rail are open': [20, ({ reader }) => countOpenFindings(reader)],
  // One step of the index for each alert.
  'how many items of each alert are open': [60, ({ reader }) => countOpenItems(reader)],
}

export const hotReads: HotStatements = { ...lists, ...retrieves, ...readsAtOnce, ...looks }
