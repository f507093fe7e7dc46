import { instant, type Tx } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { type Cleared, type Looked, progressOf, type RowKey } from './page.ts'
import {
  keyColumnsOf,
  type Key,
  numberColumn,
  rowsAfter,
  sameRow,
  type Scope,
  textOf,
  uuidColumn,
} from './pages-store.ts'
import { REDACTED } from '../../base/redact.ts'
import { uuidOf } from '../../base/ids.ts'
import { forgetUnpaid, holdWalk } from '../../payer-numbers/store.ts'

interface Words {
  readonly table:
    | 'refunds'
    | 'charge_returns'
    | 'approval_requests'
    | 'audit_number_keys'
    | 'delivery_attempts'
  readonly key: Key
  readonly isCopy: (scope: Scope) => RawBuilder<unknown>
  /** Null if the row is deleted. */
  readonly clear: ((scope: Scope) => RawBuilder<unknown>) | null
}

const mark = (column: string) => sql`case when ${sql.ref(column)} is not null then ${REDACTED} end`

const hasWords = (...columns: readonly string[]) =>
  sql`num_nonnulls(${sql.join(columns.map((column) => sql`nullif(${sql.ref(column)}, ${REDACTED})`))}) > 0`

// The worker fails an instruction that was not sent and only queries one that may have been, so neither needs the number.
// A refund made after the erasure is the merchant's own, and keeps its number until the rail has it (docs/spec-gaps.md).
const isEarlier = ({ begunAtMs }: Scope) => sql`opened_at <= ${instant(begunAtMs)}::timestamptz`

const payoutWords = (table: 'refunds' | 'charge_returns'): Words => ({
  table,
  key: [uuidColumn('id')],
  isCopy: (scope) =>
    sql`(destination_msisdn is not null and ${isEarlier(scope)}) or ${hasWords('rail_code', 'rail_message')}`,
  clear: (scope) => sql`
    destination_msisdn = case when not ${isEarlier(scope)} then destination_msisdn end,
    rail_code = ${mark('rail_code')}, rail_message = ${mark('rail_message')}`,
})

export const refundWords = payoutWords('refunds')
export const returnWords = payoutWords('charge_returns')

/** A pending request that loses its number can no longer be approved. A later one keeps it, as a refund does. */
export const requestWords: Words = {
  table: 'approval_requests',
  key: [uuidColumn('id')],
  isCopy: ({ begunAtMs }) =>
    sql`destination_msisdn is not null and requested_at <= ${instant(begunAtMs)}::timestamptz`,
  clear: () => sql`destination_msisdn = null`,
}

/** Without the key, the hashes in the audit log reveal no number. An erased customer's payment gets no key. */
export const numberKeys: Words = {
  table: 'audit_number_keys',
  key: [uuidColumn('payment_intent_id')],
  isCopy: () => sql`true`,
  clear: null,
}

export const excerpts: Words = {
  table: 'delivery_attempts',
  key: [uuidColumn('delivery_id'), numberColumn('number')],
  isCopy: () => sql`response_excerpt not in ('', ${REDACTED})`,
  clear: () => sql`response_excerpt = ${REDACTED}`,
}

/**
 * Clears the excerpts of a page of the customer's events that lack the customer: their attempts were written while the
 * customer was being named. An event has a few attempts.
 */
export async function clearUnnamedExcerpts(
  tx: Tx,
  scope: Scope,
  from: RowKey | null,
  limit: number,
): Promise<void> {
  await sql`
    update delivery_attempts a set response_excerpt = ${REDACTED}, customer_id = ${uuidOf(scope.customerId)}::uuid
    from (select merchant_id, id from events ${rowsAfter([uuidColumn('id')], scope, from, limit)}) e
    cross join lateral (
      select d.merchant_id, d.id from deliveries d where d.merchant_id = e.merchant_id and d.event_id = e.id) d
    where a.merchant_id = d.merchant_id and a.delivery_id = d.id and a.customer_id is null
      and a.response_excerpt not in ('', ${REDACTED})`.execute(tx)
}

const clearedOf = (rows: readonly Looked[], from: RowKey | null, limit: number): Cleared => ({
  rows: rows.length,
  bytes: 0,
  ...progressOf(rows, rows.length < limit, from),
})

/** Skips locked rows, so that a transaction that waits for this step waits for no other one through it. */
export async function clearWords(
  tx: Tx,
  { table, key, isCopy, clear }: Words,
  scope: Scope,
  from: RowKey | null,
  limit: number,
): Promise<Cleared> {
  const rows = sql.table(table)
  const result = await sql<Looked>`
    with page as materialized (
      select merchant_id, ${keyColumnsOf(key)}, coalesce(${isCopy(scope)}, false) as copy from ${rows}
      ${rowsAfter(key, scope, from, limit)}
    ),
    free as materialized (
      select page.merchant_id, ${keyColumnsOf(key, 'page')} from page cross join lateral (
        select from ${rows} s where ${sameRow(key, 'page')}
        for ${clear === null ? sql`update` : sql`no key update`} skip locked) s
      where page.copy
    ),
    cleared as (
      ${clear === null ? sql`delete from ${rows} s using free` : sql`update ${rows} s set ${clear(scope)} from free`}
      where ${sameRow(key, 'free')}
    )
    select ${textOf(key, 'page')} as key,
      not page.copy or (${keyColumnsOf(key, 'page')}) in (select ${keyColumnsOf(key, 'free')} from free) as done
    from page order by ${keyColumnsOf(key, 'page')}`.execute(tx)
  return clearedOf(result.rows, from, limit)
}

const intentKey: Key = [uuidColumn('id')]

/**
 * Charges are found through their intents, because a customer can be named after an earlier charge was refused. The
 * numbers that no charge has then leave the staff's search with them.
 */
export async function clearIntents(
  tx: Tx,
  scope: Scope,
  from: RowKey | null,
  limit: number,
): Promise<Cleared> {
  const held = await holdWalk(tx)
  const result = await sql<Looked & { readonly numbers: readonly string[] }>`
    with page as materialized (
      select merchant_id, id, ${hasWords('error_decline_code', 'error_message')} as copy from payment_intents
      ${rowsAfter(intentKey, scope, from, limit)}
    ),
    free as materialized (
      select page.merchant_id, page.id from page cross join lateral (
        select from payment_intents s where ${sameRow(intentKey, 'page')} for no key update skip locked) s
      where page.copy
    ),
    copies as materialized (
      select page.merchant_id, page.id as intent_id, c.id from page cross join lateral (
        select id from charges
        where payment_intent_id = page.id and merchant_id = page.merchant_id
          and ${hasWords('payer_msisdn', 'rail_code', 'rail_message')}) c
    ),
    free_charges as materialized (
      select copies.merchant_id, copies.id, copies.intent_id, s.payer_msisdn from copies cross join lateral (
        select s.payer_msisdn from charges s where ${sameRow(intentKey, 'copies')}
        for no key update skip locked) s
    ),
    cleared as (
      update payment_intents s set
        error_decline_code = ${mark('s.error_decline_code')}, error_message = ${mark('s.error_message')}
      from free where ${sameRow(intentKey, 'free')}
    ),
    cleared_charges as (
      update charges s set payer_msisdn = ${mark('s.payer_msisdn')}, rail_code = ${mark('s.rail_code')},
        rail_message = ${mark('s.rail_message')}
      from free_charges where ${sameRow(intentKey, 'free_charges')}
    )
    select ${textOf(intentKey, 'page')} as key,
      (not page.copy or page.id in (select id from free))
        and page.id not in (select intent_id from copies where id not in (select id from free_charges)) as done,
      array(select f.payer_msisdn from free_charges f
        where f.intent_id = page.id and f.payer_msisdn is not null) as numbers
    from page order by page.id`.execute(held)
  await forgetUnpaid(
    held,
    result.rows.flatMap(({ numbers }) => numbers),
  )
  return clearedOf(result.rows, from, limit)
}
