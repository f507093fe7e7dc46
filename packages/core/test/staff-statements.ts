import { listCustomerRows } from '../src/dash/customers/store.ts'
import { findDelivery, listDeliveryRows } from '../src/dash/deliveries/store.ts'
import { listUnfinishedFanouts } from '../src/dash/fanouts/store.ts'
import { listInvoiceRows } from '../src/dash/invoices/store.ts'
import { findAnywhere } from '../src/dash/lookup/store.ts'
import type { StaffPage } from '../src/dash/pages/page.ts'
import { findIntentRow, listIntentRows } from '../src/dash/payment-intents/store.ts'
import { listRefundRows } from '../src/dash/refunds/store.ts'
import { idOf, type MerchantId } from '../src/ids.ts'
import { PAYER } from './make.ts'
import type { costsOf } from './explain.ts'

type Run = Parameters<typeof costsOf>[1]

const page: StaffPage = {
  limit: 10,
  startingAfter: null,
  endingBefore: null,
  merchantId: null,
  created: null,
}
const ofOne: StaffPage = { ...page, merchantId: 'm7' as MerchantId }
const lastMinuteOf = (nowMs: number) => ({
  fromSec: Math.floor(nowMs / 1_000) - 60,
  untilSec: Math.ceil(nowMs / 1_000),
})
const any = { status: null, rail: null, customerId: null, phone: null } as const
const anyDelivery = { status: null, endpoint: null, eventId: null, eventType: null } as const

/** What staff look for over all of twenty merchants, and how many pages of 8 kB each run of it may touch. */
export const staffStatements = (
  nowMs: number,
  uuid: () => Promise<string>,
): Record<string, [number, Run]> => ({
  'staff: the newest payment intents of all merchants': [
    1_200,
    async ({ reader }) => listIntentRows(reader, page, any),
  ],
  'staff: the page after a payment intent, of all merchants': [
    1_200,
    async ({ reader }) => listIntentRows(reader, { ...page, startingAfter: idOf('pi', await uuid()) }, any),
  ],
  'staff: those of a state that most merchants have none of, of the last minute': [
    6_000,
    ({ reader }) =>
      listIntentRows(
        reader,
        { ...page, created: lastMinuteOf(nowMs) },
        { ...any, status: 'requires_payment_method' },
      ),
  ],
  'staff: the newest payment intents of one merchant': [
    150,
    ({ reader }) => listIntentRows(reader, ofOne, any),
  ],
  'staff: a payment intent by its id alone': [
    400,
    async ({ reader }) => findIntentRow(reader, idOf('pi', await uuid())),
  ],
  'staff: a charge by its id alone': [
    400,
    async ({ reader }) => findAnywhere(reader, 'charges', idOf('ch', await uuid())),
  ],
  'staff: an event by its id alone': [
    1_200,
    async ({ reader }) => findAnywhere(reader, 'events', idOf('evt', await uuid())),
  ],
  'staff: the newest refunds of all merchants': [
    1_200,
    ({ reader }) =>
      listRefundRows(reader, page, {
        status: null,
        instruction: null,
        rail: null,
        intentId: null,
        customerId: null,
      }),
  ],
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
  'staff: a delivery': [100, async ({ reader }) => findDelivery(reader, idOf('wd', await uuid()))],
  'staff: the newest of 2 000 events that are not fanned out': [
    3_000,
    ({ reader }) => listUnfinishedFanouts(reader, page, null),
  ],
})
