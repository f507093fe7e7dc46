import { listAttentionRows } from '../src/attention/store.ts'
import { listActorRows } from '../src/audit/store.ts'
import { listChargeRows, totalCharges } from '../src/charges/staff/store.ts'
import { listCustomerRows } from '../src/customers/staff/store.ts'
import { findDelivery, listDeliveryRows } from '../src/deliveries/staff/store.ts'
import { findStaffEvent, listEventRows, listUnfinishedFanouts } from '../src/events/staff/store.ts'
import { listInvoiceRows } from '../src/invoices/staff/store.ts'
import { countExhausted, isLaneFull, listJobRows, nextExhausted } from '../src/bulk/store.ts'
import {
  findAnywhere,
  findChargesOfPayer,
  findCustomersMailed,
  findCustomersNamed,
  findIntentsWith,
  findRailTransactions,
  findReferences,
  findSessionsNamed,
} from '../src/screens/lookup/store.ts'
import { readHealth, readVolume } from '../src/screens/merchant/store.ts'
import { listViewRows } from '../src/views/staff/store.ts'
import type { StaffPage } from '../src/pages/staff/page.ts'
import { findIntentRow, listIntentRows, totalIntents } from '../src/payment-intents/staff/store.ts'
import { listRefundRows, totalRefunds } from '../src/refunds/staff/store.ts'
import { uuidFloorOf, uuidOf } from '../src/base/ids.ts'
import { isActive } from '../src/rollups/store.ts'
import { readLastErrors, readPoints } from '../src/screens/analytics/store.ts'
import { readCharges, readIntents, readRefunds, sumMoney } from '../src/screens/exports/store.ts'
import { listDifferences, listStatementRows } from '../src/statements/store.ts'
import { type BigTables, middleOf } from './big-tables.ts'
import type { HotStatements } from './hot-statements.ts'
import { ACME, PAYER, PUSH } from './make.ts'

const page: StaffPage = {
  limit: 10,
  startingAfter: null,
  endingBefore: null,
  merchantId: null,
  created: null,
}
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
const any = {
  status: null,
  rail: null,
  customerId: null,
  phone: null,
  amount: null,
  charge: null,
  decline: null,
  metadata: null,
} as const
const anyCharge = { queue: null, openedBeforeMs: null, rail: null, amount: null } as const
const anyRefund = {
  status: null,
  instruction: null,
  rail: null,
  intentId: null,
  customerId: null,
  queue: null,
  amount: null,
} as const
const ofHook = (fromMs: number, untilMs: number) => ({
  merchantId: ACME,
  endpointId: 'hook',
  fromMs,
  untilMs,
})
const anyDelivery = { status: null, endpoint: null, eventId: null, eventType: null } as const

/** Staff's searches over all of twenty merchants, with the pages of 8 kB that each run may touch. */
export const hotStaff: HotStatements = {
  'staff: the newest payment intents of all merchants': [
    1_200,
    ({ reader }) => listIntentRows(reader, page, any),
  ],
  'staff: the page after a payment intent, of all merchants': [
    1_200,
    ({ reader }, big) => listIntentRows(reader, { ...page, startingAfter: middleOf(big, 'pi') }, any),
  ],
  'staff: those of a state that most merchants have none of, of the last minute': [
    6_000,
    ({ reader }, big) =>
      listIntentRows(
        reader,
        { ...page, created: lastMinuteOf(big.nowMs) },
        { ...any, status: 'requires_payment_method' },
      ),
  ],
  'staff: the newest payment intents of one merchant': [
    150,
    ({ reader }) => listIntentRows(reader, ofOne, any),
  ],
  'staff: a payment intent by its id alone': [
    400,
    ({ reader }, big) => findIntentRow(reader, middleOf(big, 'pi')),
  ],
  'staff: a charge by its id alone': [
    400,
    ({ reader }, big) => findAnywhere(reader, 'charges', middleOf(big, 'ch')),
  ],
  'staff: an event by its id alone': [
    1_200,
    ({ reader }, big) => findAnywhere(reader, 'events', middleOf(big, 'evt')),
  ],
  'staff: the newest refunds of all merchants': [
    1_200,
    ({ reader }) => listRefundRows(reader, page, anyRefund),
  ],
  // The five thousand jobs of one merchant are of accepted refunds, which have no job outside of this test.
  'staff: the refunds that wait for their rail': [
    25_000,
    ({ reader }) => listRefundRows(reader, page, { ...anyRefund, queue: 'waiting' }),
  ],
  'staff: the refunds whose jobs rest, of which there is none': [
    60,
    ({ reader }) => listRefundRows(reader, page, { ...anyRefund, queue: 'resting' }),
  ],
  'staff: the newest charges of all merchants': [
    1_200,
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
    ({ reader }) => listIntentRows(reader, page, { ...any, phone: PAYER }),
  ],
  'staff: the members whom the audit log names': [60, ({ reader }) => listActorRows(reader, 500)],
  'staff: the newest invoices of all merchants': [
    1_000,
    ({ reader }) => listInvoiceRows(reader, page, { status: null, customerId: null }),
  ],
  'staff: the newest customers of all merchants': [
    1_000,
    ({ reader }) => listCustomerRows(reader, page, null),
  ],
  'staff: the customers with a number': [100, ({ reader }) => listCustomerRows(reader, page, PAYER)],
  'staff: the newest deliveries': [400, ({ reader }) => listDeliveryRows(reader, page, anyDelivery)],
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
  'staff: the statements of operators, of which there is none': [
    20,
    ({ reader }) => listStatementRows(reader, { rail: null, before: null, limit: 50 }),
  ],
  'staff: the differences of a statement, of which there is none': [
    20,
    ({ reader }, big) =>
      listDifferences(reader, { id: middleOf(big, 'st'), verdict: null, after: 0, limit: 50 }),
  ],
  'staff: the points of analytics, of which there is none': [
    20,
    ({ reader }, big) => readPoints(reader, lastHourOf(big.nowMs), { sizeSec: 300, offsetSec: 0 }),
  ],
  'staff: the last errors of all rails': [3_000, ({ reader }) => readLastErrors(reader)],
  'staff: whether a merchant was active': [
    20,
    ({ reader }, big) =>
      isActive(reader, { merchantId: ACME, fromMs: big.nowMs - 60_000, untilMs: big.nowMs }),
  ],
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
        await findReferences(reader, table, [PUSH], references)
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
    ({ reader }) => listIntentRows(reader, page, { ...any, metadata: { key: 'order', value: 'A-1042' } }),
  ],
  'staff: the sessions with a reference of the shop, of which there is none': [
    20,
    ({ reader }) => findSessionsNamed(reader, 'A-1042', 20),
  ],
  'staff: the customers with a name that they all have': [
    2_500,
    ({ reader }) => findCustomersNamed(reader, ['awa'], 20),
  ],
  'staff: the customers with a name that none has': [
    60,
    ({ reader }) => findCustomersNamed(reader, ['nobody', 'at'], 20),
  ],
  'staff: the customers with an e-mail that none has': [
    20,
    ({ reader }) => findCustomersMailed(reader, 'awa@example.com', 20),
  ],
  'staff: the payments of an amount that none has, of the last minute': [
    6_000,
    ({ reader }, big) =>
      listIntentRows(
        reader,
        { ...page, created: lastMinuteOf(big.nowMs) },
        { ...any, amount: { fromMinor: 2, toMinor: 2 } },
      ),
  ],
  'staff: the count and the sum of all payments, charges and refunds': [
    12_000,
    async ({ reader }) => {
      await totalIntents(reader, page, any)
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
  'staff: the newest events of all merchants': [1_500, ({ reader }) => listEventRows(reader, page, null)],
  'staff: an event with its body': [1_500, ({ reader }, big) => findStaffEvent(reader, middleOf(big, 'evt'))],
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
