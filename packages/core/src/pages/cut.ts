import { type RawBuilder, sql } from 'kysely'
import type { Part } from '../base/columns.ts'

/**
 * docs/spec-gaps.md, lists: a page ends before the row that would take its answer past this, and says `has_more`.
 * Its first row is shown whatever its size, so that paging always makes progress.
 */
const PAGE_BYTES_MAX = 256 * 1024

const ENVELOPE_BYTES = 256

/** The largest size of a rendered row without its measured columns: its ids, rails and page's address. */
const ROW_BYTES = 2048

export interface Listed<Table extends string, Row> {
  readonly table: Table
  readonly columns: readonly (keyof Row & string)[]
  /** Columns whose size a caller or a rail decides. */
  readonly measured: readonly (keyof Row & string)[]
  /** Extra bytes in the rendering of a row `t` that come from none of its columns. */
  readonly extraBytes?: RawBuilder<number>
}

export const shownColumns = <Row>({ columns }: Listed<string, Row>) => [...columns, 'followed'] as const

/** Upper bound of the rendered bytes of a row `t`. PostgreSQL's JSON escapes the same characters as the renderer. */
export const bytesOf = <Row>({ measured, extraBytes = sql<number>`0` }: Listed<string, Row>) => {
  // One by one, because a null then costs next to nothing.
  const sizes = measured.map(
    (column) => sql`coalesce(octet_length(to_json(${sql.ref(`t.${column}`)})::text), 0)`,
  )
  return sql<number>`${sql.join(sizes, sql` + `)} + ${sql.lit(ROW_BYTES)} + ${extraBytes}`
}

export type Shown<Row> = Row & { readonly followed: boolean }

interface Cut {
  /** At most one row more than the limit. */
  readonly rows: Part
  readonly limit: number | RawBuilder<number>
  readonly columns: Part
  readonly order: Part
  readonly bytes: RawBuilder<number>
}

/**
 * As many rows as the limit and PAGE_BYTES_MAX allow. PostgreSQL measures and cuts them, so that this process never
 * receives more than a page.
 */
export const cutPage = <Row>({ rows, limit, columns, order, bytes }: Cut) => sql<Shown<Row>>`(
    select ${columns}, t.followed from (
      select ${columns}, lead(true, 1, false) over w as followed, row_number() over w as place,
        sum(${bytes}) over w as bytes_so_far
      from (${rows}) t window w as (order by ${order} rows unbounded preceding)
    ) t where t.place <= ${limit} and (t.place = 1 or t.bytes_so_far <= ${sql.lit(PAGE_BYTES_MAX - ENVELOPE_BYTES)})
  )`
