import type { AmountRange, Currency } from '@merchant-payments/contract'
import type { Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn } from '../../base/columns.ts'
import { type Id, type MerchantId, type PaymentIntentId, uuidOf } from '../../base/ids.ts'
import { bytesOf, columnsOf, cutPage, type Listed } from '../cut/store.ts'
import { createdWithin } from '../store.ts'
import type { StaffPage } from './page.ts'

/** Tables whose primary key is (merchant_id, id). */
type Table =
  | 'payment_intents'
  | 'charges'
  | 'refunds'
  | 'customers'
  | 'invoices'
  | 'events'
  | 'checkout_sessions'

type Part = RawBuilder<unknown>

const everything = sql<boolean>`true`

/** Whether an id is on the page's side of its cursor, and in its time. Ids are in the order of time. */
export function onPage({ startingAfter, endingBefore, created }: StaffPage, id: Part) {
  const bounds = [
    startingAfter === null ? null : sql`${id} < ${uuidOf(startingAfter)}::uuid`,
    endingBefore === null ? null : sql`${id} > ${uuidOf(endingBefore)}::uuid`,
    created === null ? null : createdWithin(created),
  ].filter((bound) => bound !== null)
  return bounds.length === 0 ? everything : sql<boolean>`${sql.join(bounds, sql` and `)}`
}

/** One row more than the page, which tells `has_more`. */
export const inOrder = ({ endingBefore, limit }: StaffPage, id: Part) =>
  sql`order by ${id} ${endingBefore === null ? sql`desc` : sql`asc`} limit ${limit + 1}`

/**
 * The merchants that have rows in a table, each found by one step of its primary key. A list of every merchant's
 * rows is then a short walk along that key for each, and needs no index of its own (docs/decisions/0009).
 */
const tenants = (table: Table | 'deliveries' | 'charge_returns', merchantId: MerchantId | null) =>
  merchantId !== null
    ? sql`tenant (merchant_id) as (select ${merchantId}::text collate "C")`
    : sql`tenant (merchant_id) as (
        (select merchant_id from ${sql.table(table)} order by merchant_id limit 1)
        union all
        select (
          select n.merchant_id from ${sql.table(table)} n
          where n.merchant_id > tenant.merchant_id order by n.merchant_id limit 1)
        from tenant where tenant.merchant_id is not null)`

/** @param rows a select of these columns of one merchant's rows, which may name `tenant.merchant_id` */
export const ofEachMerchant = (
  table: Table | 'deliveries' | 'charge_returns',
  merchantId: MerchantId | null,
  columns: readonly string[],
  rows: Part,
) => sql`
  with recursive ${tenants(table, merchantId)}
  select ${columnsOf('r', columns)} from tenant cross join lateral (${rows}) r where tenant.merchant_id is not null`

type ListedTable<Row> = Listed<Table, Row>

export const newestRows = <Row>(listed: ListedTable<Row>, page: StaffPage, where = everything) => {
  const id = sql.ref('t.id')
  const rows = sql`
    select ${columnsOf('t', listed.columns)} from ${sql.table(listed.table)} t
    where t.merchant_id = tenant.merchant_id and ${onPage(page, id)} and ${where} ${inOrder(page, id)}`
  return cutRows(
    listed,
    page,
    sql`${ofEachMerchant(listed.table, page.merchantId, listed.columns, rows)} ${inOrder(page, sql.ref('r.id'))}`,
  )
}

export const cutRows = <Row>(
  listed: ListedTable<Row>,
  { limit, endingBefore }: Pick<StaffPage, 'limit' | 'endingBefore'>,
  rows: Part,
) =>
  cutPage<Row>({
    rows,
    limit,
    columns: columnsOf('t', listed.columns),
    order: endingBefore === null ? sql`t.id desc` : sql`t.id asc`,
    bytes: bytesOf(listed),
  })

export const rowById = <Row>(
  table: Table,
  id: Id<'pi' | 'ch' | 're' | 'evt' | 'cus' | 'in' | 'cs'>,
  columns: readonly (keyof Row & string)[],
) => {
  const row = sql`
    select ${columnsOf('t', columns)} from ${sql.table(table)} t where t.merchant_id = tenant.merchant_id and t.id = ${uuidOf(id)}::uuid`
  return sql<Row>`(${ofEachMerchant(table, null, columns, row)} limit 1)`
}

export const rowsOfIntent = <Row>(
  { table, columns }: Pick<Listed<'charges' | 'refunds', Row>, 'table' | 'columns'>,
  merchantId: MerchantId,
  intentId: PaymentIntentId,
  max: number,
) => sql<Row>`(
    select ${columnsOf(table, columns)} from ${sql.table(table)}
    where merchant_id = ${merchantId} and payment_intent_id = ${uuidOf(intentId)}::uuid order by id desc limit ${max})`

/** Null for any amount. */
export const amountWithin = (amount: Part, range: AmountRange | null) =>
  range === null
    ? null
    : sql<boolean>`${amount} between ${range.fromMinor}::integer and ${range.toMinor}::integer`

/** A count of a list stops here, so that it costs the same however long the list is. */
const TOTAL_MAX = 10_000

export interface Total {
  readonly currency: Currency
  readonly count: number
  readonly amount: number
}

/**
 * @param rows a select of `amount` and `currency`, in any order
 * @returns at most one row more than are counted, by currency
 */
export const totalsOf = (reader: Reader, rows: Part): Promise<Total[]> =>
  reader
    .selectFrom(
      sql<Total>`(
        select n.currency, count(*) as count, sum(n.amount)::bigint as amount
        from (select c.amount, c.currency from (${rows}) c limit ${TOTAL_MAX + 1}) n
        group by n.currency)`.as<'r'>(sql.ref('r')),
    )
    .select(columnsIn('r', ['currency', 'count', 'amount']))
    .orderBy('r.currency')
    .execute()

export function renderTotals(totals: readonly Total[]) {
  const count = totals.reduce((sum, total) => sum + total.count, 0)
  const isMore = count > TOTAL_MAX
  return {
    object: 'totals' as const,
    count: Math.min(count, TOTAL_MAX),
    is_more: isMore,
    sums: isMore ? [] : totals.map(({ currency, amount }) => ({ currency, amount })),
  }
}

export const all = (conditions: readonly (RawBuilder<boolean> | null)[]) => {
  const given = conditions.filter((condition) => condition !== null)
  return given.length === 0 ? everything : sql<boolean>`${sql.join(given, sql` and `)}`
}
