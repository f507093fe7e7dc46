import { Refusal } from '@merchant-payments/contract'
import { listAlertsOfRails, listAttentionRows } from '../src/attention/store.ts'
import { listActorRows } from '../src/audit/store.ts'
import { findLostProofs } from '../src/charges/lost-proofs-store.ts'
import { findCharges, findProvenBy, listChargeRows, totalCharges } from '../src/charges/staff/store.ts'
import { listCustomerRows } from '../src/customers/staff/store.ts'
import { findDelivery, listDeliveryRows } from '../src/deliveries/staff/store.ts'
import { findStaffEvent, listEventRows, listUnfinishedFanouts } from '../src/events/staff/store.ts'
import { listInvoiceRows } from '../src/invoices/staff/store.ts'
import { countExhausted, isLaneFull, listJobRows, nextExhausted } from '../src/bulk/store.ts'
import {
  findAnywhere,
  findChargesOfPart,
  findChargesOfPayer,
  findCustomersMailed,
  findCustomersNamed,
  findIntentsWith,
  findRailTransactions,
  findRecentChargesOfPart,
  findReferences,
  findReturn,
  findSessionsNamed,
} from '../src/screens/lookup/store.ts'
import { readHealth, readVolume } from '../src/screens/merchant/store.ts'
import { COUNTED_MAX } from '../src/screens/overview/queries.ts'
import { readOverview } from '../src/screens/overview/store.ts'
import { listViewRows } from '../src/views/staff/store.ts'
import type { StaffPage } from '../src/pages/staff/page.ts'
import { renderTotals } from '../src/pages/staff/totals-store.ts'
import { findIntentRow, listIntentRows, totalIntents } from '../src/payment-intents/staff/store.ts'
import { listRefundRows, totalRefunds } from '../src/refunds/staff/store.ts'
import { idOf, type MerchantId, mintId, uuidFloorOf, uuidOf } from '../src/base/ids.ts'
import { readChangesOf, readNewestOfEach } from '../src/screens/activity/store.ts'
import { readErrors, readOpenCharges } from '../src/screens/rail/store.ts'
import { readLastErrors, readPoints } from '../src/screens/analytics/store.ts'
import { readCharges, readIntents, readRefunds, sumMoney } from '../src/screens/exports/store.ts'
import { findContradiction } from '../src/statements/evidence-store.ts'
import { listDifferences, listStatementRows } from '../src/statements/store.ts'
import { type BigTables, customerOfMany, middleOf } from './big-tables.ts'
import type { HotStatements } from './hot-statements.ts'
import { ACME, anyIntent, PAYER, PUSH } from './make.ts'

const page: StaffPage = {
  limit: 10,
  startingAfter: null,
  endingBefore: null,
  merchantId: null,
  created: null,
}
const oldest: StaffPage = { ...page, endingBefore: idOf('pi', '0'.repeat(32)), isOldestFirst: true }
const NOBODY = 'nobody' as MerchantId
const ofOne: StaffPage = { ...page, merchantId: ACME }
const lastMinuteOf = (nowMs: number) => ({
  fromSec: Math.floor(nowMs / 1_000) - 60,
  untilSec: Math.ceil(nowMs / 1_000),
})
const partOf = (big: BigTables) => ({
  merchantId: ACME,
  after: uuidOf(middleOf(big, 'pi')),
  until: uuidFloorOf(big.nowMs),
})
const lastHourOf = (nowMs: number) =>
  ({ sizeMin: 5, fromMs: nowMs - 3_600_000, untilMs: nowMs, merchantId: null, rail: null }) as const
const anyCharge = { queue: null, openedBeforeMs: null, rail: null, amount: null, currency: null } as const
const anyRefund = {
  status: null,
  instruction: null,
  rail: null,
  intentId: null,
  customerId: null,
  queue: null,
  amount: null,
  currency: null,
} as const
const ofHook = (fromMs: number, untilMs: number) => ({
  merchantId: ACME,
  endpointId: 'hook',
  fromMs,
  untilMs,
})
/** A search that ends after a bounded number of rows asks for a shorter time. */
const refused = (error: unknown) => {
  if (!(error instanceof Refusal)) throw error
}
const tooMuch = (search: Promise<unknown>) =>
  search.then(() => {
    throw new Error('the search found its end')
  }, refused)
const anyDelivery = { status: null, endpoint: null, eventId: null, eventType: null } as const

/** Staff's searches over all of 2 000 merchants, with the pages of 8 kB that each run may touch. */
export const hotStaff: HotStatements = {
  'staff: the newest payment intents of all merchants': [
    100,
    ({ reader }) => listIntentRows(reader, page, anyIntent),
  ],
  'staff: the page after a payment intent, of all merchants': [
    100,
    ({ reader }, big) => listIntentRows(reader, { ...page, startingAfter: middleOf(big, 'pi') }, anyIntent),
  ],
  'staff: the oldest payment intents of all merchants': [
    1_200,
    ({ reader }) => listIntentRows(reader, oldest, anyIntent),
  ],
  'staff: the oldest charges of all merchants': [
    1_200,
    ({ reader }) => listChargeRows(reader, oldest, anyCharge),
  ],
  'staff: what happened lately to a customer with many payments': [
    2_500,
    ({ reader }, big) => readNewestOfEach(reader, { merchantId: ACME, customerId: customerOfMany(big) }, 50),
  ],
  'staff: what happened lately to a merchant': [
    2_500,
    ({ reader }) => readNewestOfEach(reader, { merchantId: ACME, customerId: null }, 50),
  ],
  'staff: the changes of two hundred objects, of which there is none': [
    1_500,
    ({ reader }) =>
      readChangesOf(
        reader,
        Array.from({ length: 200 }, (_, n) => `pi_${n}`),
        50,
      ),
  ],
  'staff: the alerts of two rails, of which there is none': [
    20,
    ({ reader }) => listAlertsOfRails(reader, { rails: [PUSH, 'other'], beforeMs: null, max: 50 }),
  ],
  'staff: the open charges of a rail by state': [2_500, ({ reader }) => readOpenCharges(reader, PUSH)],
  'staff: the errors of a rail in the last day': [
    3_000,
    ({ reader }, { nowMs }) => readErrors(reader, { rail: PUSH, sinceMs: nowMs - 86_400_000, max: 20 }),
  ],
  'staff: the charges of a day with digits from the middle of a number': [
    25_000,
    ({ reader }, { nowMs }) =>
      findRecentChargesOfPart(reader, { part: '9999', sinceMs: nowMs - 86_400_000 }, 50),
  ],
  // Among a million rows the index has one level more, so each of 300 look-ups reads one page more.
  'staff: the charges of a payer with digits from the middle, who has them all': [
    1_000,
    ({ reader }) => findChargesOfPart(reader, PAYER.slice(4, 8), 50),
  ],
  'staff: the charges of 200 of the payers whose numbers have the same digits, of which none is left': [
    3_000,
    ({ reader }) => findChargesOfPart(reader, '2371', 50),
  ],
  'staff: the charges with digits that no number has': [
    60,
    ({ reader }) => findChargesOfPart(reader, '9876543', 50),
  ],
  'staff: those of a state that most merchants have none of, of the last minute': [
    100,
    ({ reader }, big) =>
      listIntentRows(
        reader,
        { ...page, created: lastMinuteOf(big.nowMs) },
        { ...anyIntent, status: 'requires_payment_method' },
      ),
  ],
  'staff: the newest payment intents of one merchant': [
    150,
    ({ reader }) => listIntentRows(reader, ofOne, anyIntent),
  ],
  'staff: a payment intent by its id alone': [
    30,
    ({ reader }, big) => findIntentRow(reader, middleOf(big, 'pi')),
  ],
  'staff: a charge by its id alone': [
    20,
    ({ reader }, big) => findAnywhere(reader, 'charges', middleOf(big, 'ch')),
  ],
  'staff: an event by its id alone': [
    16_000,
    ({ reader }, big) => findAnywhere(reader, 'events', middleOf(big, 'evt')),
  ],
  'staff: the newest refunds of all merchants': [
    150,
    ({ reader }) => listRefundRows(reader, page, anyRefund),
  ],
  // The five thousand jobs of one merchant are of accepted refunds, which have no job outside of this test.
  'staff: the refunds that wait for their rail': [
    300,
    ({ reader }) => listRefundRows(reader, page, { ...anyRefund, queue: 'waiting' }),
  ],
  'staff: the refunds whose jobs rest, of which there is none': [
    60,
    ({ reader }) => listRefundRows(reader, page, { ...anyRefund, queue: 'resting' }),
  ],
  'staff: the newest charges of all merchants': [
    150,
    ({ reader }) => listChargeRows(reader, page, anyCharge),
  ],
  'staff: the duplicate charges, of which there is none': [
    60,
    ({ reader }) => listChargeRows(reader, page, { ...anyCharge, queue: 'duplicate' }),
  ],
  'staff: the charges with another amount, of which there is none': [
    20,
    ({ reader }) => listChargeRows(reader, page, { ...anyCharge, queue: 'mismatch' }),
  ],
  'staff: the charges of a payer who has them all': [
    400,
    ({ reader }) => findChargesOfPayer(reader, PAYER, 50),
  ],
  'staff: the charges of a payer by the last digits, of whom there is none': [
    20,
    ({ reader }) => findChargesOfPayer(reader, '9999', 50),
  ],
  'staff: the newest payments of a payer who has them all': [
    9_000,
    ({ reader }) => listIntentRows(reader, page, { ...anyIntent, phone: PAYER }),
  ],
  'staff: the payments in the last minute of a payer who has them all': [
    9_000,
    ({ reader }, big) =>
      listIntentRows(reader, { ...page, created: lastMinuteOf(big.nowMs) }, { ...anyIntent, phone: PAYER }),
  ],
  // Looks each of 10 001 charges up, and their payments.
  'staff: the count of the payments of a payer who has them all': [
    120_000,
    ({ reader }) => totalIntents(reader, page, { ...anyIntent, phone: PAYER }),
  ],
  'staff: the count of the payments of a customer who has many': [
    60_000,
    ({ reader }, big) => totalIntents(reader, page, { ...anyIntent, customerId: customerOfMany(big) }),
  ],
  'staff: the members whom the audit log names': [60, ({ reader }) => listActorRows(reader, 500)],
  'staff: the newest invoices of all merchants': [
    60,
    ({ reader }) => listInvoiceRows(reader, page, { status: null, customerId: null }),
  ],
  'staff: the newest customers of all merchants': [60, ({ reader }) => listCustomerRows(reader, page, null)],
  'staff: the customers with a number': [100, ({ reader }) => listCustomerRows(reader, page, PAYER)],
  'staff: the newest deliveries': [400, ({ reader }) => listDeliveryRows(reader, page, anyDelivery)],
  'staff: the newest deliveries of a merchant': [
    400,
    ({ reader }) => listDeliveryRows(reader, ofOne, anyDelivery),
  ],
  'staff: the deliveries of a merchant without any': [
    60,
    ({ reader }) => listDeliveryRows(reader, { ...ofOne, merchantId: NOBODY }, anyDelivery),
  ],
  'staff: the page after a delivery, of a merchant': [
    400,
    ({ reader }, big) =>
      listDeliveryRows(reader, { ...ofOne, startingAfter: middleOf(big, 'wd') }, anyDelivery),
  ],
  'staff: the oldest deliveries of a merchant': [
    400,
    ({ reader }) => listDeliveryRows(reader, { ...oldest, merchantId: ACME }, anyDelivery),
  ],
  'staff: the deliveries of an endpoint that there is none of': [
    30_000,
    ({ reader }) => tooMuch(listDeliveryRows(reader, page, { ...anyDelivery, endpoint: 'none' })),
  ],
  'staff: the deliveries of a type that none has': [
    60_000,
    ({ reader }) =>
      tooMuch(listDeliveryRows(reader, page, { ...anyDelivery, eventType: 'customer.deleted' })),
  ],
  'staff: the pending deliveries': [
    400,
    ({ reader }) => listDeliveryRows(reader, page, { ...anyDelivery, status: 'pending' }),
  ],
  'staff: the exhausted deliveries, of which there is none': [
    60,
    ({ reader }) => listDeliveryRows(reader, page, { ...anyDelivery, status: 'exhausted' }),
  ],
  'staff: the dead letters, of which there is none': [
    60,
    ({ reader }) => listDeliveryRows(reader, page, { ...anyDelivery, status: 'dead_lettered' }),
  ],
  'staff: the items of the inbox, of which there is none': [
    20,
    ({ reader }) => listAttentionRows(reader, page, { status: 'waiting', alert: null, assignee: null }),
  ],
  'staff: a part of a file of payments': [
    2_500,
    ({ reader }, big) => readIntents(reader, { ...partOf(big), limit: 250 }),
  ],
  'staff: a part of a file of charges': [
    800,
    ({ reader }, big) => readCharges(reader, { ...partOf(big), limit: 250 }),
  ],
  'staff: a part of a file of refunds': [
    800,
    ({ reader }, big) => readRefunds(reader, { ...partOf(big), limit: 250 }),
  ],
  'staff: the sums of a minute of one merchant': [
    4_000,
    ({ reader }, big) => sumMoney(reader, { ...partOf(big), after: uuidFloorOf(big.nowMs - 60_000) }, 0),
  ],
  'staff: the sums of ten seconds of all merchants': [
    4_000,
    ({ reader }, big) =>
      sumMoney(reader, { ...partOf(big), merchantId: null, after: uuidFloorOf(big.nowMs - 10_000) }, 0),
  ],
  'staff: the statements of operators, of which there is none': [
    20,
    ({ reader }) => listStatementRows(reader, { rail: null, day: null, before: null, limit: 50 }),
  ],
  'staff: the statement of a rail and a day, of which there is none': [
    20,
    ({ reader }) => listStatementRows(reader, { rail: PUSH, day: '2026-11-20', before: null, limit: 50 }),
  ],
  'staff: the differences of a statement, of which there is none': [
    20,
    ({ reader }, big) =>
      listDifferences(reader, { id: middleOf(big, 'st'), verdict: null, after: 0, limit: 50 }),
  ],
  'staff: the lines of a transaction that is given as evidence': [
    20,
    async ({ writer }) => {
      const evidence = { rail: PUSH, transaction: 'NONE', amountMinor: 100, currency: 'XAF', reference: 'R' }
      await findContradiction(writer as never, evidence)
    },
  ],
  'staff: the charge that a transaction proves, of which there is none': [
    100,
    async ({ writer }, big) => {
      await findProvenBy(writer as never, PUSH, 'NONE', middleOf(big, 'ch'))
    },
  ],
  'staff: the proofs that the rail has reported for other charges, of which there is none': [
    20,
    ({ reader }) => findLostProofs(reader),
  ],
  'staff: the points of analytics, of which there is none': [
    20,
    ({ reader }, big) => readPoints(reader, lastHourOf(big.nowMs), { sizeSec: 300, offsetSec: 0 }),
  ],
  'staff: the last errors of all rails': [400, ({ reader }) => readLastErrors(reader)],
  'staff: a delivery': [100, ({ reader }, big) => findDelivery(reader, middleOf(big, 'wd'))],
  'staff: the newest of 2 000 events that are not fanned out': [
    3_000,
    ({ reader }) => listUnfinishedFanouts(reader, page, null),
  ],
  'staff: the charges, refunds and returns of ten references': [
    600,
    async ({ reader }) => {
      const references = Array.from({ length: 10 }, (_, n) => `ref-${n}`)
      for (const table of ['charges', 'refunds', 'charge_returns'] as const) {
        await findReferences(reader, table, references)
      }
    },
  ],
  'staff: the charges of a rail’s transaction, of which there is none': [
    20,
    ({ reader }) => findRailTransactions(reader, ['17677469451'], 20),
  ],
  'staff: the payments with a value of their metadata, of which there is none': [
    60,
    ({ reader }) => findIntentsWith(reader, { key: null, value: 'A-1042' }, 20),
  ],
  'staff: the list of the payments with a value of their metadata, of which there is none': [
    60,
    ({ reader }) =>
      listIntentRows(reader, page, { ...anyIntent, metadata: { key: 'order', value: 'A-1042' } }),
  ],
  'staff: the sessions with a reference of the shop, of which there is none': [
    20,
    ({ reader }) => findSessionsNamed(reader, 'A-1042', 20),
  ],
  'staff: the customers with a name that they all have': [
    2_500,
    ({ reader }) => findCustomersNamed(reader, { spellings: ['Awa', 'awa'], isBegun: true }, 20),
  ],
  'staff: the customers with a name that none has': [
    60,
    ({ reader }) => findCustomersNamed(reader, { spellings: ['Nobody at', 'nobody at'], isBegun: true }, 20),
  ],
  'staff: the customers with an e-mail that none has': [
    20,
    ({ reader }) => findCustomersMailed(reader, 'awa@example.com', 20),
  ],
  'staff: the payments of an amount that none has, of the last half minute': [
    800,
    ({ reader }, big) =>
      listIntentRows(
        reader,
        { ...page, created: { ...lastMinuteOf(big.nowMs), fromSec: Math.floor(big.nowMs / 1_000) - 30 } },
        { ...anyIntent, amount: { fromMinor: 2, toMinor: 2 } },
      ),
  ],
  'staff: the count and the sum of all payments, charges and refunds': [
    1_000,
    async ({ reader }) => {
      await totalIntents(reader, page, anyIntent)
      await totalCharges(reader, page, anyCharge)
      await totalRefunds(reader, page, anyRefund)
    },
  ],
  'staff: what a bulk job would send again, of which there is none': [
    60,
    async ({ reader }, { startMs, nowMs }) => {
      await countExhausted(reader, ofHook(startMs, nowMs))
      await nextExhausted(reader, ofHook(startMs, nowMs), null, 100)
    },
  ],
  'staff: whether an endpoint has two hundred due deliveries': [
    300,
    ({ reader }, { startMs, nowMs }) => isLaneFull(reader, ofHook(startMs, nowMs), nowMs),
  ],
  'staff: the overview': [
    90_000,
    ({ reader }, { nowMs }) =>
      readOverview(reader, {
        sinceMs: nowMs - 86_400_000,
        stuckBeforeMs: nowMs - 900_000,
        rowsMax: COUNTED_MAX,
      }),
  ],
  'staff: the payments in progress': [
    60_000,
    ({ reader }) => listIntentRows(reader, page, { ...anyIntent, status: 'processing' }),
  ],
  'staff: the payments with a duplicate charge, of which there is none': [
    20,
    ({ reader }) => listIntentRows(reader, page, { ...anyIntent, charge: 'duplicate' }),
  ],
  'staff: the payments whose newest charge failed': [
    1_500,
    ({ reader }) => listIntentRows(reader, page, { ...anyIntent, charge: 'failed' }),
  ],
  'staff: the payments of a rail': [
    400,
    ({ reader }) => listIntentRows(reader, page, { ...anyIntent, rail: PUSH }),
  ],
  'staff: the payments of a customer who has many': [
    6_000,
    ({ reader }, big) => listIntentRows(reader, page, { ...anyIntent, customerId: customerOfMany(big) }),
  ],
  // The search reads a page for some rows, and the index of charges for each.
  'staff: the payments of a rail that none has': [
    120_000,
    ({ reader }) => tooMuch(listIntentRows(reader, page, { ...anyIntent, rail: 'none' })),
  ],
  'staff: the payments of an amount that none has': [
    5_000,
    ({ reader }) =>
      tooMuch(listIntentRows(reader, page, { ...anyIntent, amount: { fromMinor: 2, toMinor: 2 } })),
  ],
  'staff: the payments of a currency that none has': [
    5_000,
    ({ reader }) => tooMuch(listIntentRows(reader, page, { ...anyIntent, currency: 'EUR' })),
  ],
  'staff: the payments in progress of a currency that none has': [
    60_000,
    ({ reader }) =>
      tooMuch(listIntentRows(reader, page, { ...anyIntent, status: 'processing', currency: 'EUR' })),
  ],
  'staff: the count of charges and refunds of an amount in a currency that none has': [
    10_000,
    async ({ reader }) => {
      const wanted = { amount: { fromMinor: 1, toMinor: 1_000 }, currency: 'EUR' } as const
      await tooMuch(totalCharges(reader, page, { ...anyCharge, ...wanted }).then(renderTotals))
      await tooMuch(totalRefunds(reader, page, { ...anyRefund, ...wanted }).then(renderTotals))
    },
  ],
  'staff: the payments of an amount that one merchant has not': [
    25_000,
    ({ reader }) =>
      listIntentRows(reader, ofOne, { ...anyIntent, amount: { fromMinor: 2, toMinor: 2 } }).catch(refused),
  ],
  'staff: the count of payments with a code that none has': [
    5_000,
    async ({ reader }) =>
      tooMuch(totalIntents(reader, page, { ...anyIntent, decline: 'none' }).then(renderTotals)),
  ],
  'staff: the charges of an amount that none has': [
    5_000,
    ({ reader }) =>
      tooMuch(listChargeRows(reader, page, { ...anyCharge, amount: { fromMinor: 2, toMinor: 2 } })),
  ],
  'staff: the refunds of a customer who has none': [
    5_000,
    ({ reader }, big) =>
      tooMuch(listRefundRows(reader, page, { ...anyRefund, customerId: middleOf(big, 'cus', ACME, 1) })),
  ],
  'staff: a hundred charges by their ids': [
    2_000,
    ({ reader }, big) =>
      findCharges(
        reader,
        Array.from({ length: 100 }, (_, n) => uuidOf(middleOf(big, 'ch', ACME, n))),
      ),
  ],
  'staff: an event that there is none of': [16_000, ({ reader }) => findStaffEvent(reader, mintId('evt', 0))],
  'staff: a session that there is none of': [
    30_000,
    ({ reader }) => findAnywhere(reader, 'checkout_sessions', mintId('cs', 0)),
  ],
  'staff: a return that there is none of': [30_000, ({ reader }) => findReturn(reader, mintId('rt', 0))],
  'staff: the deliveries of an event': [
    16_000,
    ({ reader }, big) => listDeliveryRows(reader, page, { ...anyDelivery, eventId: middleOf(big, 'evt') }),
  ],
  'staff: the newest events of a type that few have': [
    30_000,
    ({ reader }, { nowMs }) => listEventRows(reader, page, 'invoice.paid', nowMs),
  ],
  'staff: the page after an event, of a type': [
    60_000,
    ({ reader }, big) =>
      listEventRows(
        reader,
        { ...page, startingAfter: middleOf(big, 'evt') },
        'payment_intent.succeeded',
        big.nowMs,
      ),
  ],
  'staff: the page after an event, of a type and a merchant': [
    300,
    ({ reader }, big) =>
      listEventRows(
        reader,
        { ...ofOne, startingAfter: middleOf(big, 'evt') },
        'payment_intent.succeeded',
        big.nowMs,
      ),
  ],
  'staff: the oldest events of a type and a merchant': [
    300,
    ({ reader }, { nowMs }) =>
      listEventRows(reader, { ...oldest, merchantId: ACME }, 'payment_intent.succeeded', nowMs),
  ],
  'staff: the newest events of a type that none has': [
    30_000,
    ({ reader }, { nowMs }) => listEventRows(reader, page, 'customer.deleted', nowMs),
  ],
  'staff: the newest events of all merchants': [
    30_000,
    ({ reader }, { nowMs }) => listEventRows(reader, page, null, nowMs),
  ],
  'staff: an event with its body': [
    16_000,
    ({ reader }, big) => findStaffEvent(reader, middleOf(big, 'evt')),
  ],
  // The most payments that are counted, on a page each at worst.
  'staff: the payments of a merchant in the last day': [
    5_000,
    ({ reader }, { nowMs }) => readVolume(reader, ACME, nowMs - 86_400_000),
  ],
  'staff: the health of an endpoint': [
    8_000,
    ({ reader }, { nowMs }) => readHealth(reader, ACME, 'hook', nowMs),
  ],
  'staff: the running bulk jobs, of which there is none': [
    20,
    ({ reader }) => listJobRows(reader, page, 'running'),
  ],
  'staff: saved views, of which there is none': [20, ({ reader }) => listViewRows(reader, 'omar', 200)],
}
