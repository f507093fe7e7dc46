import type { AmountRange, Currency } from '@merchant-payments/contract'
import type { Tx } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsOf, type Part } from '../../base/columns.ts'
import { type Id, type MerchantId, type PaymentIntentId, uuidOf } from '../../base/ids.ts'
import { bytesOf, cutPage, type Listed } from '../cut.ts'
import { createdWithin, floorOfSec } from '../store.ts'
import type { StaffPage } from './page.ts'

const timedTables = ['payment_intents', 'charges', 'refunds', 'customers', 'invoices'] as const

/** Tables with an index by time over all merchants. */
export type TimedTable = (typeof timedTables)[number]
/** A payment has several events, so an index of theirs would cost each payment too much. */
type UntimedTable = 'events' | 'checkout_sessions'
/** Tables whose primary key is (merchant_id, id). */
type Table = TimedTable | UntimedTable

const isTimed = (table: Table): table is TimedTable => timedTables.some((timed) => timed === table)

/** A condition that all rows meet. `searchAlong` knows it: then it needs no bound. */
export const everything = sql<boolean>`true`

/**
 * An id as the indexes by time have it (migration 0041, docs/decisions/0027). The expression keeps these indexes for
 * staff queries. With an index on the plain id, the planner could prefer it to the primary key in a merchant's query.
 */
export const inTime = (id: Part) => sql`greatest(${id})`

/** Whether an id is on the page's side of its cursor, and in its time. Ids are in the order of time. */
export function onPage({ startingAfter, endingBefore, created }: StaffPage, id: Part) {
  const bounds = [
    startingAfter === null ? null : sql`${id} < ${uuidOf(startingAfter)}::uuid`,
    endingBefore === null ? null : sql`${id} > ${uuidOf(endingBefore)}::uuid`,
    created === null ? null : createdWithin(created, id),
  ].filter((bound) => bound !== null)
  return bounds.length === 0 ? everything : sql<boolean>`${sql.join(bounds, sql` and `)}`
}

/** The ids that a page can have: from the first, and before the second. Null without a bound. */
export function idsOf({ startingAfter, endingBefore, created }: StaffPage) {
  const from = [
    ...(endingBefore === null ? [] : [uuidOf(endingBefore)]),
    ...(created === null ? [] : [floorOfSec(created.fromSec)]),
  ]
  const until = [
    ...(startingAfter === null ? [] : [uuidOf(startingAfter)]),
    ...(created === null ? [] : [floorOfSec(created.untilSec)]),
  ]
  return { from: from.toSorted().at(-1) ?? null, until: until.toSorted()[0] ?? null }
}

export const direction = ({ endingBefore }: Pick<StaffPage, 'endingBefore'>) =>
  endingBefore === null ? sql`desc` : sql`asc`

export const inOrder = (page: StaffPage, id: Part, rowsMax = page.limit + 1) =>
  sql`order by ${id} ${direction(page)} limit ${rowsMax}`

const tenants = (table: 'checkout_sessions' | 'charge_returns') =>
  sql`recursive tenant (merchant_id) as (
        (select merchant_id from ${sql.table(table)} order by merchant_id limit 1)
        union all
        select (
          select n.merchant_id from ${sql.table(table)} n
          where n.merchant_id > tenant.merchant_id order by n.merchant_id limit 1)
        from tenant where tenant.merchant_id is not null)`

const tenantsWithEvents = sql`tenant (merchant_id) as materialized (select merchant_id from event_counters)`

/**
 * For tables without an index by time: a step along the primary key of each merchant.
 *
 * @param rows a select of these columns of one merchant's rows, which may name `tenant.merchant_id`
 */
export const ofEachMerchant = (
  table: UntimedTable | 'deliveries' | 'charge_returns',
  columns: readonly string[],
  rows: Part,
) => sql`
  with ${table === 'events' || table === 'deliveries' ? tenantsWithEvents : tenants(table)}
  select ${columnsOf('r', columns)} from tenant cross join lateral (${rows}) r where tenant.merchant_id is not null`

type ListedTable<Row> = Listed<Table, Row>

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
  const names = columnsOf('t', columns)
  const uuid = sql`${uuidOf(id)}::uuid`
  if (isTimed(table)) {
    return sql<Row>`(select ${names} from ${sql.table(table)} t where ${inTime(sql.ref('t.id'))} = ${uuid} limit 1)`
  }
  const row = sql`
    select ${names} from ${sql.table(table)} t where t.merchant_id = tenant.merchant_id and t.id = ${uuid}`
  return sql<Row>`(${ofEachMerchant(table, columns, row)} limit 1)`
}

/** Locks the row until the transaction ends. A read that follows finds what others have committed before. */
export async function holdRow(
  tx: Tx,
  table: TimedTable,
  id: Id<'pi' | 'ch' | 're' | 'cus' | 'in'>,
): Promise<void> {
  const found = rowById<{ merchant_id: string; id: string }>(table, id, ['merchant_id', 'id'])
  await sql`
    select from ${sql.table(table)} h join ${found} r on r.merchant_id = h.merchant_id and r.id = h.id
    for update of h`.execute(tx)
}

export const newestSince = (
  table: TimedTable,
  columns: readonly string[],
  { sinceUuid, rowsMax }: { readonly sinceUuid: string; readonly rowsMax: number },
) => {
  const key = inTime(sql.ref('t.id'))
  return sql`
    select ${columnsOf('t', columns)} from ${sql.table(table)} t where ${key} >= ${sinceUuid}::uuid
    order by ${key} desc limit ${rowsMax}`
}

export const oldestBetween = (
  table: TimedTable,
  columns: readonly string[],
  { afterUuid, beforeUuid, rowsMax }: { afterUuid: string; beforeUuid: string; rowsMax: number },
) => {
  const key = inTime(sql.ref('t.id'))
  return sql`
    select ${columnsOf('t', columns)} from ${sql.table(table)} t
    where ${key} > ${afterUuid}::uuid and ${key} < ${beforeUuid}::uuid order by ${key} limit ${rowsMax}`
}

export const hasId = (alias: string, ids: Part) => sql<boolean>`${inTime(sql.ref(`${alias}.id`))} ${ids}`

export const rowsOfIntent = <Row>(
  { table, columns }: Pick<Listed<'charges' | 'refunds', Row>, 'table' | 'columns'>,
  merchantId: MerchantId,
  intentId: PaymentIntentId,
  max: number,
) => sql<Row>`(
    select ${columnsOf(table, columns)} from ${sql.table(table)}
    where merchant_id = ${merchantId} and payment_intent_id = ${uuidOf(intentId)}::uuid order by id desc limit ${max})`

export const amountWithin = (amount: Part, range: AmountRange | null) =>
  range === null
    ? null
    : sql<boolean>`${amount} between ${range.fromMinor}::integer and ${range.toMinor}::integer`

export const inCurrency = (currency: Part, wanted: Currency | null) =>
  wanted === null ? null : sql<boolean>`${currency} = ${wanted}`

export const all = (conditions: readonly (RawBuilder<boolean> | null)[]) => {
  const given = conditions.filter((condition) => condition !== null)
  return given.length === 0 ? everything : sql<boolean>`${sql.join(given, sql` and `)}`
}
