import type { Currency, IntentStatus, RefundReason, RefundStatus } from '@merchant-payments/contract'
import type { ChargeStatus, InstructionState, Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn } from '../../base/columns.ts'
import type { MerchantId } from '../../base/ids.ts'

export type WalkedTable = 'payment_intents' | 'charges' | 'refunds'

/** A part of one merchant's rows, in the order of their ids. */
export interface Part {
  readonly merchantId: MerchantId
  /** The uuid of the last row before the part. */
  readonly after: string
  /** The smallest uuid beyond the last part. */
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

export interface ExportedIntent {
  readonly id: string
  readonly status: IntentStatus
  readonly amount: number
  readonly currency: Currency
  readonly refund_reserved: number
  readonly description: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly customer_id: string | null
  readonly invoice_id: string | null
  readonly charge_id: string | null
  readonly rail: string | null
  readonly reference: string | null
  readonly rail_txn_id: string | null
  readonly settled_at: number | null
}

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
  'charge_id',
  'rail',
  'reference',
  'rail_txn_id',
  'settled_at',
] as const

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
    intentColumns,
  )

export interface ExportedCharge {
  readonly id: string
  readonly payment_intent_id: string
  readonly rail: string
  readonly status: ChargeStatus
  readonly amount: number
  readonly currency: Currency
  readonly reference: string
  readonly rail_txn_id: string | null
  readonly rail_code: string | null
  readonly ruling: string | null
  readonly opened_at: number
  readonly settled_at: number | null
}

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

const named = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(`t.${column}`)))

export const readCharges = (reader: Reader, part: Part): Promise<ExportedCharge[]> =>
  read(
    reader,
    sql<ExportedCharge>`(select ${named(chargeColumns)} ${within(part, 'charges')})`,
    chargeColumns,
  )

export interface ExportedRefund {
  readonly id: string
  readonly payment_intent_id: string
  readonly rail: string
  readonly status: RefundStatus
  readonly instruction: InstructionState
  readonly amount: number
  readonly currency: Currency
  readonly reason: RefundReason | null
  readonly failure_reason: string | null
  readonly reference: string
  readonly rail_code: string | null
  readonly opened_at: number
}

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

export const readRefunds = (reader: Reader, part: Part): Promise<ExportedRefund[]> =>
  read(
    reader,
    sql<ExportedRefund>`(select ${named(refundColumns)} ${within(part, 'refunds')})`,
    refundColumns,
  )

export interface FinanceRow {
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
}

const DAY_MS = 86_400_000

/** The day of an id, whose first twelve digits are its milliseconds. */
const dayOf = (id: string, offsetMs: number) => sql`
  ((('x' || left(replace(${sql.ref(id)}::text, '-', ''), 12))::bit(48)::bigint + ${sql.lit(offsetMs)}) / ${sql.lit(DAY_MS)})::integer`

const financeColumns = [
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
] as const

/** Sums one merchant's money by day, rail and currency. Reads that merchant's rows of the time by their primary keys. */
export function sumMoney(
  reader: Reader,
  { merchantId, after, until }: Omit<Part, 'limit'>,
  offsetMs: number,
): Promise<FinanceRow[]> {
  const from = (table: string) => sql`
    from ${sql.table(table)} t where t.merchant_id = ${merchantId} and t.id > ${after}::uuid and t.id < ${until}::uuid`
  const day = dayOf('t.id', offsetMs)
  const rows = sql<FinanceRow>`(
    select m.day, m.rail, m.currency, count(*) filter (where m.kind = 'payment')::integer as payments,
      coalesce(sum(m.amount) filter (where m.kind = 'payment'), 0)::bigint as gross,
      count(*) filter (where m.kind = 'duplicate')::integer as duplicates,
      coalesce(sum(m.amount) filter (where m.kind = 'duplicate'), 0)::bigint as duplicates_amount,
      count(*) filter (where m.kind = 'refund')::integer as refunds,
      coalesce(sum(m.amount) filter (where m.kind = 'refund'), 0)::bigint as refunds_amount,
      count(*) filter (where m.kind = 'return')::integer as returns,
      coalesce(sum(m.amount) filter (where m.kind = 'return'), 0)::bigint as returns_amount
    from (
      select ${day} as day, t.rail, t.currency, t.amount,
        case t.status when 'succeeded' then 'payment' else 'duplicate' end as kind
      ${from('charges')} and t.status in ('succeeded', 'duplicate')
      union all
      select ${day}, t.rail, t.currency, t.amount, 'refund' ${from('refunds')} and t.status not in ('failed', 'canceled')
      union all
      select ${day}, t.rail, t.currency, t.amount, 'return' ${from('charge_returns')} and t.instruction <> 'refused') m
    group by m.day, m.rail, m.currency)`
  return reader
    .selectFrom(rows.as<'r'>(sql.ref('r')))
    .select(columnsIn('r', financeColumns))
    .orderBy(sql`r.day, r.rail, r.currency`)
    .execute()
}
