import { DAY_MS } from '../base/clock.ts'
import { instant, type StatementTable, type Tx } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { type MerchantId, type StatementId, uuidFloorOf, uuidOf } from '../base/ids.ts'
import type { StatementRow } from './statement.ts'

/** Objects and lines that one statement compares. */
const PAGE_ROWS = 1_000
/** Rows of a replaced statement that one statement removes. */
const REMOVED_ROWS = 5_000
/** docs/spec-gaps.md, reconciliation: how long before a statement's day its charges and payouts may have been opened. */
const CHARGES_OPENED_BEFORE_DAYS = 3
const PAYOUTS_OPENED_BEFORE_DAYS = 31
/** How far the operator's clock and ours may differ. */
const CLOCKS_DIFFER_MS = 5 * 60_000

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

/** Removes rows of statements that the same day's newer ones replaced. @returns whether some may be left */
export async function removeReplaced(tx: Tx, { rail, day }: StatementRow): Promise<boolean> {
  const { rows } = await sql<{ gone: number }>`
    with gone as (
      delete from statement_rows r using (
        select o.statement_id, o.n from statements s
        cross join lateral (
          select q.statement_id, q.n from statement_rows q where q.statement_id = s.id limit ${REMOVED_ROWS}) o
        where s.rail = ${rail} and s.day = ${day}::date and s.status = 'replaced' limit ${REMOVED_ROWS}) old
      where r.statement_id = old.statement_id and r.n = old.n returning 1)
    select count(*)::integer as gone from gone`.execute(tx)
  return rows[0]?.gone === REMOVED_ROWS
}

/** What refunds and returns of duplicates share. */
const payouts = {
  kind: 'payout',
  transaction: sql`null::text`,
  isPaid: sql`t.instruction = 'accepted'`,
  // Its rail may refuse a payout that it had accepted. A later comparison then takes its row away.
  canFail: true,
  paidAt: sql`t.opened_at`,
  isDoubled: sql`false`,
  isExtra: sql`false`,
  openedBeforeDays: PAYOUTS_OPENED_BEFORE_DAYS,
  // In the words of the indexes refunds_sent_late and charge_returns_sent_late.
  late: {
    isLate: sql`t.submit_deadline - t.opened_at > interval '${sql.raw(String(PAYOUTS_OPENED_BEFORE_DAYS))} days'`,
    paidAt: sql`t.submit_deadline`,
  },
} as const

/** The ledger's side of a step: what an operator's statement may list. */
const sides = {
  charges: {
    kind: 'charge',
    prefix: 'ch',
    table: 'charges',
    // Where the rail named none, the one that proves the ruling.
    transaction: sql`coalesce(t.rail_txn_id, case
      when t.statement is not null and not is_unproven(t.merchant_id, t.id, t.ruling, t.rail_txn_id) then t.statement end)`,
    isPaid: sql`t.status in ('succeeded', 'duplicate')`,
    canFail: false,
    paidAt: sql`t.settled_at`,
    isDoubled: sql`t.status = 'duplicate'`,
    isExtra: sql`t.status = 'duplicate' and not exists (
      select from charge_returns b where b.merchant_id = t.merchant_id and b.charge_id = t.id and b.instruction <> 'refused')`,
    openedBeforeDays: CHARGES_OPENED_BEFORE_DAYS,
    late: null,
  },
  refunds: { ...payouts, prefix: 're', table: 'refunds' },
  returns: { ...payouts, prefix: 'rt', table: 'charge_returns' },
} as const

export type Side = keyof typeof sides

export interface Compared {
  /** Objects of the page, of any rail. */
  readonly seen: number
  readonly last: string | null
}

/** Serializes what gives verdicts to lines of a rail, because a line's verdict depends on other statements. Taken before any row. */
export async function lockRail(tx: Tx, id: StatementId): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended('statements of ' || s.rail, 0)) from statements s
    where s.id = ${uuidOf(id)}::uuid`.execute(tx)
}

/**
 * Compares a page of one merchant's objects with the statement: gives each of their lines a verdict, and adds a row for
 * what should be in the statement and is in none of the rail. A line with a negative amount is the reversal of one: it lists no
 * object.
 */
export async function compareObjects(
  tx: Tx,
  statement: StatementRow,
  side: Side,
  merchantId: MerchantId,
  after: string | null,
): Promise<Compared> {
  const { prefix, canFail } = sides[side]
  const { id, rail } = statement
  const { rows } = await sql<Compared>`
    with compared_days as materialized (${comparedDaysOf(statement, side)}),
    page as materialized (${pageOf(statement, side, merchantId, after)}),
    ours as materialized (
      select p.id, p.payment_intent_id, p.reference, p.transaction_id, p.amount, p.currency, p.is_paid, p.is_doubled, p.is_extra,
        p.is_due, e.is_there is true as is_listed, e.is_repeat is true as is_listed_by_repeat, e.transaction_id as listed_as,
        e.at as listed_at
      from page p left join lateral (${listedOf(statement, side)}) e on true
      where p.rail = ${rail}),
    found as materialized (${foundOf(statement, side)}),
    marked as (
      update statement_rows r set verdict = f.verdict, merchant_id = ${merchantId}, object_kind = ${prefix}, object = f.id,
        payment_intent_id = f.payment_intent_id, ledger_amount = f.amount
      from found f where r.statement_id = f.statement_id and r.n = f.n
      returning r.verdict),
    lost as materialized (
      select l.statement_id, l.n
      from (select f.id from found f where f.line_amount > 0${canFail ? sql` union select o.id from ours o where not o.is_paid` : sql` group by f.id`}) o
      cross join lateral (
        select r.statement_id, r.n from statement_rows r
        where r.verdict = 'ours_only' and r.object = o.id and not ${isOf(id)} offset 0) l),
    unrepeated as materialized (${unrepeatedOf(statement, side)}),
    outdated as materialized (
      select l.statement_id, l.n, 'ours_only' as before, 'found_later' as verdict from lost l
      union all select u.statement_id, u.n, 'duplicate', u.verdict from unrepeated u),
    open as materialized (
      select s.id from statements s
      where s.id in (select o.statement_id from outdated o) and s.status <> 'closed' order by s.id for update),
    later as (
      update statement_rows r set verdict = o.verdict
      from outdated o join open s on s.id = o.statement_id
      where r.statement_id = o.statement_id and r.n = o.n and (r.verdict = o.before) is true
      returning r.statement_id, r.verdict),
    later_counts as (${laterCounts}),
    missing as (${missingOf(statement, side, merchantId)}),
    counted as (${countsOf(statement)})
    select (select count(*)::integer from page) as seen, (select p.id from page p order by p.id desc limit 1) as last`.execute(
    tx,
  )
  return rows[0] ?? { seen: 0, last: null }
}

/**
 * Whether two lines of an object are one movement of money, which the files of two days can both list. Operators write a
 * transaction in either case. Lines without one have their time alone.
 */
const isSame = (
  one: RawBuilder<unknown>,
  other: RawBuilder<unknown>,
  at: RawBuilder<unknown>,
  otherAt: RawBuilder<unknown>,
) => sql`coalesce(
          case when ${one} is not null and ${other} is not null then lower(${one}) = lower(${other}) else ${at} = ${otherAt} end,
          false)`

/** Whether the line `r` is the first one of its object in its statement. */
export const isFirstOfFile = sql`not exists (
            select from statement_rows q
            where q.object = r.object and q.kind = r.kind and q.amount > 0
              and (q.statement_id = r.statement_id and q.n < r.n) is true offset 0)`

/** Ends a CASE: the verdict of the line `l` if it is the only one of the object `o`. */
export const verdictOfFirst = sql`when not o.is_paid then 'theirs_only'
          when l.amount <> o.amount or l.currency <> o.currency then 'amount_differs'
          when o.is_extra then 'duplicate'
          else 'matched' end`

/**
 * The first line of the object `p` in the other statements in force. A line with the verdict `duplicate` repeats another
 * one and does not count, except for a duplicate charge: before its return all of its lines can have this verdict, and those
 * of earlier days keep it afterwards. OFFSET keeps the planner from reading all lines of each statement first.
 */
const listedOf = ({ id, day }: StatementRow, side: Side) => sql`
        select true as is_there, r.verdict = 'duplicate' and not p.is_extra as is_repeat, r.transaction_id, r.at
        from (
          select r.statement_id, r.n, r.transaction_id, r.at, r.verdict from statement_rows r
          where r.object = p.id and r.kind = ${sides[side].kind} and r.amount > 0 and not ${isOf(id)}
            and (r.verdict <> 'duplicate' or p.is_doubled) offset 0) r
        join statements s on s.id = r.statement_id and s.status <> 'replaced'
          and (r.verdict <> 'duplicate' or p.is_extra or s.day < ${day}::date)
        order by is_repeat, s.day, r.n limit 1`

/**
 * The statement's lines of the objects, with their verdicts. If another statement lists the object too, the line of the same
 * movement is its first line, and all others are duplicates.
 */
const foundOf = ({ id, rail }: StatementRow, side: Side) => {
  const { kind } = sides[side]
  const isRepeat = sql`(o.is_listed and not ${isSame(sql`l.transaction_id`, sql`o.listed_as`, sql`l.at`, sql`o.listed_at`)})`
  const linesWith = (isSameObject: RawBuilder<unknown>) => sql`
        select r.statement_id, r.n, r.transaction_id, r.at, r.amount, r.currency from statement_rows r
        where r.rail = ${rail} and ${isSameObject} and ${isOf(id)} and r.kind = ${kind} and r.verdict is null`
  return sql`
      select o.id, o.payment_intent_id, o.amount, l.statement_id, l.n, l.transaction_id, l.at, l.amount as line_amount,
        case
          when l.amount < 0 then 'theirs_only'
          when ${isRepeat} or row_number() over (partition by o.id, l.amount < 0 order by ${isRepeat}, l.n) > 1 then 'duplicate'
          ${verdictOfFirst} as verdict
      from ours o cross join lateral (
        ${linesWith(sql`r.reference = o.reference`)}
        union
        ${linesWith(hasTransaction)}) l`
}

/**
 * Duplicates of other statements that repeat no line any more, because the statement with that line was replaced. They get
 * the verdict of a single line if they are of the movement that this statement lists. If it lists none, those of the
 * movement with the earliest day get it.
 */
const unrepeatedOf = ({ id }: StatementRow, side: Side) => sql`
      select l.statement_id, l.n, l.verdict
      from (
        select c.statement_id, c.n, c.day, c.verdict, c.transaction_id, c.at,
          first_value(c.transaction_id) over by_day as first_transaction, first_value(c.at) over by_day as first_at
        from (
          select o.id, l.statement_id, l.n, l.day, l.transaction_id, l.at, case ${verdictOfFirst} as verdict
          from ours o cross join lateral (
            select r.statement_id, r.n, s.day, r.transaction_id, r.at, r.amount, r.currency
            from (
              select r.statement_id, r.n, r.transaction_id, r.at, r.amount, r.currency from statement_rows r
              where r.object = o.id and r.kind = ${sides[side].kind} and (r.verdict = 'duplicate') is true and not ${isOf(id)}
                and ${isFirstOfFile} offset 0) r
            join statements s on s.id = r.statement_id and s.status <> 'replaced') l
          where (not o.is_listed or o.is_listed_by_repeat) and not o.is_extra
          union all
          select f.id, f.statement_id, f.n, null, f.transaction_id, f.at, null from found f
          where f.line_amount > 0 and f.verdict <> 'duplicate') c
        window by_day as (partition by c.id order by c.day nulls first, c.n)) l
      where l.day is not null
        and ${isSame(sql`l.transaction_id`, sql`l.first_transaction`, sql`l.at`, sql`l.first_at`)}`

/** Counts the new verdicts of rows of other statements. */
const laterCounts = sql`
      update statements s set
        matched = s.matched + l.matched, theirs_only = s.theirs_only + l.theirs_only,
        amount_differs = s.amount_differs + l.amount_differs, ours_only = s.ours_only - l.found_later,
        duplicate = s.duplicate - (l.matched + l.theirs_only + l.amount_differs)
      from (
        select statement_id, (count(*) filter (where verdict = 'matched'))::integer as matched,
          (count(*) filter (where verdict = 'theirs_only'))::integer as theirs_only,
          (count(*) filter (where verdict = 'amount_differs'))::integer as amount_differs,
          (count(*) filter (where verdict = 'found_later'))::integer as found_later
        from later group by statement_id) l
      where s.id = l.statement_id`

/**
 * Whether `r` is a row of the statement. The statistics know nothing of a new statement, so the planner expects one row of it.
 * Written so that no plan reads them all, once for each object.
 */
const isOf = (id: string) => sql`(r.statement_id = ${id}::uuid) is true`

/** Whether the statement of `r` is in force. OFFSET keeps the planner from reading all lines of each statement first. */
const isInForce = sql`exists (select from statements x where x.id = r.statement_id and x.status <> 'replaced' offset 0)`

/**
 * Whether the line `r` has the transaction of the object `o`, in any case, and our reference of no other charge. OFFSET keeps
 * PostgreSQL from reading all charges for a hash.
 */
const hasTransaction = sql`lower(r.transaction_id) = lower(o.transaction_id collate "C")
          and (r.reference is null or r.reference = o.reference or not exists (
            select from charges c where c.rail = r.rail and c.reference = r.reference offset 0))`

/** Other days of the rail whose missing objects have been reported. */
const comparedDaysOf = ({ rail, day }: StatementRow, side: Side) => sql`
      select d.from_at, d.until_at from statements d
      where d.rail = ${rail} and d.day <> ${day}::date and d.day >= ${day}::date - ${sides[side].openedBeforeDays + 1}::integer
        and d.day <= ${day}::date + ${CHARGES_OPENED_BEFORE_DAYS + 1}::integer
        and d.status <> 'replaced' and d.status in ('matched', 'closed')`

/**
 * An object is due if it was paid in the day, or in another day that has been compared: it may have been accepted
 * after that comparison, or a statement that listed it may have been replaced. The walk along the ids of a merchant begins with
 * the older payouts that were last sent in these days.
 */
const pageOf = (
  { from_at: fromMs, until_at: untilMs }: StatementRow,
  side: Side,
  merchantId: MerchantId,
  after: string | null,
) => {
  const { table, transaction, isPaid, paidAt, isDoubled, isExtra, openedBeforeDays, late } = sides[side]
  const startMs = fromMs - openedBeforeDays * DAY_MS
  const floor = uuidFloorOf(startMs)
  const reached = (after ?? uuidFloorOf(0)).replaceAll('-', '')
  const rows = (at: RawBuilder<unknown>, where: RawBuilder<unknown>) => sql`(
      select t.id, t.rail, t.payment_intent_id, t.reference, ${transaction} as transaction_id, t.amount, t.currency,
        ${isPaid} as is_paid, ${isDoubled} as is_doubled, ${isExtra} as is_extra,
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
      select p.id, p.rail, p.payment_intent_id, p.reference, p.transaction_id, p.amount, p.currency, p.is_paid, p.is_doubled,
        p.is_extra, p.is_due
      from (${rows(late.paidAt, sentLate)} union all ${walked}) p order by p.id limit ${PAGE_ROWS}`
}

/**
 * Adds what is due and in no statement of the rail that is in force, unless another day shows it already. Its rows follow
 * the last line of the file.
 */
const missingOf = ({ id, rail, lines }: StatementRow, side: Side, merchantId: MerchantId) => {
  const { kind, prefix } = sides[side]
  const isListed = sql`r.kind = ${kind} and r.amount > 0`
  return sql`
      insert into statement_rows (statement_id, n, rail, kind, reference, transaction_id, verdict, merchant_id, object_kind,
        object, payment_intent_id, ledger_amount, currency)
      select ${id}::uuid, s.last + row_number() over (order by o.id), ${rail}, ${kind}, o.reference,
        o.transaction_id, 'ours_only', ${merchantId}, ${prefix}, o.id, o.payment_intent_id, o.amount, o.currency
      from ours o cross join (
        select greatest(${lines}::bigint, (
          select r.n from statement_rows r where r.statement_id = ${id}::uuid order by r.n desc limit 1)) as last) s
      where o.is_due
        and not exists (select from statement_rows r
          where r.rail = ${rail} and r.reference = o.reference and ${isListed} and ${isInForce} offset 0)
        and not exists (select from statement_rows r
          where r.rail = ${rail} and ${hasTransaction} and ${isListed} and ${isInForce} offset 0)
        and not exists (select from statement_rows r
          where r.verdict = 'ours_only' and r.object = o.id and ${isInForce} offset 0)
      returning 1`
}

/** Counts the verdicts of `marked` and the rows of `missing`. */
const countsOf = ({ id }: StatementRow) => sql`
      update statements s set
        matched = s.matched + (select count(*) from marked where verdict = 'matched'),
        theirs_only = s.theirs_only + (select count(*) from marked where verdict = 'theirs_only'),
        amount_differs = s.amount_differs + (select count(*) from marked where verdict = 'amount_differs'),
        duplicate = s.duplicate + (select count(*) from marked where verdict = 'duplicate'),
        ours_only = s.ours_only + (select count(*) from missing)
      where s.id = ${id}::uuid`

export const isWholePage = ({ seen }: Compared): boolean => seen === PAGE_ROWS

/** The object `o` of a line, of either kind: one of each table, of which one at most is there. */
export const anyObject = (isIt: (prefix: 'ch' | 're' | 'rt') => RawBuilder<unknown>) => sql`
        select 'charge' as line_kind, 'ch' as kind, t.merchant_id, t.id, t.payment_intent_id, t.amount, t.currency,
          ${sides.charges.isPaid} as is_paid, ${sides.charges.isDoubled} as is_doubled, ${sides.charges.isExtra} as is_extra
        from charges t where ${isIt('ch')}
        union all
        select 'payout', 're', t.merchant_id, t.id, t.payment_intent_id, t.amount, t.currency, ${payouts.isPaid}, false, false
        from refunds t where ${isIt('re')}
        union all
        select 'payout', 'rt', t.merchant_id, t.id, t.payment_intent_id, t.amount, t.currency, ${payouts.isPaid}, false, false
        from charge_returns t where ${isIt('rt')}
        limit 1`

/** Whether another statement in force lists the object `o` of the line `l` as another movement, which `l` repeats. */
export const isRepeated = ({ day }: Pick<StatementRow, 'day'>) => sql`exists (
            select from statement_rows r
            where r.object = o.id and r.kind = o.line_kind and r.amount > 0
              and (r.verdict <> 'duplicate' or o.is_extra or o.is_doubled and exists (
                select from statements x where x.id = r.statement_id and x.day < ${day}::date offset 0))
              and (r.statement_id = l.statement_id) is not true and ${isInForce}
              and not ${isSame(sql`l.transaction_id`, sql`r.transaction_id`, sql`l.at`, sql`r.at`)} offset 0)`

/**
 * Gives the lines that no object of the time has a verdict, by our reference alone: an older object, or none. A line of
 * the other kind, or of a reversal, names its object and does not list it.
 *
 * @returns the last line, or null once all are compared
 */
export async function compareLines(tx: Tx, statement: StatementRow, after: number): Promise<number | null> {
  const { id, lines } = statement
  const until = after + PAGE_ROWS
  await sql`
    with judged as materialized (
      select l.statement_id, l.n, o.merchant_id, o.kind, o.id, o.payment_intent_id, o.amount,
        case
          when o.id is null or o.line_kind <> l.kind or l.amount < 0 then 'theirs_only'
          when exists (
            select from statement_rows e
            where e.rail = l.rail and e.reference = l.reference and e.kind = l.kind and e.amount > 0
              and (e.statement_id = l.statement_id and e.n < l.n) is true) then 'duplicate'
          when ${isRepeated(statement)} then 'duplicate'
          ${verdictOfFirst} as verdict
      from statement_rows l
      left join lateral (${anyObject(() => sql`t.rail = l.rail and t.reference = l.reference`)}) o on true
      where l.statement_id = ${id}::uuid and l.n > ${after} and l.n <= ${until} and l.verdict is null),
    marked as (
      update statement_rows r set verdict = j.verdict, merchant_id = j.merchant_id, object_kind = j.kind, object = j.id,
        payment_intent_id = j.payment_intent_id, ledger_amount = j.amount
      from judged j where r.statement_id = j.statement_id and r.n = j.n
      returning r.verdict)
    update statements s set
      matched = s.matched + (select count(*) from marked where verdict = 'matched'),
      theirs_only = s.theirs_only + (select count(*) from marked where verdict = 'theirs_only'),
      amount_differs = s.amount_differs + (select count(*) from marked where verdict = 'amount_differs'),
      duplicate = s.duplicate + (select count(*) from marked where verdict = 'duplicate')
    where s.id = ${id}::uuid`.execute(tx)
  return until >= lines ? null : until
}
