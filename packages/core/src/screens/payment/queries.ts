import type { List, StaffIntent, StaffIntentDetail, Totals } from '@merchant-payments/contract'
import { MINUTE_MS } from '../../base/clock.ts'
import { listApprovalsOf } from '../../approvals/store.ts'
import { recordReadOnce, type StaffReader, type Viewed } from '../../audit/read.ts'
import { renderAuditEntry } from '../../audit/render.ts'
import { listAuditRows } from '../../audit/store.ts'
import type { Deps } from '../../deps.ts'
import { idIn, idOf, type MerchantId } from '../../base/ids.ts'
import { noSuchIntent } from '../../payment-intents/refusals.ts'
import type { RefundRow } from '../../refunds/store.ts'
import type { StaffDeps } from '../../staff/limits.ts'
import { renderApprovalFor } from '../../approvals/staff/render.ts'
import { renderChargeReturn } from '../../charge-returns/staff/render.ts'
import { listReturnsOf } from '../../charge-returns/staff/store.ts'
import { type ChargeRow, renderCharge } from '../../charges/staff/render.ts'
import { listChargesOf } from '../../charges/staff/store.ts'
import { renderDelivery } from '../../deliveries/staff/render.ts'
import { listDeliveriesOf } from '../../deliveries/staff/store.ts'
import { renderFanout } from '../../events/staff/render.ts'
import { type EventWindow, listEventsOf } from '../../events/staff/store.ts'
import { readOfNumber } from '../../staff/payer-numbers.ts'
import { renderPage, type StaffPage } from '../../pages/staff/page.ts'
import { renderTotals } from '../../pages/staff/totals-store.ts'
import { parseMetadataFilter } from '../../payment-intents/staff/metadata.ts'
import { renderStaffRefund } from '../../refunds/staff/render.ts'
import { listRefundsOf } from '../../refunds/staff/store.ts'
import { renderStaffIntent } from '../../payment-intents/staff/render.ts'
import {
  findIntentRow,
  findSessionOf,
  type IntentFilter,
  listIntentRows,
  totalIntents,
} from '../../payment-intents/staff/store.ts'
import { timelineOf } from './timeline.ts'

const SHOWN_MAX = 100

export async function listStaffIntents(
  deps: Pick<StaffDeps, 'db' | 'clock' | 'payerNumbers'>,
  by: StaffReader,
  page: StaffPage,
  wanted: WantedIntents,
): Promise<Viewed<List<StaffIntent>>> {
  const filter = filterOf(deps, wanted)
  const found = await listIntentRows(deps.db.reader, page, filter)
  return {
    answer: renderPage('/payment_intents', found, renderStaffIntent),
    entry: await entryOf(deps, by, filter),
  }
}

export async function totalStaffIntents(
  deps: Pick<StaffDeps, 'db' | 'clock' | 'payerNumbers'>,
  by: StaffReader,
  page: StaffPage,
  wanted: WantedIntents,
): Promise<Viewed<Totals>> {
  const filter = filterOf(deps, wanted)
  const found = await totalIntents(deps.db.reader, page, filter)
  return { answer: renderTotals(found), entry: await entryOf(deps, by, filter) }
}

interface WantedIntents extends Omit<IntentFilter, 'phone' | 'metadata'> {
  readonly payer: string | null
  readonly metadata: string | null
}

const filterOf = (
  { payerNumbers }: Pick<StaffDeps, 'payerNumbers'>,
  { payer, metadata, ...filter }: WantedIntents,
): IntentFilter => ({
  ...filter,
  phone: payer === null ? null : payerNumbers.numberOf(payer),
  metadata: metadata === null ? null : parseMetadataFilter(metadata),
})

const entryOf = (
  deps: Pick<StaffDeps, 'db' | 'clock' | 'payerNumbers'>,
  by: StaffReader,
  { phone }: IntentFilter,
) => (phone === null ? null : recordReadOnce(deps, by, readOfNumber(deps, phone)))

/** @throws Refusal resource_missing */
export async function getStaffIntent(
  { db: { reader } }: Pick<Deps, 'db'>,
  { staff }: StaffReader,
  idText: string,
): Promise<StaffIntentDetail> {
  const id = idIn('pi', idText, noSuchIntent)
  const row = await findIntentRow(reader, id)
  if (row === undefined) throw noSuchIntent()
  const merchantId = row.merchant_id as MerchantId
  const [session, charges, refunds, returns, approvals] = await Promise.all([
    findSessionOf(reader, merchantId, id),
    listChargesOf(reader, merchantId, id, SHOWN_MAX),
    listRefundsOf(reader, merchantId, id, SHOWN_MAX),
    listReturnsOf(reader, merchantId, id, SHOWN_MAX),
    listApprovalsOf(reader, merchantId, id, SHOWN_MAX),
  ])
  const targets = [id, ...charges.map((charge) => idOf('ch', charge.id))]
  const windows = windowsOf(row.canceled_at, charges, refunds)
  const events = await listEventsOf(reader, merchantId, id, windows, SHOWN_MAX)
  const eventUuids = events.map((event) => event.id)
  const [deliveries, audit] = await Promise.all([
    listDeliveriesOf(reader, merchantId, eventUuids, SHOWN_MAX),
    listAuditRows(reader, newest(merchantId), { actor: null, action: null, targets }),
  ])
  const payment = {
    ...renderStaffIntent(row),
    checkout_session: session,
    charges: charges.map(renderCharge),
    refunds: refunds.map(renderStaffRefund),
    has_more_refunds: refunds.at(-1)?.followed === true,
    returns: returns.map(renderChargeReturn),
    approval_requests: approvals.map(renderApprovalFor(staff)),
    events: events.map(renderFanout),
    deliveries: deliveries.map(renderDelivery),
    audit_entries: audit.items.map(renderAuditEntry),
  }
  return { ...payment, timeline: timelineOf({ payment, canceledAtMs: row.canceled_at, charges, deliveries }) }
}

const newest = (merchantId: MerchantId): StaffPage => ({
  merchantId,
  limit: SHOWN_MAX,
  startingAfter: null,
  endingBefore: null,
  created: null,
})

/** The event of a settlement or a cancellation is minted within this time. */
const SOON_MS = 1_000
/** Covers a refusal within the submit's deadline. No column holds the time of one that the worker finds later. */
const REFUND_MS = MINUTE_MS

function windowsOf(
  canceledAtMs: number | null,
  charges: readonly ChargeRow[],
  refunds: readonly RefundRow[],
): EventWindow[] {
  const instants = [canceledAtMs, ...charges.map(({ settled_at }) => settled_at)].filter((ms) => ms !== null)
  return [
    ...instants.map((ms) => ({ fromMs: ms, untilMs: ms + SOON_MS })),
    ...refunds.map(({ opened_at: ms }) => ({ fromMs: ms, untilMs: ms + REFUND_MS })),
  ]
}
