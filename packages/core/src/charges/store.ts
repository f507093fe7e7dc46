import { type ChargeTable, instant, type Reader, type Writer } from '@merchant-payments/db'
import { type Selectable, sql } from 'kysely'
import { idOf, type MerchantId, type PaymentIntentId, uuidOf } from '../ids.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { intentOf } from '../payment-intents/store.ts'
import type { CallbackReference, RailCode } from '../rails/port.ts'
import { claimDue, type ClaimOrder, LEASE_MS, pastRails } from '../work/claim.ts'
import type { Charge, ChargeFields } from './charge.ts'
import { QUERY_INTERVAL_MIN_MS } from './ladder.ts'

type ChargeRow = Omit<Selectable<ChargeTable>, 'payer_msisdn' | 'lease_until' | 'request_id'>

function chargeOf(row: ChargeRow): Charge {
  const fields: ChargeFields = {
    merchantId: row.merchant_id as MerchantId,
    id: idOf('ch', row.id),
    intentId: idOf('pi', row.payment_intent_id),
    rail: row.rail as RailCode,
    amountMinor: row.amount,
    currency: row.currency,
    customerId: row.customer_id === null ? null : idOf('cus', row.customer_id),
    reference: row.reference,
    railToken: row.rail_token,
    callbackSecret: row.callback_secret,
    railTxnId: row.rail_txn_id,
    railCode: row.rail_code,
    railMessage: row.rail_message,
    openedAtMs: row.opened_at,
    submitDeadlineMs: row.submit_deadline,
    acknowledgedAtMs: row.acknowledged_at,
    settledAtMs: row.settled_at,
    nextQueryAtMs: row.next_query_at,
    queryRung: row.query_rung,
    lastQueryAtMs: row.last_query_at,
    notFoundCount: row.not_found_count,
    ruling: row.ruling,
    revision: row.revision,
  }
  return { ...fields, status: row.status }
}

export async function findCharge(
  reader: Reader,
  merchantId: MerchantId,
  uuid: string,
): Promise<Charge | undefined> {
  const row = await reader
    .selectFrom('charges')
    .select(chargeColumns)
    .where('merchant_id', '=', merchantId)
    .where('id', '=', uuid)
    .executeTakeFirst()
  return row === undefined ? undefined : chargeOf(row)
}

const among = (charges: readonly Charge[], uuid: (charge: Charge) => string) =>
  sql<boolean>`(merchant_id, id) in (select * from unnest(
    ${charges.map(({ merchantId }) => merchantId)}::text[], ${charges.map(uuid)}::uuid[]))`

/** The intents of a batch of charges, as they are now. */
export async function loadIntents(
  reader: Reader,
  charges: readonly Charge[],
): Promise<Map<PaymentIntentId, Intent>> {
  const rows = await reader
    .selectFrom('payment_intents')
    .selectAll()
    .where(among(charges, ({ intentId }) => uuidOf(intentId)))
    .execute()
  return new Map(rows.map((row) => [idOf('pi', row.id), intentOf(row)]))
}

/** A batch of charges read again, after some of them changed under a plan. */
export async function reloadCharges(reader: Reader, charges: readonly Charge[]): Promise<Charge[]> {
  const rows = await reader
    .selectFrom('charges')
    .select(chargeColumns)
    .where(among(charges, ({ id }) => uuidOf(id)))
    .execute()
  return rows.map(chargeOf)
}

const chargeQueue = {
  table: 'charges',
  key: ['merchant_id', 'id'],
  due: 'next_query_at',
  waiting: sql`true`,
} as const

/** Leases charges that are due for a status query, but for those of busy rails. */
export async function claimCharges(
  writer: Writer,
  order: ClaimOrder,
  busy: readonly string[] = [],
): Promise<Charge[]> {
  const rows = await claimDue<ChargeRow>(writer, pastRails(chargeQueue, busy), order)
  return rows.map(chargeOf)
}

export interface Reschedule {
  readonly charge: Charge
  readonly nextQueryAtMs: number | null
  readonly queryRung: number
  readonly notFoundCount: number
}

/** Sets when the rail is asked again, after answers that settled nothing. A charge whose lease was lost is left alone. */
export async function rescheduleCharges(
  writer: Writer,
  reschedules: readonly Reschedule[],
  leaseUntilMs: number,
  nowMs: number,
): Promise<void> {
  if (reschedules.length === 0) return
  const batch = reschedules.map(({ charge, nextQueryAtMs, queryRung, notFoundCount }) => ({
    merchant_id: charge.merchantId,
    id: uuidOf(charge.id),
    next_query_at: nextQueryAtMs === null ? null : instant(nextQueryAtMs),
    query_rung: queryRung,
    not_found_count: notFoundCount,
  }))
  // A row due after its claim was pulled forward by a callback that came while the rail was asked.
  const claimedAt = instant(leaseUntilMs - LEASE_MS)
  const soonest = instant(nowMs + QUERY_INTERVAL_MIN_MS)
  await sql`
    update charges c set
      next_query_at = case when c.next_query_at > ${claimedAt}::timestamptz
        then least(t.next_query_at, greatest(c.next_query_at, ${soonest}::timestamptz)) else t.next_query_at end,
      query_rung = t.query_rung, not_found_count = t.not_found_count,
      last_query_at = ${instant(nowMs)}::timestamptz, lease_until = null
    from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb) as t (
      merchant_id text, id uuid, next_query_at timestamptz, query_rung smallint, not_found_count smallint)
    where c.merchant_id = t.merchant_id and c.id = t.id and c.lease_until = ${instant(leaseUntilMs)}::timestamptz
  `.execute(writer)
}

/**
 * Spec 1.6: all that a callback can do. Makes the charge's next query due, but never sooner than the interval after
 * its last one, so that a stranger's posts cannot make us call the rail more often. While the rail is being asked, the
 * query after that one.
 */
export async function pullForward(
  writer: Writer,
  rail: RailCode,
  { by, value }: CallbackReference,
  nowMs: number,
): Promise<void> {
  const column = { reference: 'reference', callback_secret: 'callback_secret' }[by]
  const now = sql`${instant(nowMs)}::timestamptz`
  const soonest = sql`greatest(${now}, case when lease_until > ${now} then ${now} else last_query_at end
    + make_interval(secs => ${QUERY_INTERVAL_MIN_MS / 1000}))`
  await sql`
    update charges set next_query_at = ${soonest}
    where rail = ${rail} and ${sql.ref(column)} = ${value} and status in ('live', 'unconfirmed', 'failed', 'abandoned')
      and (next_query_at > ${soonest} or (next_query_at <= ${now} and lease_until > ${now}))
  `.execute(writer)
}

const chargeColumns = [
  'merchant_id',
  'id',
  'payment_intent_id',
  'rail',
  'status',
  'amount',
  'currency',
  'customer_id',
  'reference',
  'rail_token',
  'callback_secret',
  'rail_txn_id',
  'rail_code',
  'rail_message',
  'opened_at',
  'submit_deadline',
  'acknowledged_at',
  'settled_at',
  'next_query_at',
  'query_rung',
  'last_query_at',
  'not_found_count',
  'ruling',
  'revision',
] as const
