import { livesHere } from '../base/client-status.ts'
import { DAY_MS } from '../base/clock.ts'
import { instant, type StatementTable, type Tx } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { type MerchantId, type StatementId, uuidFloorOf, uuidOf } from '../base/ids.ts'
import {
  anyStatement,
  changedOf,
  CLOCKS_DIFFER_MS,
  countsOf,
  hasTransaction,
  isInForce,
  isUnknownByReference,
  isUnknownByTransaction,
  judged,
  linesWith,
  othersThan,
  withListed,
} from './judgement-store.ts'
import {
  anyObject,
  countsHere,
  CHARGES_OPENED_BEFORE_DAYS,
  objectColumns,
  type Side,
  sides,
} from './sides-store.ts'
import type { StatementRow } from './statement.ts'

/** Objects and lines that one statement compares. */
const PAGE_ROWS = 1_000

type Step = StatementTable['step']

export interface Cursor {
  readonly step: Step
  readonly merchantId: MerchantId | null
  /** The uuid of the last object of the merchant. */
  readonly after: string | null
  readonly n: number
}

export async function moveCursor(tx: Tx, { id }: StatementRow, cursor: Cursor): Promise<void> {
  await sql`
    update statements set step = ${cursor.step}, cursor_merchant = ${cursor.merchantId},
      cursor_id = ${cursor.after}::uuid, cursor_n = ${cursor.n}
    where id = ${id}::uuid`.execute(tx)
}

interface Compared {
  /** Objects of the page, of any rail. */
  readonly seen: number
  readonly last: string | null
}

/** One comparison of a rail at a time, because a line's verdict depends on other statements. Taken before any row. */
export async function lockRail(tx: Tx, id: StatementId): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended('statements of ' || s.rail, 0)) from statements s
    where s.id = ${uuidOf(id)}::uuid`.execute(tx)
}

/**
 * The lines of the page's objects get their verdicts. Each object that should be listed and is in no statement of the
 * rail gets a row.
 */
export async function compareObjects(
  tx: Tx,
  statement: StatementRow,
  side: Side,
  merchantId: MerchantId,
  after: string | null,
): Promise<Compared> {
  const { id, rail } = statement
  const lines = sql`${linesWith(statement, sql`r.reference = o.reference`)}
        union ${linesWith(statement, hasTransaction)}`
  const others = othersThan(id)
  const objects = sql`(select ${objectColumns}, p.is_due from page p
        where p.rail = ${rail} and ${countsHere('p')})`
  const { rows } = await sql<Compared>`
    with compared_days as materialized (${comparedDaysOf(statement, side)}),
    page as materialized (${pageOf(statement, side, merchantId, after)}),
    ours as materialized (${withListed(statement, objects, sql`p.is_due`, others)}),
    ${judged(statement, lines, others)},
    missing as (${missingOf(statement)}),
    counted as (${countsOf(sql`${changedOf} union all select m.statement_id, null, m.verdict from missing m`)})
    select (select count(*)::integer from page) as seen, (select p.id from page p order by p.id desc limit 1) as last`.execute(
    tx,
  )
  return rows[0] ?? { seen: 0, last: null }
}

/** The missing objects of these days have been reported. */
const comparedDaysOf = ({ rail, day }: StatementRow, side: Side) => sql`
      select d.from_at, d.until_at from statements d
      where d.rail = ${rail} and d.day <> ${day}::date and d.day >= ${day}::date - ${sides[side].openedBeforeDays + 1}::integer
        and d.day <= ${day}::date + ${CHARGES_OPENED_BEFORE_DAYS + 1}::integer
        and d.status <> 'replaced' and d.status in ('matched', 'closed')`

/**
 * An object is due if it was paid in the day. It is also due if it was paid in another day that was compared: it may
 * have been accepted since, or that day's statement may have been replaced. The walk along a merchant's ids begins
 * with the older payouts that were last sent in these days.
 */
const pageOf = (
  { from_at: fromMs, until_at: untilMs }: StatementRow,
  side: Side,
  merchantId: MerchantId,
  after: string | null,
) => {
  const { kind, prefix, table, transaction, isPaid, paidAt, isDoubled, isExtra, openedBeforeDays, late } =
    sides[side]
  const startMs = fromMs - openedBeforeDays * DAY_MS
  const floor = uuidFloorOf(startMs)
  const reached = (after ?? uuidFloorOf(0)).replaceAll('-', '')
  const rows = (at: RawBuilder<unknown>, where: RawBuilder<unknown>) => sql`(
      select ${kind} as line_kind, ${prefix} as object_kind, t.merchant_id, t.id, t.rail, t.payment_intent_id, t.reference,
        ${transaction} as transaction_id, t.amount, t.currency, ${isPaid} as is_paid, ${isDoubled} as is_doubled, ${isExtra} as is_extra,
        ${isPaid} and (${at} >= ${instant(fromMs)}::timestamptz and ${at} < ${instant(untilMs)}::timestamptz
          or exists (select from compared_days d where d.from_at <= ${at} and ${at} < d.until_at)) as is_due
      from ${sql.table(table)} t
      where ${where} order by t.id limit ${PAGE_ROWS})`
  const from = sql`${reached > floor ? reached : floor}::uuid`
  const end = sql`${uuidFloorOf(untilMs + CLOCKS_DIFFER_MS)}::uuid`
  const walked = rows(paidAt, sql`t.merchant_id = ${merchantId} and t.id > ${from} and t.id < ${end}`)
  if (late === null || reached > floor) return walked
  // Written so that no plan takes the primary key, along which it would read all older payouts of the merchant.
  const sentLate = sql`t.merchant_id || '' = ${merchantId} and ${late.isLate}
        and t.submit_deadline >= ${instant(startMs)}::timestamptz
        and t.submit_deadline < ${instant(untilMs + CLOCKS_DIFFER_MS)}::timestamptz
        and (t.id > ${reached}::uuid) is true and (t.id <= ${floor}::uuid) is true`
  return sql`
      select ${objectColumns}, p.rail, p.is_due
      from (${rows(late.paidAt, sentLate)} union all ${walked}) p order by p.id limit ${PAGE_ROWS}`
}

/**
 * Adds what is due and in no statement in force, unless another day shows it. A merchant that lives in another cell is
 * missed there alone. A line that is not compared yet lists nothing, because its upload may break off: its own
 * comparison takes the row away. The rows follow the last line of the file.
 */
const missingOf = ({ id, rail, lines }: StatementRow) => {
  const isListed = sql`r.kind = o.line_kind and r.amount > 0`
  return sql`
      insert into statement_rows (statement_id, n, rail, kind, reference, transaction_id, verdict, merchant_id, object_kind,
        object, payment_intent_id, ledger_amount, currency)
      select ${id}::uuid, s.last + row_number() over (order by o.id), ${rail}, o.line_kind, o.reference,
        o.transaction_id, 'ours_only', o.merchant_id, o.object_kind, o.id, o.payment_intent_id, o.amount, o.currency
      from ours o cross join (
        select greatest(${lines}::bigint, (
          select r.n from statement_rows r where r.statement_id = ${id}::uuid order by r.n desc limit 1)) as last) s
      where o.is_due and ${livesHere(sql`o.merchant_id`)}
        and o.id not in (select f.id from found f where f.line_amount > 0)
        and not exists (select from statement_rows r where r.object = o.id and ${isListed} and ${isInForce} offset 0)
        and not exists (select from statement_rows r
          where r.rail = ${rail} and ${isUnknownByReference} and ${isListed} offset 0)
        and not exists (select from statement_rows r
          where r.rail = ${rail} and ${isUnknownByTransaction} and ${isListed} offset 0)
        and not exists (select from statement_rows r
          where r.verdict = 'ours_only' and r.object = o.id and ${isInForce} offset 0)
      returning statement_id, verdict`
}

export const isWholePage = ({ seen }: Compared): boolean => seen === PAGE_ROWS

/**
 * The lines that no object of the day has are found by our reference alone: an older object, or none. All lines of an
 * object get their verdicts together. A line of the other kind names its object and does not list it.
 *
 * @returns the last line, or null once all are compared
 */
export async function compareLines(tx: Tx, statement: StatementRow, after: number): Promise<number | null> {
  const { id, lines } = statement
  const until = after + PAGE_ROWS
  const others = othersThan(id)
  const objects = sql`(
        select distinct on (p.id) ${objectColumns} from page p where p.line_kind = p.kind order by p.id)`
  await sql`
    with page as materialized (
      select l.statement_id, l.n, l.kind, ${objectColumns}
      from statement_rows l
      left join lateral (${anyObject(() => sql`t.rail = l.rail and t.reference = l.reference`)}) p on true
      where l.statement_id = ${id}::uuid and l.n > ${after} and l.n <= ${until} and l.verdict is null),
    ours as materialized (${withListed(statement, objects, null, others)}),
    ${judged(statement, linesWith(statement, sql`r.reference = o.reference`), others)},
    unlisted as (
      update statement_rows r set verdict = 'theirs_only', merchant_id = p.merchant_id, object_kind = p.object_kind,
        object = p.id, payment_intent_id = p.payment_intent_id, ledger_amount = p.amount
      from page p where r.statement_id = p.statement_id and r.n = p.n and (p.line_kind = p.kind) is not true
      returning r.statement_id, r.verdict)
    ${countsOf(sql`${changedOf} union all select u.statement_id, null, u.verdict from unlisted u`)}`.execute(
    tx,
  )
  return until >= lines ? null : until
}

/**
 * Removes rows of statements that the same day's newer ones replaced, once the newer one is compared. What no line lists
 * any more is judged again: a line that repeated a removed one lists it, or the statement shows it as missing.
 *
 * @returns whether some may be left
 */
export async function removeReplaced(tx: Tx, statement: StatementRow): Promise<boolean> {
  const { rail, day } = statement
  const object = anyObject(
    (prefix) => sql`g.object_kind = ${prefix} and t.merchant_id = g.merchant_id and t.id = g.object`,
  )
  const { rows } = await sql<{ gone: number }>`
    with gone as (
      delete from statement_rows r using (
        select o.statement_id, o.n from statements s
        cross join lateral (
          select q.statement_id, q.n from statement_rows q where q.statement_id = s.id limit ${PAGE_ROWS}) o
        where s.rail = ${rail} and s.day = ${day}::date and s.status = 'replaced' limit ${PAGE_ROWS}) old
      where r.statement_id = old.statement_id and r.n = old.n
      returning r.kind, r.reference, r.verdict, r.merchant_id, r.object_kind, r.object),
    named as materialized (
      select distinct g.merchant_id, g.object_kind, g.object
      from (
        select o.merchant_id, o.object_kind, o.object from gone o where o.object is not null
        union all
        select p.merchant_id, p.object_kind, p.id from gone o
        cross join lateral (${anyObject(() => sql`t.rail = ${rail} and t.reference = o.reference`)}) p
        where o.object is null and o.verdict = 'theirs_only' and p.line_kind = o.kind) g
      where not exists (
        select from statement_rows r
        where r.object = g.object and (r.kind = 'charge') = (g.object_kind = 'ch') and r.amount > 0
          and r.verdict <> 'duplicate' and ${isInForce} offset 0)),
    ours as materialized (${withListed(
      statement,
      sql`(select ${objectColumns}, p.paid_at from named g cross join lateral (${object}) p)`,
      sql`${isDueOnAnyDay(statement)} as is_due`,
      anyStatement,
    )}),
    ${judged(statement, noLines, anyStatement)},
    missing as (${missingOf(statement)}),
    counted as (${countsOf(sql`${changedOf} union all select m.statement_id, null, m.verdict from missing m`)})
    select count(*)::integer as gone from gone`.execute(tx)
  return rows[0]?.gone === PAGE_ROWS
}

/** For `judged` when the statement's lines have their verdicts. */
const noLines = sql`
        select r.statement_id, r.n, r.transaction_id, r.at, r.amount, r.currency from statement_rows r where false`

/** Whether the object `p` was paid in the day, or in any other day that has been compared. A zone moves a day by less than one. */
const isDueOnAnyDay = ({ rail, from_at: fromMs, until_at: untilMs }: StatementRow) => {
  const paidDay = sql`(p.paid_at at time zone 'UTC')::date`
  return sql`p.is_paid and (p.paid_at >= ${instant(fromMs)}::timestamptz and p.paid_at < ${instant(untilMs)}::timestamptz
        or exists (
          select from statements d
          where d.rail = ${rail} and d.day between ${paidDay} - 1 and ${paidDay} + 1 and d.status <> 'replaced'
            and d.status in ('matched', 'closed') and d.from_at <= p.paid_at and p.paid_at < d.until_at offset 0))`
}
