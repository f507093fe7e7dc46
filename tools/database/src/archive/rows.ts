import { REDACTED, redactBody } from '@merchant-payments/core/redact'
import pg from 'pg'
import type { Column } from '../move/rows.ts'
import type { ArchivedTable } from './manifest.ts'
import type { ArchiveRow } from './parts.ts'

/** A page ends at either bound, plus one row, so the memory of a run is bounded. A row has at most 0.6 MB. */
const PAGE_ROWS = 2_000
const PAGE_BYTES = 4 * 1024 * 1024

const name = pg.escapeIdentifier

/** The columns with copies of customers' data, which no archive has (docs/decisions/0031-months-are-archived-redacted.md). */
export const redactedColumns: Readonly<Record<ArchivedTable, readonly string[]>> = {
  events: ['body'],
  deliveries: [],
  delivery_attempts: ['response_excerpt'],
}

/** A row as SQL: its JSON without the body, and its body. */
const shown: Readonly<Record<ArchivedTable, { line: string; body: string }>> = {
  events: { line: `(to_jsonb(t) - 'body')::text`, body: 't.body' },
  deliveries: { line: 'to_jsonb(t)::text', body: 'null::text' },
  delivery_attempts: {
    line: `(to_jsonb(t) || jsonb_build_object('response_excerpt',
      case when t.response_excerpt = '' then '' when t.response_excerpt is not null then '${REDACTED}' end))::text`,
    body: 'null::text',
  },
}

interface PageRow {
  readonly merchant: string
  readonly key: string[]
  readonly line: string
  readonly body: string | null
}

/** All rows of a month's partition in the order of the primary key, read page by page along it. */
export async function* readRows(
  client: pg.Client,
  table: ArchivedTable,
  month: string,
  key: readonly Column[],
): AsyncGenerator<ArchiveRow> {
  let after: readonly string[] | null = null
  for (;;) {
    const page: readonly PageRow[] = await readPage(client, { table, month, key }, after)
    for (const { merchant, line, body } of page) {
      yield { merchant, line: body === null ? line : withBody(line, redactBody(body)) }
    }
    const last = page.at(-1)
    if (last === undefined) return
    after = last.key
  }
}

/** The rest of the row keeps the bytes that PostgreSQL wrote. */
const withBody = (line: string, body: string): string =>
  `${line.slice(0, -1)}, "body": ${JSON.stringify(body)}}`

async function readPage(
  client: pg.Client,
  { table, month, key }: { table: ArchivedTable; month: string; key: readonly Column[] },
  after: readonly string[] | null,
): Promise<PageRow[]> {
  const order = key.map((column) => `t.${name(column.name)}`).join(', ')
  const texts = key.map((column) => `t.${name(column.name)}::text`).join(', ')
  const later =
    after === null
      ? ''
      : `where (${order}) > (${key.map(({ type }, n) => `$${n + 1}::text::${type}`).join(', ')})`
  const { line, body } = shown[table]
  const { rows } = await client.query<PageRow>(
    `select merchant, key, line, body from (
      select merchant, key, line, body, n,
        sum(octet_length(line) + coalesce(octet_length(body), 0)) over (order by n)
          - octet_length(line) - coalesce(octet_length(body), 0) as bytes_before
      from (
        select t.merchant_id as merchant, array[${texts}] as key, ${line} as line, ${body} as body,
          row_number() over (order by ${order}) as n
        from (select * from ${name(`${table}_${month}`)} t ${later} order by ${order} limit ${PAGE_ROWS}) t) numbered) p
    where bytes_before < ${PAGE_BYTES} order by n`,
    [...(after ?? [])],
  )
  return rows
}
