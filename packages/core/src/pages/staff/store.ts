import { type AmountRange, type Currency, Refusal } from '@merchant-payments/contract'
import type { Reader, Tx } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn, columnsOf, type Part } from '../../base/columns.ts'
import { type Id, type MerchantId, type PaymentIntentId, uuidOf } from '../../base/ids.ts'
import { bytesOf, cutPage, type Listed } from '../cut.ts'
import { cutPageOf, type Page, pageOf } from '../page.ts'
import { createdWithin, floorOfSec } from '../store.ts'
import type { StaffPage } from './page.ts'

const timedTables = ['payment_intents', 'charges', 'refunds', 'customers', 'invoices'] as const

/** Tables with an index by time over all merchants. */
type TimedTable = (typeof timedTables)[number]
/** A payment has several events, so an index of theirs would cost each payment too much. */
type UntimedTable = 'events' | 'checkout_sessions'
/** Tables whose primary key is (merchant_id, id). */
type Table = TimedTable | UntimedTable

const isTimed = (table: Table): table is TimedTable => timedTables.some((timed) => timed === table)

const everything = sql<boolean>`true`

/**
 * An id as the indexes by time have it (migration 0041, docs/decisions/0027). The expression keeps these indexes for
 * staff queries. With an index on the plain id, the planner could prefer it to the primary key in a merchant's query.
 */
const inTime = (id: Part) => sql`greatest(${id})`

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

/** docs/spec-gaps.md, staff: a list or a total looks through this many rows for those that fit its filters. */
export const SEARCHED_MAX = 10_000

function walk(table: TimedTable, page: StaffPage, columns: Part, rowsMax: number) {
  const id = sql.ref('t.id')
  const key = page.merchantId === null ? inTime(id) : id
  const ofMerchant = page.merchantId === null ? everything : sql`t.merchant_id = ${page.merchantId}`
  return sql`
    select ${columns} from ${sql.table(table)} t where ${ofMerchant} and ${onPage(page, key)}
    order by ${key} ${direction(page)} limit ${rowsMax}`
}

const search = (
  table: TimedTable,
  page: StaffPage,
  { columns, where, rowsMax }: { columns: readonly string[]; where: RawBuilder<boolean>; rowsMax: number },
) => searchAlong((shown, max) => walk(table, page, shown, max), { columns, where, rowsMax })

interface Search {
  readonly columns: readonly string[]
  readonly where: RawBuilder<boolean>
  readonly rowsMax: number
  /** Whether the walk has ended before a row `t`. By default it ends after SEARCHED_MAX rows alone. */
  readonly ended?: RawBuilder<boolean> | undefined
}

/**
 * Rows with `fits`, in the order of a walk. If a filter is given, the walk ends after SEARCHED_MAX rows: the next one is then the
 * last row and does not fit. Every column that the filter names is evaluated in the walk, so that it stops with the page.
 *
 * @param walkAlong selects these columns of at most so many rows `t`, in the page's order
 */
export function searchAlong(
  walkAlong: (columns: Part, rowsMax: number) => Part,
  { columns, where, rowsMax, ended = sql<boolean>`false` }: Search,
) {
  const names = columnsOf('t', columns)
  if (where === everything) return walkAlong(sql`${names}, true as fits`, rowsMax)
  const ordered = walkAlong(sql`${names}, (${where}) as fits, ${ended} as ended`, SEARCHED_MAX + 1)
  return sql`
    select ${columnsOf('s', columns)}, coalesce(s.fits, false) and not s.ended as fits
    from (
      select ${columnsOf('w', columns)}, w.fits, w.ended or row_number() over () > ${sql.lit(SEARCHED_MAX)} as ended
      from (${ordered}) w) s
    where s.fits or s.ended limit ${rowsMax}`
}

const tooMuch = () =>
  new Refusal('invalid_request', `must be a shorter range: the search ended after ${SEARCHED_MAX} rows`, {
    param: 'created',
  })

interface Searched {
  /** Undefined for rows that an index of the filter has found. */
  readonly fits?: boolean | undefined
}

const isEnd = ({ fits }: Searched) => fits === false

function untilEnd<Row extends Searched>(rows: readonly Row[]): { found: readonly Row[]; ended: boolean } {
  const found = rows.filter((row) => !isEnd(row))
  const ended = found.length < rows.length
  if (ended && found.length === 0) throw tooMuch()
  return { found, ended }
}

/** A cut page (`cutPageOf`) of a search. If the search ended early, it has the rows that fit so far, and more to search. */
export function foundPageOf<Row extends Searched & { readonly followed: boolean }, T>(
  rows: readonly Row[],
  page: StaffPage,
  itemOf: (row: Row) => T,
): Page<T> {
  const { found, ended } = untilEnd(rows)
  const { items, hasMore } = cutPageOf(found, page, itemOf)
  return { items, hasMore: hasMore || ended }
}

/**
 * The last page of rows that were cut before the page's end: there may be more.
 *
 * @throws Refusal invalid_request if it has none
 */
export function endedPage<T>({ items }: Page<T>): Page<T> {
  if (items.length === 0) throw tooMuch()
  return { items, hasMore: true }
}

export function foundPage<Row extends Searched>(rows: readonly Row[], page: StaffPage): Page<Row> {
  const { found, ended } = untilEnd(rows)
  const { items, hasMore } = pageOf(found, page)
  return { items, hasMore: hasMore || ended }
}

type ListedTable<Row> = Listed<Table, Row>

/** Reads all merchants by the index of time, and one by the primary key. The rows have `fits`. */
export const newestRows = <Row>(
  listed: Listed<TimedTable, Row>,
  page: StaffPage,
  where: RawBuilder<boolean> = everything,
) =>
  cutRows<Row & { readonly fits: boolean }>(
    { ...listed, columns: [...listed.columns, 'fits'] },
    page,
    searchRows(listed.table, page, listed.columns, where),
  )

export const searchRows = (
  table: TimedTable,
  page: StaffPage,
  columns: readonly string[],
  where: RawBuilder<boolean>,
) => search(table, page, { columns, where, rowsMax: page.limit + 1 })

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

/** A count of a list stops here, so that it costs the same however long the list is. */
const TOTAL_MAX = 10_000

export interface Total {
  readonly currency: Currency
  readonly count: number
  readonly amount: number
  readonly ended: boolean
}

const totalsOfRows = (reader: Reader, rows: Part): Promise<Total[]> =>
  reader
    .selectFrom(
      sql<Total>`(
        select n.currency, count(*) filter (where n.fits) as count,
          coalesce(sum(n.amount) filter (where n.fits), 0)::bigint as amount, bool_or(not n.fits) as ended
        from (select c.amount, c.currency, c.fits from (${rows}) c limit ${TOTAL_MAX + 1}) n
        group by n.currency)`.as<'r'>(sql.ref('r')),
    )
    .select(columnsIn('r', ['currency', 'count', 'amount', 'ended']))
    .orderBy('r.currency')
    .execute()

/** @param rows a select of `amount` and `currency`, in any order */
export const totalsOf = (reader: Reader, rows: Part): Promise<Total[]> =>
  totalsOfRows(reader, sql`select a.amount, a.currency, true as fits from (${rows}) a`)

export const searchTotals = (
  reader: Reader,
  table: 'payment_intents' | 'charges' | 'refunds',
  page: StaffPage,
  where: RawBuilder<boolean>,
): Promise<Total[]> =>
  totalsOfRows(
    reader,
    search(table, page, { columns: ['amount', 'currency'], where, rowsMax: TOTAL_MAX + 1 }),
  )

const countOf = (totals: readonly Total[]) => totals.reduce((sum, total) => sum + total.count, 0)

export const isBeyondTotal = (totals: readonly Total[]) => countOf(totals) > TOTAL_MAX

/** @throws Refusal invalid_request if the search ended before it had looked at all rows */
export function renderTotals(totals: readonly Total[]) {
  const count = countOf(totals)
  const isMore = isBeyondTotal(totals)
  if (!isMore && totals.some(({ ended }) => ended)) throw tooMuch()
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
