import type { Reader, RefundTable, Writer } from '@merchant-payments/db'
import { type Selectable, sql } from 'kysely'
import { doorTable, type Guarded } from '../door.ts'
import { idOf, type MerchantId, type PaymentIntentId, type RefundId, uuidOf } from '../ids.ts'
import { pageOrder, pageRows } from '../pages/store.ts'
import { type Page, pageOf, type PageQuery } from '../pages/page.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { type IntentRow, intentOf } from '../payment-intents/store.ts'
import { storedMsisdn } from '../phone.ts'
import type { RailCode } from '../rails/port.ts'
import { claimDue, type ClaimOrder, pastRails } from '../work/claim.ts'
import type { Refund, RefundFields } from './refund.ts'

export type RefundRow = Selectable<RefundTable>

export function refundOf(row: RefundRow): Refund {
  const fields: RefundFields = {
    merchantId: row.merchant_id as MerchantId,
    id: idOf('re', row.id),
    intentId: idOf('pi', row.payment_intent_id),
    amountMinor: row.amount,
    currency: row.currency,
    customerId: row.customer_id === null ? null : idOf('cus', row.customer_id),
    reason: row.reason,
    failureReason: row.failure_reason,
    metadata: row.metadata,
    livemode: row.livemode,
    openedAtMs: row.opened_at,
    rail: row.rail as RailCode,
    reference: row.reference,
    instruction: row.instruction,
    destination: row.destination_msisdn === null ? null : storedMsisdn(row.destination_msisdn),
    submitDeadlineMs: row.submit_deadline,
    instructAtMs: row.instruct_at,
    tries: row.tries,
    notFoundCount: row.not_found_count,
    railCode: row.rail_code,
    railMessage: row.rail_message,
    revision: row.revision,
  }
  return { ...fields, status: row.status }
}

/** An intent as a refund sees it. */
export interface Refundable {
  readonly intent: Intent
  /** The rail that took the charge; null while the intent is not paid. */
  readonly rail: RailCode | null
  readonly reservedMinor: number
}

export async function findRefundable(
  reader: Reader,
  merchantId: MerchantId,
  id: PaymentIntentId,
): Promise<Guarded<Refundable | undefined>> {
  const row = await reader
    .selectFrom(doorTable(merchantId))
    .leftJoin('payment_intents as p', (join) =>
      join.on('p.merchant_id', '=', merchantId).on('p.id', '=', uuidOf(id)),
    )
    .leftJoin('charges as c', (join) =>
      join
        .onRef('c.merchant_id', '=', 'p.merchant_id')
        .onRef('c.payment_intent_id', '=', 'p.id')
        .on('c.status', '=', 'succeeded'),
    )
    .select(['door.open', 'c.rail as paid_by'])
    .selectAll('p')
    .executeTakeFirstOrThrow()
  const { open, paid_by: rail, ...intent } = row
  if (intent.id === null) return { open: open === true, found: undefined }
  const found: Refundable = {
    intent: intentOf(intent as IntentRow),
    rail: rail as RailCode | null,
    reservedMinor: intent.refund_reserved ?? 0,
  }
  return { open: open === true, found }
}

/** Within the merchant's scope only. The client's standing comes with the same query (spec 5.1.5). */
export async function findRefund(
  reader: Reader,
  merchantId: MerchantId,
  id: RefundId,
): Promise<Guarded<Refund | undefined>> {
  const row = await reader
    .selectFrom(doorTable(merchantId))
    .leftJoin('refunds as r', (join) => join.on('r.merchant_id', '=', merchantId).on('r.id', '=', uuidOf(id)))
    .select('door.open')
    .selectAll('r')
    .executeTakeFirstOrThrow()
  const { open, ...refund } = row
  return { open: open === true, found: refund.id === null ? undefined : refundOf(refund as RefundRow) }
}

/** Null for any. */
export interface RefundFilter {
  readonly intentId: PaymentIntentId | null
}

/** Newest first; `ending_before` gives the page just newer than its cursor, still newest first. */
export async function listRefundRows(
  reader: Reader,
  merchantId: MerchantId,
  page: PageQuery<RefundId>,
  { intentId }: RefundFilter,
): Promise<Guarded<Page<Refund>>> {
  const columns = { payment_intent_id: intentId && uuidOf(intentId) }
  const shown = pageRows<RefundRow>('refunds', merchantId, page, columns)
  const rows = await reader
    .selectFrom(doorTable(merchantId))
    .leftJoin(shown.as<'r'>(sql.ref('r')), (join) => join.onTrue())
    .select('door.open')
    .selectAll('r')
    .orderBy(pageOrder('r.id', page))
    .execute()
  const refunds = rows.filter(({ id }) => id !== null).map((row) => refundOf(row as RefundRow))
  return { open: rows[0]?.open === true, found: pageOf(refunds, page) }
}

const refundQueue = {
  table: 'refunds',
  key: ['merchant_id', 'id'],
  due: 'instruct_at',
  waiting: sql`true`,
} as const

/** Leases refunds whose instruction the worker is to look after, but for those of busy rails. */
export async function claimRefunds(
  writer: Writer,
  order: ClaimOrder,
  busy: readonly string[] = [],
): Promise<Refund[]> {
  const rows = await claimDue<RefundRow>(writer, pastRails(refundQueue, busy), order)
  return rows.map(refundOf)
}

/** Of these refunds those whose customer was erased after they were made (spec 3.2). */
export async function findErased(reader: Reader, refunds: readonly Refund[]): Promise<ReadonlySet<RefundId>> {
  const rows = await reader
    .selectFrom('refunds as r')
    .innerJoin('customers as c', (join) =>
      join.onRef('c.merchant_id', '=', 'r.merchant_id').onRef('c.id', '=', 'r.customer_id'),
    )
    .select('r.id')
    .where(
      sql<boolean>`(r.merchant_id, r.id) in (select * from unnest(
        ${refunds.map(({ merchantId }) => merchantId)}::text[], ${refunds.map(({ id }) => uuidOf(id))}::uuid[]))`,
    )
    .whereRef('c.erased_at', '>=', 'r.opened_at')
    .execute()
  return new Set(rows.map(({ id }) => idOf('re', id)))
}
