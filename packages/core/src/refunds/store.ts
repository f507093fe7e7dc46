import type { Reader, RefundTable, Writer } from '@merchant-payments/db'
import { type Selectable, sql } from 'kysely'
import { columnsIn } from '../base/columns.ts'
import { type Find, guarded, ofClient, smallRow } from '../reads/store.ts'
import { idOf, idOrNull, type MerchantId, type PaymentIntentId, type RefundId, uuidOf } from '../base/ids.ts'
import { type ListedTable, listOf } from '../pages/store.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { intentColumns, intentOf, type ListedIntentRow } from '../payment-intents/store.ts'
import { storedMsisdn } from '../base/phone.ts'
import type { RailCode } from '../rails/port.ts'
import type { Due, PayoutKey } from '../payouts/payout.ts'
import { claimsOf, dueOf, findErasedOf, type JobQueue } from '../payouts/store.ts'
import type { ClaimOrder } from '../queue/claim.ts'
import type { ClaimedRails } from '../queue/floors.ts'
import type { SetAside } from '../queue/read-in-halves.ts'
import type { Refund, RefundFields } from './refund.ts'

export type RefundRow = Selectable<RefundTable>

export function refundOf(row: RefundRow): Refund {
  const fields: RefundFields = {
    merchantId: row.merchant_id as MerchantId,
    id: idOf('re', row.id),
    intentId: idOf('pi', row.payment_intent_id),
    amountMinor: row.amount,
    currency: row.currency,
    customerId: idOrNull('cus', row.customer_id),
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
    refusal: row.refusal_code,
    railCode: row.rail_code,
    railMessage: row.rail_message,
    revision: row.revision,
  }
  return { ...fields, status: row.status }
}

export interface Refundable {
  readonly intent: Intent
  /** Null while the intent is not paid. */
  readonly rail: RailCode | null
  /** True if the charge succeeded by a ruling that nothing proves. */
  readonly unproven: boolean
  readonly reservedMinor: number
  /** Null for a customer who is not erased, and without a customer. */
  readonly erasedAtMs: number | null
}

const refundableById = smallRow((keyed) =>
  keyed
    .leftJoin('payment_intents as p', ofClient('p'))
    .leftJoin('charges as c', (join) =>
      join
        .onRef('c.merchant_id', '=', 'p.merchant_id')
        .onRef('c.payment_intent_id', '=', 'p.id')
        .on('c.status', '=', sql.lit('succeeded')),
    )
    .select('c.rail as paid_by')
    // A join that was planned on empty tables can scan the merchant's customers.
    .select((refundable) =>
      refundable
        .selectFrom('customers as u')
        .select('u.erased_at')
        .whereRef('u.merchant_id', '=', 'p.merchant_id')
        .whereRef('u.id', '=', 'p.customer_id')
        .as('erased_at'),
    )
    .select(sql<boolean>`is_unproven(c.merchant_id, c.id, c.ruling, c.rail_txn_id)`.as('unproven'))
    .select(columnsIn('p', [...intentColumns, 'refund_reserved'])),
)

export const findRefundable: Find<'pi', Refundable> = async (reader, merchantId, id) => {
  const row = await refundableById(reader, { merchantId, id: uuidOf(id) })
  const { paid_by: rail, unproven, erased_at: erasedAtMs } = row
  return guarded(row, (intent: ListedIntentRow) => ({
    intent: intentOf(intent),
    rail: rail as RailCode | null,
    unproven,
    reservedMinor: intent.refund_reserved,
    erasedAtMs,
  }))
}

const refundById = smallRow((keyed) =>
  keyed.leftJoin('refunds as r', ofClient('r')).select(columnsIn('r', refundColumns)),
)

export const findRefund: Find<'re', Refund> = async (reader, merchantId, id) =>
  guarded(await refundById(reader, { merchantId, id: uuidOf(id) }), refundOf)

const refundColumns = [
  'merchant_id',
  'id',
  'payment_intent_id',
  'status',
  'amount',
  'currency',
  'customer_id',
  'reason',
  'failure_reason',
  'metadata',
  'livemode',
  'opened_at',
  'rail',
  'reference',
  'instruction',
  'destination_msisdn',
  'submit_deadline',
  'refusal_code',
  'rail_code',
  'rail_message',
  'request_id',
  'revision',
] as const satisfies readonly (keyof RefundRow)[]

export const listedRefunds: ListedTable<RefundRow, 'refunds'> = {
  table: 'refunds',
  columns: refundColumns,
  measured: ['metadata', 'rail_code', 'rail_message'],
}

export interface RefundFilter {
  readonly intentId: PaymentIntentId | null
}

export const listRefundRows = listOf({
  listed: listedRefunds,
  alias: 'r',
  itemOf: refundOf,
  conditions: { intentId: 'payment_intent_id' },
})

export const refundQueue: JobQueue = {
  jobs: 'refund_jobs',
  id: 'refund_id',
  idOf: (uuid) => idOf('re', uuid),
  ledger: 'refunds',
  columns: refundColumns,
}

const claimRows = claimsOf<RefundRow>(refundQueue)

export async function claimRefunds(
  writer: Writer,
  order: ClaimOrder,
  rails: ClaimedRails,
  setAside?: SetAside<PayoutKey>,
): Promise<Due<Refund>[]> {
  const rows = await claimRows(writer, order, rails, setAside)
  return rows.map((row) => dueOf(refundOf(row), row))
}

export const findErasedRefunds = async (
  reader: Reader,
  refunds: readonly Refund[],
): Promise<ReadonlySet<RefundId>> =>
  new Set((await findErasedOf(reader, refundQueue, refunds)).map((id) => idOf('re', id)))
