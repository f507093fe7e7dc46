import { type RawBuilder, sql } from 'kysely'
import { MINUTE_MS } from '../base/clock.ts'
import { mintedMsOf } from '../base/columns.ts'
import { CHARGES_OPENED_BEFORE_DAYS, objectColumns } from './sides-store.ts'
import type { StatementRow } from './statement.ts'

/*
 * Parts of the SQL statements that compare an operator's file with the ledger. `comparison-store.ts` and `store.ts`
 * put them together. Their relations, with the aliases that the parts use:
 *
 *   ours o       objects (`objectColumns`) that count in this cell, each with the line in force that lists it
 *   found f      lines of the statement that are of an object of `ours`, each with its verdict
 *   paid p       lines of other statements whose money had no payment, and has one in `ours` now
 *   lost         `ours_only` rows of other statements whose object was found or paid, or was refused since
 *   unrepeated   duplicates of other statements that repeat no line any more
 *   outdated     `lost`, `unrepeated` and `paid`, each with the verdict before and the one that it gets
 *   marked       what was updated of the statement
 *   later        what was updated of other statements, those of closed days excepted
 *
 * The verdict of a line is the first of these that applies.
 *
 *   `theirs_only`     Its amount is negative: a reversal.
 *   `duplicate`       Another line of the statement lists the object, or it is listed for another movement of money.
 *   `theirs_only`     The object is not paid.
 *   `amount_differs`  The object has another amount or currency.
 *   `duplicate`       The object is a duplicate charge that was not returned.
 *   `matched`         Anything else.
 */

/** How far the operator's clock and ours may differ. */
export const CLOCKS_DIFFER_MS = 5 * MINUTE_MS

/**
 * The files of two days can both list one movement of money. Lines are the same movement if they have one
 * transaction, in any case, or, without transactions, one time.
 */
export const isSame = (
  one: RawBuilder<unknown>,
  other: RawBuilder<unknown>,
  at: RawBuilder<unknown>,
  otherAt: RawBuilder<unknown>,
) => sql`coalesce(
          case when ${one} is not null and ${other} is not null then lower(${one}) = lower(${other}) else ${at} = ${otherAt} end,
          false)`

/** Ends a CASE: the verdict of the line `l` if it is the only one of the object `o`. */
export const verdictOfFirst = sql`when not o.is_paid then 'theirs_only'
          when l.amount <> o.amount or l.currency <> o.currency then 'amount_differs'
          when o.is_extra then 'duplicate'
          else 'matched' end`

/**
 * Whether `r` is a row of the statement. The statistics know nothing of a new statement, so the planner expects one row of it.
 * Written so that no plan reads them all, once for each object.
 */
const isOf = (id: string) => sql`(r.statement_id = ${id}::uuid) is true`

/** Whether the statement of `r` is in force. OFFSET keeps the planner from reading all lines of each statement first. */
export const isInForce = sql`exists (select from statements x where x.id = r.statement_id and x.status <> 'replaced' offset 0)`

/**
 * Whether the line `r` has the transaction of the object `o`, in any case, and our reference of no other charge. OFFSET keeps
 * PostgreSQL from reading all charges for a hash.
 */
export const hasTransaction = sql`lower(r.transaction_id) = lower(o.transaction_id collate "C")
          and (r.reference is null or r.reference = o.reference or not exists (
            select from charges c where c.rail = r.rail and c.reference = r.reference offset 0))`

/** Also on PostgreSQL 17, whose uuid_extract_timestamp does not read version 7. */
const openedAt = sql`to_timestamp(${mintedMsOf(sql`o.id::text`)} / 1000.0)`

/** Whether the line `r` was compared and named no object. */
const isUnnamed = sql`(r.verdict = 'theirs_only') is true and r.object is null`

/**
 * The line was compared and named no object, and would find `o` today by our reference: its merchant has come from
 * another cell since.
 */
export const isUnknownByReference = sql`r.reference = o.reference and ${isUnnamed} and ${isInForce}`

/**
 * The line was compared and named no object, and would find `o` today by its transaction: the rail told it later, a
 * ruling did, or the merchant has come from another cell since.
 */
export const isUnknownByTransaction = sql`${hasTransaction} and ${isUnnamed} and exists (
            select from statements x
            where x.id = r.statement_id and x.status <> 'replaced'
              and x.from_at < ${openedAt} + interval '${sql.raw(String(CHARGES_OPENED_BEFORE_DAYS))} days'
              and x.until_at > ${openedAt} - interval '${sql.raw(String(CLOCKS_DIFFER_MS))} ms' offset 0)`

/** Whose lines count beside those that are judged: all statements in force, or all but one. */
export type Among = RawBuilder<unknown>
export const othersThan = (id: string): Among => sql`not ${isOf(id)}`
export const anyStatement: Among = sql`true`

/**
 * The first line of the object `p` in force. A `duplicate` repeats another line and does not count, except for a
 * duplicate charge: before its return all of its lines can have this verdict, and those of earlier days keep it
 * afterwards. OFFSET keeps the planner from reading all lines of each statement.
 */
const listedOf = (day: string, among: Among) => sql`
        select true as is_there, r.verdict = 'duplicate' and not p.is_extra as is_repeat, r.transaction_id, r.at
        from (
          select r.statement_id, r.n, r.transaction_id, r.at, r.verdict from statement_rows r
          where r.object = p.id and r.kind = p.line_kind and r.amount > 0 and ${among}
            and (r.verdict <> 'duplicate' or p.is_doubled) offset 0) r
        join statements s on s.id = r.statement_id and s.status <> 'replaced'
          and (r.verdict <> 'duplicate' or p.is_extra or s.day < ${day}::date)
        order by is_repeat, s.day, r.n limit 1`

/** The objects `p`, each with the line that lists it, and with `more` columns. */
export const withListed = (
  { day }: Pick<StatementRow, 'day'>,
  objects: RawBuilder<unknown>,
  more: RawBuilder<unknown> | null,
  among: Among,
) => sql`
      select ${objectColumns}, e.is_there is true as is_listed, e.is_repeat is true as is_listed_by_repeat,
        e.transaction_id as listed_as, e.at as listed_at${more === null ? sql`` : sql`, ${more}`}
      from ${objects} p left join lateral (${listedOf(day, among)}) e on true`

/** The lines of the statement that are of the object `o` by `isSameObject`, and have no verdict yet. */
export const linesWith = ({ id, rail }: StatementRow, isSameObject: RawBuilder<unknown>) => sql`
        select r.statement_id, r.n, r.transaction_id, r.at, r.amount, r.currency from statement_rows r
        where r.rail = ${rail} and ${isSameObject} and ${isOf(id)} and r.kind = o.line_kind and r.verdict is null`

/**
 * If another statement lists the object, the line of the same movement is its first line, and all others are
 * duplicates. A negative amount is a reversal, which lists no object.
 */
const foundOf = (lines: RawBuilder<unknown>) => {
  const isRepeat = sql`(o.is_listed and not ${isSame(sql`l.transaction_id`, sql`o.listed_as`, sql`l.at`, sql`o.listed_at`)})`
  return sql`
      select o.merchant_id, o.object_kind, o.id, o.payment_intent_id, o.amount, l.statement_id, l.n, l.transaction_id, l.at,
        l.amount as line_amount,
        case
          when l.amount < 0 then 'theirs_only'
          when ${isRepeat} or row_number() over (partition by o.id, l.amount < 0 order by ${isRepeat}, l.n) > 1 then 'duplicate'
          ${verdictOfFirst} as verdict
      from ours o cross join lateral (${lines}) l`
}

/**
 * Duplicates whose first line was removed with its statement. They get the verdict of a first line: those of the
 * movement that this statement lists, or else of the movement with the earliest day. One line of each statement.
 */
const unrepeatedOf = (among: Among) => sql`
      select distinct on (l.statement_id, l.id) l.statement_id, l.n, l.verdict
      from (
        select c.id, c.statement_id, c.n, c.day, c.verdict, c.transaction_id, c.at,
          first_value(c.transaction_id) over by_day as first_transaction, first_value(c.at) over by_day as first_at,
          bool_or(c.day is null) over (partition by c.id, c.statement_id) as is_listed_there
        from (
          select o.id, l.statement_id, l.n, l.day, l.transaction_id, l.at, case ${verdictOfFirst} as verdict
          from ours o cross join lateral (
            select r.statement_id, r.n, s.day, r.transaction_id, r.at, r.amount, r.currency
            from (
              select r.statement_id, r.n, r.transaction_id, r.at, r.amount, r.currency from statement_rows r
              where r.object = o.id and r.kind = o.line_kind and (r.verdict = 'duplicate') is true and ${among} offset 0) r
            join statements s on s.id = r.statement_id and s.status <> 'replaced') l
          where (not o.is_listed or o.is_listed_by_repeat) and not o.is_extra
          union all
          select f.id, f.statement_id, f.n, null, f.transaction_id, f.at, null from found f
          where f.line_amount > 0 and f.verdict <> 'duplicate'
          union all
          select p.id, p.statement_id, p.n, null, p.transaction_id, p.at, null from paid p
          where p.verdict <> 'duplicate') c
        window by_day as (partition by c.id order by c.day nulls first, c.n)) l
      where l.day is not null and not l.is_listed_there
        and ${isSame(sql`l.transaction_id`, sql`l.first_transaction`, sql`l.at`, sql`l.first_at`)}
      order by l.statement_id, l.id, l.n`

/**
 * Lines that had no payment when they were compared, and have one now. A line that named its object lists it. A line
 * that named none may repeat another movement: of a listed line, of a line that is judged now, or of the earliest day.
 * One line of each statement lists an object.
 */
const paidOf = (rail: string, among: Among) => {
  const linesOf = (isNamed: boolean, isIt: RawBuilder<unknown>) => sql`(
              select ${sql.lit(isNamed)} as is_named, r.statement_id, r.n, r.transaction_id, r.at, r.amount, r.currency
              from statement_rows r where ${isIt} and r.kind = o.line_kind and r.amount > 0 and ${among} offset 0)`
  const isOther = (transaction: RawBuilder<unknown>, at: RawBuilder<unknown>) =>
    sql`not ${isSame(sql`l.transaction_id`, transaction, sql`l.at`, at)}`
  return sql`
      select l.merchant_id, l.object_kind, l.id, l.payment_intent_id, l.amount, l.statement_id, l.n, l.transaction_id, l.at,
        case
          when l.is_other or row_number() over (partition by l.id, l.statement_id order by l.is_other, l.n) > 1
            or exists (
              select from statement_rows r
              where r.object = l.id and (r.statement_id = l.statement_id) is true and r.kind = l.line_kind and r.amount > 0
                and r.verdict in ('matched', 'amount_differs') offset 0) then 'duplicate'
          else l.verdict end as verdict
      from (
        select l.merchant_id, l.object_kind, l.id, l.payment_intent_id, l.amount, l.statement_id, l.n, l.day, l.transaction_id,
          l.at, l.line_kind, l.verdict, not l.is_named and case
            when l.is_listed then ${isOther(sql`l.listed_as`, sql`l.listed_at`)}
            else row_number() over by_day > 1
              and ${isOther(sql`first_value(l.transaction_id) over by_day`, sql`first_value(l.at) over by_day`)}
            end as is_other
        from (
          select o.merchant_id, o.object_kind, o.id, o.payment_intent_id, o.amount, l.statement_id, l.n,
            (select s.day from statements s where s.id = l.statement_id) as day, l.transaction_id, l.at, o.line_kind,
            case ${verdictOfFirst} as verdict, l.is_named, o.is_listed, o.listed_as, o.listed_at
          from ours o cross join lateral (
            ${linesOf(true, sql`o.is_listed and r.object = o.id and (r.verdict = 'theirs_only') is true`)}
            union ${linesOf(false, sql`r.rail = ${rail} and ${isUnknownByReference}`)}
            union ${linesOf(false, sql`r.rail = ${rail} and ${isUnknownByTransaction}`)}) l
          where o.is_paid
          union all
          select f.merchant_id, f.object_kind, f.id, f.payment_intent_id, f.amount, f.statement_id, f.n, null, f.transaction_id,
            f.at, null, f.verdict, true, false, null, null
          from found f where f.line_amount > 0 and f.verdict <> 'duplicate') l
        window by_day as (partition by l.id order by l.day nulls first, l.n)) l
      where l.day is not null`
}

/**
 * Gives `lines` of the objects `ours` their verdicts, and corrects rows of other statements that are not closed:
 * `ours_only` rows that were found or refused since, duplicates that repeat nothing any more, and lines that were
 * paid since. `marked` and `later` have the changed verdicts.
 */
export const judged = ({ rail }: StatementRow, lines: RawBuilder<unknown>, among: Among) => sql`
    found as materialized (${foundOf(lines)}),
    marked as (
      update statement_rows r set verdict = f.verdict, merchant_id = f.merchant_id, object_kind = f.object_kind, object = f.id,
        payment_intent_id = f.payment_intent_id, ledger_amount = f.amount
      from found f where r.statement_id = f.statement_id and r.n = f.n
      returning r.statement_id, r.verdict),
    paid as materialized (${paidOf(rail, among)}),
    lost as materialized (
      select l.statement_id, l.n
      from (
        select f.id from found f where f.line_amount > 0
        union select p.id from paid p
        union select o.id from ours o where o.line_kind = 'payout' and not o.is_paid) o
      cross join lateral (
        select r.statement_id, r.n from statement_rows r
        where r.verdict = 'ours_only' and r.object = o.id and ${among} offset 0) l),
    unrepeated as materialized (${unrepeatedOf(among)}),
    outdated as materialized (
      select l.statement_id, l.n, 'ours_only' as before, 'found_later' as verdict, null as merchant_id, null as object_kind,
        null::uuid as object, null::uuid as payment_intent_id, null::bigint as ledger_amount
      from lost l
      union all select u.statement_id, u.n, 'duplicate', u.verdict, null, null, null, null, null from unrepeated u
      union all select p.statement_id, p.n, 'theirs_only', p.verdict, p.merchant_id, p.object_kind, p.id, p.payment_intent_id,
        p.amount from paid p),
    open as materialized (
      select s.id from statements s
      where s.id in (select o.statement_id from outdated o) and s.status not in ('closed', 'replaced') order by s.id for update),
    later as (
      update statement_rows r set verdict = o.verdict, merchant_id = coalesce(o.merchant_id, r.merchant_id),
        object_kind = coalesce(o.object_kind, r.object_kind), object = coalesce(o.object, r.object),
        payment_intent_id = coalesce(o.payment_intent_id, r.payment_intent_id),
        ledger_amount = coalesce(o.ledger_amount, r.ledger_amount)
      from outdated o join open s on s.id = o.statement_id
      where r.statement_id = o.statement_id and r.n = o.n and (r.verdict = o.before) is true
      returning r.statement_id, o.before, r.verdict)`

/** The rows whose verdicts `judged` changed, with the verdicts before. */
export const changedOf = sql`
        select m.statement_id, null as before, m.verdict from marked m
        union all select l.statement_id, l.before, l.verdict from later l`

/** Counts changed verdicts: one row for each statement, because a statement of SQL can change a row only once. */
export const countsOf = (changed: RawBuilder<unknown>) => {
  const more = (verdict: string) => sql`count(*) filter (where v.verdict = ${verdict})`
  const fewer = (verdict: string) => sql`count(*) filter (where v.before = ${verdict})`
  return sql`
      update statements s set
        matched = s.matched + c.matched, theirs_only = s.theirs_only + c.theirs_only,
        amount_differs = s.amount_differs + c.amount_differs, ours_only = s.ours_only + c.ours_only,
        duplicate = s.duplicate + c.duplicate
      from (
        select v.statement_id, ${more('matched')} as matched, ${more('theirs_only')} - ${fewer('theirs_only')} as theirs_only,
          ${more('amount_differs')} as amount_differs, ${more('ours_only')} - ${fewer('ours_only')} as ours_only,
          ${more('duplicate')} - ${fewer('duplicate')} as duplicate
        from (${changed}) v group by v.statement_id) c
      where s.id = c.statement_id`
}
