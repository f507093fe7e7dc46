import type { Currency } from '@merchant-payments/contract'
import type { Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { type AuditRow, auditColumns } from '../../audit/render.ts'
import { columnsIn, columnsOf } from '../../base/columns.ts'
import { type CustomerId, type MerchantId, uuidOf } from '../../base/ids.ts'
import { rowsOfMerchant } from '../../pages/store.ts'

const kinds = {
  pi: { table: 'payment_intents', intent: sql`t.id`, status: sql`t.status`, amount: sql`t.amount` },
  re: { table: 'refunds', intent: sql`t.payment_intent_id`, status: refundStatus(), amount: sql`t.amount` },
  cs: { table: 'checkout_sessions', intent: sql`t.payment_intent_id`, status: sql`t.status`, amount: null },
  in: { table: 'invoices', intent: sql`null::uuid`, status: sql`t.status`, amount: sql`t.total` },
} as const

export type ActivityPrefix = keyof typeof kinds

/** While a refund is pending, its instruction says more. */
function refundStatus(): RawBuilder<string> {
  return sql`case when t.status = 'pending' then t.instruction else t.status end`
}

export interface ActivityRow {
  readonly prefix: ActivityPrefix
  readonly id: string
  readonly payment_intent_id: string | null
  readonly charge_ids: readonly string[]
  readonly status: string
  readonly amount: number | null
  readonly currency: Currency | null
}

const rowColumns = [
  'prefix',
  'id',
  'payment_intent_id',
  'charge_ids',
  'status',
  'amount',
  'currency',
] as const

export const readNewestOfEach = (
  reader: Reader,
  { merchantId, customerId }: { readonly merchantId: MerchantId; readonly customerId: CustomerId | null },
  max: number,
): Promise<ActivityRow[]> => {
  const isWanted =
    customerId === null
      ? rowsOfMerchant(merchantId)
      : sql`t.merchant_id = ${merchantId} and t.customer_id = ${uuidOf(customerId)}::uuid and t.customer_id is not null`
  // The customer's columns first, so that the planner walks the customer's index and not the merchant's.
  const order =
    customerId === null
      ? sql`t.merchant_id desc, t.id desc`
      : sql`t.customer_id desc, t.merchant_id desc, t.id desc`
  const parts = Object.entries(kinds).map(([prefix, { table, intent, status, amount }]) => {
    const charges =
      prefix === 'pi'
        ? sql`array(select c.id from charges c where c.merchant_id = t.merchant_id and c.payment_intent_id = t.id)`
        : sql`'{}'::uuid[]`
    const money =
      amount === null
        ? sql`null::integer as amount, null::text as currency`
        : sql`${amount}::bigint as amount, t.currency::text as currency`
    return sql`(
      select ${sql.lit(prefix)}::text as prefix, t.id, ${intent} as payment_intent_id, ${charges} as charge_ids,
        ${status}::text as status, ${money}
      from ${sql.table(table)} t where ${isWanted} order by ${order} limit ${max})`
  })
  return reader
    .selectFrom(sql<ActivityRow>`(${sql.join(parts, sql` union all `)})`.as<'r'>(sql.ref('r')))
    .select(columnsIn('r', rowColumns))
    .execute()
}

/** The newest changes of these objects. Reads of a person have no reason. */
export const readChangesOf = (reader: Reader, targets: readonly string[], max: number): Promise<AuditRow[]> =>
  reader
    .selectFrom(
      sql<AuditRow>`(
        select ${columnsOf('t', auditColumns)} from unnest(${targets}::text[]) w (target)
        cross join lateral (
          select ${columnsOf('e', auditColumns)} from audit_entries e
          where e.target = w.target and e.reason is not null order by e.target desc, e.id desc limit ${max}) t
        order by t.id desc limit ${max})`.as<'r'>(sql.ref('r')),
    )
    .select(columnsIn('r', auditColumns))
    .orderBy('r.id', 'desc')
    .execute()
