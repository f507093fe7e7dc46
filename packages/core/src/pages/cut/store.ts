import { type RawBuilder, sql } from 'kysely'

type Part = RawBuilder<unknown>

/**
 * docs/spec-gaps.md, lists: a page ends before the row that would take its answer past this, and says `has_more`. Its
 * first row is shown whatever its size, so that paging always gets on.
 */
const PAGE_BYTES_MAX = 256 * 1024

/** What a list's own JSON takes at most. */
const ENVELOPE_BYTES = 256

/** What the rendering of a row takes at most, besides the columns that are measured: its ids, rails and page's address. */
const ROW_BYTES = 2048

/** A table as its lists read it. */
export interface Listed<Table extends string, Row> {
  readonly table: Table
  /** What is read of a row. */
  readonly columns: readonly (keyof Row & string)[]
  /** Those whose size a caller or a rail decides. */
  readonly measured: readonly (keyof Row & string)[]
  /** Bytes of what is rendered with a row `t` and not in its columns. */
  readonly besides?: RawBuilder<number>
}

export const columnsOf = (alias: string, columns: readonly string[]) =>
  sql.join(columns.map((column) => sql.ref(`${alias}.${column}`)))

/** Of a row `t`: at least the bytes of its rendering, in which characters are escaped as in this JSON. */
export const bytesOf = <Row>({ measured, besides = sql<number>`0` }: Listed<string, Row>) => {
  // One by one, because what is null then costs next to nothing.
  const sizes = measured.map(
    (column) => sql`coalesce(octet_length(to_json(${sql.ref(`t.${column}`)})::text), 0)`,
  )
  return sql<number>`${sql.join(sizes, sql` + `)} + ${sql.lit(ROW_BYTES)} + ${besides}`
}

/** A row of a page, and whether another follows it. */
export type Shown<Row> = Row & { readonly followed: boolean }

interface Cut {
  /** At most one row more than the limit. */
  readonly rows: Part
  readonly limit: number
  /** What is read of a row `t`. */
  readonly columns: Part
  /** The page's order, of columns of `t`. */
  readonly order: Part
  /** Of a row `t`. */
  readonly bytes: RawBuilder<number>
}

/**
 * The rows of a page, as a table: as many as its limit and PAGE_BYTES_MAX allow. The database measures and cuts them, so
 * that no more than a page is ever sent or held by this process.
 */
export const cutPage = <Row>({ rows, limit, columns, order, bytes }: Cut) => sql<Shown<Row>>`(
    select ${columns}, t.followed from (
      select ${columns}, lead(true, 1, false) over w as followed, row_number() over w as place,
        sum(${bytes}) over w as bytes_so_far
      from (${rows}) t window w as (order by ${order} rows unbounded preceding)
    ) t where t.place <= ${limit} and (t.place = 1 or t.bytes_so_far <= ${sql.lit(PAGE_BYTES_MAX - ENVELOPE_BYTES)})
  )`
