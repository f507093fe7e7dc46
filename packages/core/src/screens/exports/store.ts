import { DAY_MS } from '../../base/clock.ts'
import type { Currency } from '@merchant-payments/contract'
import type { ChargeTable, PaymentIntentTable, Reader, RefundTable } from '@merchant-payments/db'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { livesHere, STATES_ELSEWHERE } from '../../base/client-status.ts'
import { columnsIn, columnsOf, mintedMsOf } from '../../base/columns.ts'
import type { MerchantId } from '../../base/ids.ts'

export async function findMerchantsElsewhere(reader: Reader): Promise<ReadonlySet<string>> {
  const rows = await reader
    .selectFrom('merchant_moves')
    .select('merchant_id')
    .where('state', 'in', STATES_ELSEWHERE)
    .execute()
  return new Set(rows.map(({ merchant_id }) => merchant_id))
}

export type WalkedTable = 'payment_intents' | 'charges' | 'refunds'

export interface Part {
  readonly merchantId: MerchantId
  readonly after: string
  readonly until: string
  readonly limit: number
}

const within = ({ merchantId, after, until, limit }: Part, table: WalkedTable) => sql`
  from ${sql.table(table)} t where t.merchant_id = ${merchantId} and t.id > ${after}::uuid and t.id < ${until}::uuid
  order by t.id limit ${limit}`

const read = <Row>(reader: Reader, rows: RawBuilder<Row>, columns: readonly (keyof Row & string)[]) =>
  reader
    .selectFrom(rows.as<'r'>(sql.ref('r')))
    .select(columnsIn('r', columns) as never)
    .orderBy(sql`r.id`)
    .execute() as unknown as Promise<Row[]>

const intentColumns = [
  'id',
  'status',
  'amount',
  'currency',
  'refund_reserved',
  'description',
  'metadata',
  'customer_id',
  'invoice_id',
] as const

const exportedColumns = [
  ...intentColumns,
  'charge_id',
  'rail',
  'reference',
  'rail_txn_id',
  'settled_at',
] as const

export interface ExportedIntent extends Pick<Selectable<PaymentIntentTable>, (typeof intentColumns)[number]> {
  readonly charge_id: string | null
  readonly rail: string | null
  readonly reference: string | null
  readonly rail_txn_id: string | null
  readonly settled_at: number | null
}

/** Each intent has the charge that paid it, else its newest one. */
export const readIntents = (reader: Reader, part: Part): Promise<ExportedIntent[]> =>
  read(
    reader,
    sql<ExportedIntent>`(
      select p.id, p.status, p.amount, p.currency, p.refund_reserved, p.description, p.metadata, p.customer_id, p.invoice_id,
        c.id as charge_id, c.rail, c.reference, c.rail_txn_id, c.settled_at
      from (
        select t.merchant_id, t.id, t.status, t.amount, t.currency, t.refund_reserved, t.description, t.metadata,
          t.customer_id, t.invoice_id ${within(part, 'payment_intents')}) p
      left join lateral (
        select n.id, n.rail, n.reference, n.rail_txn_id, n.settled_at from charges n
        where n.merchant_id = p.merchant_id and n.payment_intent_id = p.id
        order by n.status = 'succeeded' desc, n.id desc limit 1) c on true)`,
    exportedColumns,
  )

const chargeColumns = [
  'id',
  'payment_intent_id',
  'rail',
  'status',
  'amount',
  'currency',
  'reference',
  'rail_txn_id',
  'rail_code',
  'ruling',
  'opened_at',
  'settled_at',
] as const

export type ExportedCharge = Pick<Selectable<ChargeTable>, (typeof chargeColumns)[number]>

export const readCharges = (reader: Reader, part: Part): Promise<ExportedCharge[]> =>
  read(
    reader,
    sql<ExportedCharge>`(select ${columnsOf('t', chargeColumns)} ${within(part, 'charges')})`,
    chargeColumns,
  )

const refundColumns = [
  'id',
  'payment_intent_id',
  'rail',
  'status',
  'instruction',
  'amount',
  'currency',
  'reason',
  'failure_reason',
  'reference',
  'rail_code',
  'opened_at',
] as const

export type ExportedRefund = Pick<Selectable<RefundTable>, (typeof refundColumns)[number]>

export const readRefunds = (reader: Reader, part: Part): Promise<ExportedRefund[]> =>
  read(
    reader,
    sql<ExportedRefund>`(select ${columnsOf('t', refundColumns)} ${within(part, 'refunds')})`,
    refundColumns,
  )

export interface FinanceRow {
  readonly merchant_id: string
  /** Days since 1970 in the zone. */
  readonly day: number
  readonly rail: string
  readonly currency: Currency
  readonly payments: number
  readonly gross: number
  readonly duplicates: number
  readonly duplicates_amount: number
  readonly refunds: number
  readonly refunds_amount: number
  readonly returns: number
  readonly returns_amount: number
  /** False for the rows that a merchant has left behind: its money is summed up in its new cell. */
  readonly here: boolean
  /** The last id that is summed if the statement ended before all; the same in each row. */
  readonly reached: string | null
}

const dayOf = (id: string, offsetMs: number) => sql`
  ((${mintedMsOf(sql`${sql.ref(id)}::text`)} + ${sql.lit(offsetMs)}) / ${sql.lit(DAY_MS)})::integer`

const financeColumns = [
  'merchant_id',
  'day',
  'rail',
  'currency',
  'payments',
  'gross',
  'duplicates',
  'duplicates_amount',
  'refunds',
  'refunds_amount',
  'returns',
  'returns_amount',
  'here',
  'reached',
] as const

interface MoneySpan {
  /** Null stands for all merchants. */
  readonly merchantId: MerchantId | null
  readonly after: string
  readonly until: string
}

export const SUMMED_MAX = 20_000

/**
 * Sums the oldest money by merchant, day, rail and currency: one merchant's by its primary keys, all merchants' by the
 * indexes of time (docs/decisions/0027). If a table has more than SUMMED_MAX rows, all sums end with the last one that was
 * read of it.
 */
export function sumMoney(
  reader: Reader,
  { merchantId, after, until }: MoneySpan,
  offsetMs: number,
): Promise<FinanceRow[]> {
  const key = merchantId === null ? sql`greatest(t.id)` : sql`t.id`
  const ofMerchant = merchantId === null ? sql`true` : sql`t.merchant_id = ${merchantId}`
  const moved = (table: string, kind: RawBuilder<unknown>) => sql`
    select t.merchant_id, t.id, t.rail, t.currency, t.amount, ${kind} as kind from ${sql.table(table)} t
    where ${ofMerchant} and ${key} > ${after}::uuid and ${key} < ${until}::uuid
    order by ${key} limit ${sql.lit(SUMMED_MAX)}`
  const tables = ['charge', 'refund', 'repaid'].map((table) => sql.table(table))
  const united = (each: (table: RawBuilder<unknown>) => RawBuilder<unknown>) =>
    sql.join(tables.map(each), sql` union all `)
  const count = (kind: string) => sql`count(*) filter (where m.kind = ${sql.lit(kind)})::integer`
  const sum = (kind: string) =>
    sql`coalesce(sum(m.amount) filter (where m.kind = ${sql.lit(kind)}), 0)::bigint`
  const rows = sql<FinanceRow>`(
    with charge as materialized (
      ${moved('charges', sql`case t.status when 'succeeded' then 'payment' when 'duplicate' then 'duplicate' end`)}),
    refund as materialized (
      ${moved('refunds', sql`case when t.status not in ('failed', 'canceled') then 'refund' end`)}),
    repaid as materialized (
      ${moved('charge_returns', sql`case when t.instruction <> 'refused' then 'return' end`)}),
    reached as materialized (
      select l.id from (
        ${united((table) => sql`(select t.id from ${table} t offset ${sql.lit(SUMMED_MAX - 1)} limit 1)`)}) l
      order by l.id limit 1)
    select m.merchant_id, ${dayOf('m.id', offsetMs)} as day, m.rail, m.currency,
      ${count('payment')} as payments, ${sum('payment')} as gross,
      ${count('duplicate')} as duplicates, ${sum('duplicate')} as duplicates_amount,
      ${count('refund')} as refunds, ${sum('refund')} as refunds_amount,
      ${count('return')} as returns, ${sum('return')} as returns_amount, ${livesHere(sql`m.merchant_id`)} as here,
      (select id from reached) as reached
    from (${united((table) => sql`select t.merchant_id, t.id, t.rail, t.currency, t.amount, t.kind from ${table} t`)}) m
    where m.id <= coalesce((select id from reached), ${until}::uuid)
    group by m.merchant_id, day, m.rail, m.currency)`
  return reader
    .selectFrom(rows.as<'r'>(sql.ref('r')))
    .select(columnsIn('r', financeColumns))
    .execute()
}
