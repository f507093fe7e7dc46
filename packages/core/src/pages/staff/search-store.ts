import { Refusal } from '@merchant-payments/contract'
import { type RawBuilder, sql } from 'kysely'
import { columnsOf, type Part } from '../../base/columns.ts'
import type { Listed } from '../cut.ts'
import { cutPageOf, type Page, pageOf } from '../page.ts'
import type { StaffPage } from './page.ts'
import { cutRows, direction, everything, inTime, onPage, type TimedTable } from './store.ts'

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

export const search = (
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

export const tooMuch = () =>
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
