import { createHash } from 'node:crypto'
import pg from 'pg'
import { type Cell, inTransaction } from './cell.ts'
import type { Unit } from './tables.ts'

/** A page ends at either bound, so the memory of a run is bounded. A row has at most 0.6 MB (a stored answer). */
const PAGE_ROWS = 500
const PAGE_BYTES = 4 * 1024 * 1024

const name = pg.escapeIdentifier

export interface Column {
  readonly name: string
  readonly type: string
}

/** A table's columns that can be written, and its primary key. */
interface Shape {
  readonly columns: readonly Column[]
  readonly key: readonly Column[]
}

export type Shapes = ReadonlyMap<string, Shape>

export async function readShapes(
  { client }: Pick<Cell, 'client'>,
  tables: readonly string[],
): Promise<Shapes> {
  const { rows } = await client.query<{ table: string; columns: Column[]; key: Column[] }>(
    `select t.relname as table,
      (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attname)
        from pg_attribute a where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by k.n)
        from pg_index i, unnest(i.indkey::int2[]) with ordinality k (attnum, n)
          join pg_attribute a on a.attnum = k.attnum
        where i.indrelid = t.oid and i.indisprimary and a.attrelid = t.oid) as key
    from pg_class t
    where t.relname = any ($1::text[]) and t.relnamespace = current_schema()::regnamespace`,
    [tables],
  )
  return new Map(rows.map(({ table, columns, key }) => [table, { columns, key }]))
}

function shapeOf(shapes: Shapes, table: string): Shape {
  const shape = shapes.get(table)
  if (shape === undefined) throw new Error(`the database has no table ${table}`)
  return shape
}

type Row = Readonly<Record<string, unknown>>

/** The text of a row, as `to_jsonb` writes it, and its values. PostgreSQL reads back exactly what it wrote. */
interface Page {
  readonly texts: readonly string[]
  readonly rows: readonly Row[]
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The next roots after a key, in the order of the primary key. */
async function readPage(
  { client }: Cell,
  { table, merchant, where = 'true' }: Unit,
  key: readonly Column[],
  merchantId: string,
  after: readonly string[] | null,
): Promise<Page> {
  const order = key.map((column) => `t.${name(column.name)}`).join(', ')
  const later =
    after === null
      ? ''
      : `and (${order}) > (${key.map(({ type }, n) => `$${n + 2}::text::${type}`).join(', ')})`
  const { rows } = await client.query<{ text: string }>(
    `select text from (
      select text, sum(length(text)) over (order by n) - length(text) as bytes_before from (
        select to_jsonb(t)::text as text, row_number() over (order by ${order}) as n from (
          select * from ${name(table)} t where t.${name(merchant)} = $1 and ${where} ${later}
          order by ${order} limit ${PAGE_ROWS}) t) numbered) p
    where bytes_before < ${PAGE_BYTES} order by bytes_before`,
    [merchantId, ...(after ?? [])],
  )
  return pageOf(rows)
}

const pageOf = (rows: readonly { text: string }[]): Page => ({
  texts: rows.map(({ text }) => text),
  rows: rows.map(({ text }) => JSON.parse(text) as Row),
})

async function readChildren(
  { client }: Cell,
  { table, column }: { table: string; column: string },
  merchantId: string,
  ids: readonly unknown[],
): Promise<Page> {
  if (ids.length === 0) return { texts: [], rows: [] }
  const { rows } = await client.query<{ text: string }>(
    `select to_jsonb(t)::text as text from ${childrenOf(table, column, '*')}`,
    [merchantId, ids],
  )
  return pageOf(rows)
}

/**
 * The merchant's rows of a table that name one of the ids. A cell's statistics know nothing of a merchant that has just come.
 * The planner would then read all of its rows for each page. Written so that it looks up each id alone.
 */
const childrenOf = (table: string, column: string, columns: string) =>
  `unnest($2::uuid[]) r (id) cross join lateral (
    select ${columns} from ${name(table)} t where t.${name(column)} = r.id and (t.merchant_id = $1) is true offset 0) t`

async function insert({ client }: Cell, table: string, { columns }: Shape, { texts }: Page): Promise<void> {
  if (texts.length === 0) return
  const names = columns.map((column) => name(column.name)).join(', ')
  const { rowCount } = await client.query(
    `insert into ${name(table)} (${names}) select ${names} from jsonb_populate_recordset(null::${name(table)}, $1::jsonb)`,
    [`[${texts.join(',')}]`],
  )
  if (rowCount !== texts.length) throw new Error(`${table}: inserted ${rowCount} rows of ${texts.length}`)
}

/** Pages of the roots and of what is inserted before them, by their tables, in the order in which they are inserted. */
async function readParents(
  cell: Cell,
  { table, before }: Unit,
  merchantId: string,
  roots: Page,
): Promise<ReadonlyMap<string, Page>> {
  const root = [table, roots] as const
  const pages: (readonly [string, Page])[] = []
  for (const child of before)
    pages.push([child.table, await readChildren(cell, child, merchantId, idsOf(new Map([root]), child.of))])
  return new Map([...pages, root])
}

function idsOf(parents: ReadonlyMap<string, Page>, table: string): unknown[] {
  const page = parents.get(table)
  if (page === undefined) throw new Error(`the unit has no ${table} before its children`)
  return page.rows.map(({ id }) => id)
}

/** The greatest key that an earlier run has copied. */
async function findLastKey(
  { client }: Cell,
  { table, merchant, where = 'true' }: Unit,
  key: readonly Column[],
  merchantId: string,
): Promise<string[] | null> {
  const descending = key.map((column) => `t.${name(column.name)} desc`).join(', ')
  const { rows } = await client.query<{ row: Row }>(
    `select to_jsonb(t) as row from ${name(table)} t where t.${name(merchant)} = $1 and ${where} order by ${descending} limit 1`,
    [merchantId],
  )
  const row = rows[0]?.row
  return row === undefined ? null : keyOf(row, key)
}

const keyOf = (row: Row, key: readonly Column[]): string[] => key.map((column) => asText(row[column.name]))

/**
 * Copies what is not there yet. A page is one transaction, so a run that was killed goes on after its last page.
 *
 * @returns how many rows this run copied
 */
export async function copyUnit(
  from: Cell,
  to: Cell,
  shapes: Shapes,
  unit: Unit,
  merchantId: string,
): Promise<number> {
  const { key } = shapeOf(shapes, unit.table)
  let after = await findLastKey(to, unit, key, merchantId)
  let copied = 0
  for (;;) {
    const page = await readPage(from, unit, key, merchantId, after)
    const last = page.rows.at(-1)
    if (last === undefined) return copied
    const parents = await readParents(from, unit, merchantId, page)
    const children: (readonly [string, Page])[] = []
    for (const child of unit.children) {
      children.push([child.table, await readChildren(from, child, merchantId, idsOf(parents, child.of))])
    }
    await inTransaction(to, async () => {
      await to.client.query('set constraints all deferred')
      for (const [table, rows] of [...parents, ...children]) {
        await insert(to, table, shapeOf(shapes, table), rows)
        copied += rows.texts.length
      }
    })
    after = keyOf(last, key)
  }
}

/**
 * Removes the merchant's rows, page by page, so that it can be stopped and run again.
 *
 * @returns how many rows this run removed
 */
export async function removeUnit(
  cell: Cell,
  shapes: Shapes,
  unit: Unit,
  merchantId: string,
): Promise<number> {
  const { key } = shapeOf(shapes, unit.table)
  let after: string[] | null = null
  let removed = 0
  for (;;) {
    const page: Page = await readPage(cell, unit, key, merchantId, after)
    const last = page.rows.at(-1)
    if (last === undefined) return removed
    const parents = await readParents(cell, unit, merchantId, page)
    removed += await inTransaction(cell, async () => {
      await cell.client.query('set constraints all deferred')
      let rows = 0
      for (const child of unit.children.toReversed())
        rows += await removeChildren(cell, child, merchantId, idsOf(parents, child.of))
      rows += await removeRoots(cell, unit, key, page)
      for (const child of unit.before.toReversed())
        rows += await removeChildren(cell, child, merchantId, idsOf(parents, child.of))
      return rows
    })
    after = keyOf(last, key)
  }
}

/** Their tables have no partitions, so that a ctid names one row. */
async function removeChildren(
  { client }: Cell,
  { table, column }: { table: string; column: string },
  merchantId: string,
  ids: readonly unknown[],
): Promise<number> {
  const { rowCount } = await client.query(
    `delete from ${name(table)} where ctid = any (array(select t.ctid from ${childrenOf(table, column, 't.ctid')}))`,
    [merchantId, ids],
  )
  return rowCount ?? 0
}

/** By their whole keys alone, for the reason of `childrenOf`. */
async function removeRoots(
  { client }: Cell,
  { table }: Unit,
  key: readonly Column[],
  page: Page,
): Promise<number> {
  const lists = key.map((_, n) => `$${n + 1}::text[]`).join(', ')
  const isSame = key.map((one, n) => `t.${name(one.name)} = u.k${n}::${one.type}`).join(' and ')
  const { rowCount } = await client.query(
    `delete from ${name(table)} t using unnest(${lists}) u (${key.map((_, n) => `k${n}`).join(', ')}) where ${isSame}`,
    key.map((one) => page.rows.map((row) => asText(row[one.name]))),
  )
  return rowCount ?? 0
}

export interface Digest {
  readonly table: string
  readonly rows: number
  readonly hash: string
}

/**
 * The number of a merchant's rows in a table and a hash over all their columns. Hashes of rows are added up, so that the
 * order does not matter and PostgreSQL keeps two sums.
 */
export async function digestOf(
  { client }: Cell,
  table: string,
  merchant: string,
  merchantId: string,
): Promise<Digest> {
  const { rows } = await client.query<{ rows: string; sums: string }>(
    `select count(*) as rows, concat_ws(' ',
        sum(('x' || substr(hash, 1, 15))::bit(60)::bigint), sum(('x' || substr(hash, 17, 15))::bit(60)::bigint)) as sums
      from (select md5(to_jsonb(t)::text) as hash from ${name(table)} t where t.${name(merchant)} = $1) h`,
    [merchantId],
  )
  const [row] = rows
  const hash = createHash('sha256')
    .update(row?.sums ?? '')
    .digest('hex')
    .slice(0, 16)
  return { table, rows: Number(row?.rows ?? 0), hash }
}

export async function countRows(
  { client }: Cell,
  table: string,
  merchant: string,
  merchantId: string,
): Promise<number> {
  const { rows } = await client.query<{ rows: string }>(
    `select count(*) as rows from ${name(table)} t where t.${name(merchant)} = $1`,
    [merchantId],
  )
  return Number(rows[0]?.rows ?? 0)
}
