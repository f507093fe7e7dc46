import type { Tx } from '@merchant-payments/db'
import { sql } from 'kysely'
import { type Cleared, progressOf, type RowKey } from './page.ts'
import {
  keyColumnsOf,
  type Key,
  rowsAfter,
  sameRow,
  type Scope,
  textColumn,
  textOf,
  typesOf,
  uuidColumn,
} from './pages-store.ts'
import { redactBody } from '../../base/redact.ts'
import { rowsJson } from '../../base/rows-json.ts'

interface Bodies {
  readonly table: 'events' | 'idempotency_keys'
  readonly key: Key
}

export const eventBodies: Bodies = { table: 'events', key: [uuidColumn('id')] }
export const answerBodies: Bodies = {
  table: 'idempotency_keys',
  key: [textColumn('scope'), textColumn('key')],
}

interface Page {
  readonly rows: readonly { readonly key: RowKey; readonly body: string | null; readonly bytes: number }[]
  readonly isLast: boolean
}

export async function clearBodies(
  tx: Tx,
  bodies: Bodies,
  scope: Scope,
  from: RowKey | null,
  { rowsMax, bytesMax }: { rowsMax: number; bytesMax: number },
): Promise<Cleared> {
  const page = await readPage(tx, bodies, scope, from, { rowsMax, bytesMax })
  const changed = page.rows.flatMap(({ key, body: was }) => {
    const body = was === null ? null : redactBody(was)
    return body === was ? [] : [{ key, body, was }]
  })
  const written = new Set((await writeBodies(tx, bodies, scope, changed)).map(textOfKey))
  const held = new Set(changed.map(({ key }) => textOfKey(key)).filter((key) => !written.has(key)))
  const looked = page.rows.map(({ key }) => ({ key, done: !held.has(textOfKey(key)) }))
  return {
    rows: page.rows.length,
    bytes: page.rows.reduce((sum, { bytes }) => sum + bytes, 0),
    ...progressOf(looked, page.isLast, from),
  }
}

const textOfKey = (key: RowKey) => JSON.stringify(key)

/** Reads the length of a body from its header. Beyond `bytesMax` it reads no body, except the first of the page. */
async function readPage(
  tx: Tx,
  { table, key }: Bodies,
  scope: Scope,
  from: RowKey | null,
  { rowsMax, bytesMax }: { rowsMax: number; bytesMax: number },
): Promise<Page> {
  const { rows } = await sql<{ key: string[]; body: string | null; bytes: number; total: number }>`
    select ${textOf(key, 'q')} as key, body, bytes, total from (
      select ${keyColumnsOf(key)}, body, bytes, count(*) over () as total,
        sum(bytes) over (order by ${keyColumnsOf(key)} rows unbounded preceding) - bytes as before
      from (
        select ${keyColumnsOf(key)}, body, coalesce(octet_length(body), 0) as bytes from ${sql.table(table)}
        ${rowsAfter(key, scope, from, rowsMax)}) p) q
    where before < ${bytesMax} order by ${keyColumnsOf(key, 'q')}`.execute(tx)
  const total = rows[0]?.total ?? 0
  return { rows, isLast: total < rowsMax && rows.length === total }
}

interface Change {
  readonly key: RowKey
  readonly body: string | null
  readonly was: string | null
}

/** The row of an expired key may be another request's by now, so a body is written only if it is as it was read. */
async function writeBodies(
  tx: Tx,
  { table, key }: Bodies,
  { merchantId }: Scope,
  changes: readonly Change[],
): Promise<RowKey[]> {
  if (changes.length === 0) return []
  const batch = changes.map(({ key: values, body, was }) => ({
    merchant_id: merchantId,
    ...Object.fromEntries(key.map(({ name }, n) => [name, values[n]])),
    body,
    was,
  }))
  const rows = sql.table(table)
  const result = await sql<{ key: string[] }>`
    with free as materialized (
      select t.merchant_id, ${keyColumnsOf(key, 't')}, t.body
      from json_to_recordset(${rowsJson(batch)}::json) as t (merchant_id text, ${typesOf(key)}, body text, was text)
      cross join lateral (
        select from ${rows} s where ${sameRow(key, 't')} and s.body = t.was
        for no key update skip locked) s
    ),
    cleared as (
      update ${rows} s set body = free.body from free where ${sameRow(key, 'free')}
    )
    select ${textOf(key, 'free')} as key from free`.execute(tx)
  return result.rows.map((row) => row.key)
}
