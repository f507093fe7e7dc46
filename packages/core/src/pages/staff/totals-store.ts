import type { Currency } from '@merchant-payments/contract'
import type { Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn, type Part } from '../../base/columns.ts'
import type { StaffPage } from './page.ts'
import { search, tooMuch } from './search-store.ts'

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
