import { type Held, heldIfFound } from '../audit/before.ts'
import type { Currency, StatementVerdict } from '@merchant-payments/contract'
import { instant, instantOrNull, type Reader, type StatementRowTable, type Tx } from '@merchant-payments/db'
import { type Selectable, sql } from 'kysely'
import { type StatementId, uuidOf } from '../base/ids.ts'
import { anyStatement, isSame, verdictOfFirst, withListed } from './judgement-store.ts'
import { anyObject, objectColumns } from './sides-store.ts'
import { type StatementPart, type StatementRow, statementColumns } from './statement.ts'
import { rowsJson } from '../base/rows-json.ts'

interface NewStatement {
  readonly id: StatementId
  readonly rail: string
  readonly day: string
  readonly fromMs: number
  readonly untilMs: number
  readonly by: { readonly subject: string; readonly name: string }
}

/** Replaces an earlier statement of the day. @returns false if the day is closed, or another transaction began one */
export async function insertStatement(
  tx: Tx,
  { id, rail, day, fromMs, untilMs, by }: NewStatement,
  nowMs: number,
): Promise<boolean> {
  await sql`
    update statements set status = 'replaced'
    where rail = ${rail} and day = ${day}::date and status not in ('replaced', 'closed')`.execute(tx)
  const { rows } = await sql<{ id: string }>`
    insert into statements (id, rail, day, from_at, until_at, status, created_by, created_name, created_at)
    values (${uuidOf(id)}::uuid, ${rail}, ${day}::date, ${instant(fromMs)}::timestamptz, ${instant(untilMs)}::timestamptz,
      'reading', ${by.subject}, ${by.name}, ${instant(nowMs)}::timestamptz)
    on conflict (rail, day) where status <> 'replaced' do nothing returning id`.execute(tx)
  return rows.length > 0
}

export const isDayClosed = async (
  tx: Tx,
  { rail, day }: Pick<NewStatement, 'rail' | 'day'>,
): Promise<boolean> => {
  const closed = tx.selectFrom('statements').select('id').where('rail', '=', rail).where('day', '=', day)
  return (await closed.where('status', '=', 'closed').executeTakeFirst()) !== undefined
}

const columns = statementColumns.map((column) =>
  column === 'day' ? sql<string>`day::text`.as('day') : column,
)

export const findStatement = (reader: Reader, id: StatementId): Promise<StatementRow | undefined> =>
  reader.selectFrom('statements').select(columns).where('id', '=', uuidOf(id)).executeTakeFirst()

export async function lockStatement(tx: Tx, id: StatementId): Promise<Held<StatementRow> | undefined> {
  const statements = tx.selectFrom('statements').select(columns).where('id', '=', uuidOf(id))
  return heldIfFound(await statements.forUpdate().executeTakeFirst())
}

export interface StatementFilter {
  readonly rail: string | null
  readonly day: string | null
}

/** Statements are few: one of each rail and day. */
export const listStatementRows = (
  reader: Reader,
  {
    rail,
    day,
    before,
    limit,
  }: StatementFilter & { readonly before: StatementId | null; readonly limit: number },
): Promise<StatementRow[]> => {
  let rows = reader.selectFrom('statements').select(columns).where('status', '<>', 'replaced')
  if (rail !== null) rows = rows.where('rail', '=', rail)
  if (day !== null) rows = rows.where('day', '=', day)
  if (before !== null) rows = rows.where('id', '<', uuidOf(before))
  return rows.orderBy('id', 'desc').limit(limit).execute()
}

/** Adds the money lines of a part, which follow the lines of the parts before it. */
export async function insertPart(tx: Tx, statement: StatementRow, part: StatementPart): Promise<void> {
  const batch = part.money.map((line) => ({
    n: statement.lines + line.offset + 1,
    kind: line.kind,
    reference: line.reference,
    transaction_id: line.transactionId,
    amount: line.amountMinor,
    currency: line.currency,
    at: instantOrNull(line.atMs),
  }))
  await sql`
    with added as (
      insert into statement_rows (statement_id, n, rail, kind, reference, transaction_id, amount, currency, at)
      select ${statement.id}::uuid, t.n, ${statement.rail}, t.kind, t.reference, t.transaction_id, t.amount, t.currency, t.at
      from json_to_recordset(${rowsJson(batch)}::json) as t (
        n bigint, kind text, reference text, transaction_id text, amount bigint, currency text, at timestamptz)
      returning kind, amount)
    update statements s set
      parts = s.parts + 1, heads = coalesce(${part.heads === null ? null : JSON.stringify(part.heads)}::jsonb, s.heads),
      lines = s.lines + ${part.lines}, money_lines = s.money_lines + (select count(*) from added),
      charges_sum = s.charges_sum + (select coalesce(sum(amount) filter (where kind = 'charge'), 0) from added),
      payouts_sum = s.payouts_sum + (select coalesce(sum(amount) filter (where kind = 'payout'), 0) from added)
    where s.id = ${statement.id}::uuid`.execute(tx)
}

export async function setStatus(
  tx: Tx,
  { id }: Pick<StatementRow, 'id'>,
  status: 'matching' | 'matched',
): Promise<void> {
  await sql`
    update statements set status = ${status}, closed_by = null, closed_name = null, closed_at = null
    where id = ${id}::uuid`.execute(tx)
}

export async function close(
  tx: Tx,
  { id }: Pick<StatementRow, 'id'>,
  by: { readonly subject: string; readonly name: string },
  nowMs: number,
): Promise<void> {
  await sql`
    update statements set status = 'closed', closed_by = ${by.subject}, closed_name = ${by.name},
      closed_at = ${instant(nowMs)}::timestamptz
    where id = ${id}::uuid`.execute(tx)
}

/** One reopening looks at so many missing rows, duplicates and lines without a payment. */
const REOPENED_ROWS = 10_000

export type StatementCounts = Pick<
  StatementRow,
  'matched' | 'ours_only' | 'theirs_only' | 'amount_differs' | 'duplicate'
>

/**
 * For what changed while the day was closed: rows that later statements list or whose payouts were refused go, and
 * lines that repeat nothing any more or were paid since get another verdict. A closed day keeps its rows and counts.
 *
 * @returns the counts then
 */
export async function findLater(tx: Tx, statement: StatementRow): Promise<StatementCounts> {
  const { id } = statement
  const isRefused = (table: 'refunds' | 'charge_returns', prefix: string) => sql`
        select from ${sql.table(table)} p
        where o.object_kind = ${prefix} and p.merchant_id = o.merchant_id and p.id = o.object and p.instruction = 'refused'`
  const { rows } = await sql<StatementCounts>`
    with repeats as materialized (
      select r.n, r.kind, r.merchant_id, r.object_kind, r.object, r.transaction_id, r.at, r.amount, r.currency
      from statement_rows r
      where r.statement_id = ${id}::uuid and r.verdict = 'duplicate' order by r.n limit ${REOPENED_ROWS}),
    lost as materialized (
      select r.n, r.kind, r.merchant_id, r.object_kind, r.object from statement_rows r
      where r.statement_id = ${id}::uuid and r.verdict = 'ours_only' order by r.n limit ${REOPENED_ROWS}),
    found as materialized (
      select o.n from lost o
      cross join lateral (
        select l.statement_id from statement_rows l
        where l.object = o.object and l.kind = o.kind and l.amount > 0 offset 0) l
      join statements x on x.id = l.statement_id and x.status <> 'replaced'),
    refused as materialized (
      select o.n from lost o cross join lateral (${isRefused('refunds', 're')} union all ${isRefused('charge_returns', 'rt')}) p),
    later as (
      update statement_rows r set verdict = 'found_later'
      where r.statement_id = ${id}::uuid and r.n in (select f.n from found f union all select p.n from refused p)
      returning 1),
    unrepeated as (
      update statement_rows r set verdict = u.verdict from (${unrepeatedOf(statement)}) u
      where r.statement_id = ${id}::uuid and r.n = u.n
      returning r.verdict),
    paid as (
      update statement_rows r set verdict = p.verdict from (${paidOf(statement)}) p
      where r.statement_id = ${id}::uuid and r.n = p.n
      returning r.verdict),
    changed as (select u.verdict from unrepeated u union all select p.verdict from paid p)
    update statements s set
      ours_only = s.ours_only - (select count(*) from later),
      duplicate = s.duplicate - (select count(*) from unrepeated)
        + (select count(*) from changed where verdict = 'duplicate'),
      matched = s.matched + (select count(*) from changed where verdict = 'matched'),
      theirs_only = s.theirs_only - (select count(*) from paid)
        + (select count(*) from changed where verdict = 'theirs_only'),
      amount_differs = s.amount_differs + (select count(*) from changed where verdict = 'amount_differs')
    where s.id = ${id}::uuid
    returning s.matched, s.ours_only, s.theirs_only, s.amount_differs, s.duplicate`.execute(tx)
  return rows[0] ?? statement
}

/** Lines of the statement that named an unpaid object, which is paid now. */
const paidOf = ({ id }: StatementRow) => sql`
        select l.n, case ${verdictOfFirst} as verdict
        from (
          select r.n, r.kind, r.merchant_id, r.object_kind, r.object, r.amount, r.currency from statement_rows r
          where r.statement_id = ${id}::uuid and r.verdict = 'theirs_only' and r.object is not null and r.amount > 0
          order by r.n limit ${REOPENED_ROWS}) l
        cross join lateral (${anyObject(
          (prefix) => sql`l.object_kind = ${prefix} and t.merchant_id = l.merchant_id and t.id = l.object`,
        )}) o
        where o.is_paid and o.line_kind = l.kind`

/**
 * Duplicates that repeat no line any more: one of each object that no statement in force lists, or that is listed as
 * the same movement without another line of this statement.
 */
const unrepeatedOf = (statement: StatementRow) => {
  const { id } = statement
  // With the columns of its line, because a join of the two would compare each with each.
  const objects = sql`(
          select ${objectColumns}, l.n, l.transaction_id as line_transaction, l.at, l.amount as line_amount,
            l.currency as line_currency
          from repeats l cross join lateral (${anyObject(
            (prefix) => sql`l.object_kind = ${prefix} and t.merchant_id = l.merchant_id and t.id = l.object`,
          )}) p
          where p.line_kind = l.kind)`
  const line = sql`p.n, p.line_transaction, p.at, p.line_amount, p.line_currency`
  return sql`
        select distinct on (o.id) l.n, case ${verdictOfFirst} as verdict
        from (${withListed(statement, objects, line, anyStatement)}) o
        cross join lateral (select o.n, o.line_amount as amount, o.line_currency as currency) l
        where not o.is_extra
          and (not o.is_listed or ${isSame(sql`o.line_transaction`, sql`o.listed_as`, sql`o.at`, sql`o.listed_at`)})
          and not exists (
            select from statement_rows q
            where q.object = o.id and q.kind = o.line_kind and q.amount > 0 and q.verdict <> 'duplicate'
              and (q.statement_id = ${id}::uuid) is true offset 0)
        order by o.id, l.n`
}

const rowColumns = [
  'n',
  'kind',
  'reference',
  'transaction_id',
  'amount',
  'currency',
  'at',
  'verdict',
  'merchant_id',
  'object_kind',
  'object',
  'payment_intent_id',
  'ledger_amount',
] as const satisfies readonly (keyof StatementRowTable)[]

export type StatementDifference = Pick<Selectable<StatementRowTable>, (typeof rowColumns)[number]> & {
  readonly object_status: string | null
  readonly ledger_currency: Currency | null
  readonly unproven: boolean
  readonly payer_known: boolean | null
  readonly returned: boolean
  readonly reported_at: number | null
  readonly reported_amount: number | null
  readonly reported_currency: string | null
}

interface DifferencePage {
  readonly id: StatementId
  readonly verdict: StatementVerdict | null
  readonly after: number
  readonly limit: number
}

/** The rows that differ, in the order of the file, with the present state of their charges. */
export const listDifferences = (
  reader: Reader,
  { id, verdict, after, limit }: DifferencePage,
): Promise<StatementDifference[]> =>
  reader
    .selectFrom('statement_rows as r')
    .leftJoin('charges as c', (join) =>
      join.onRef('c.merchant_id', '=', 'r.merchant_id').onRef('c.id', '=', 'r.object'),
    )
    // Only an unpaid charge still has other money to be ruled on.
    .leftJoin('charge_jobs as j', (join) =>
      join
        .onRef('j.merchant_id', '=', 'c.merchant_id')
        .onRef('j.charge_id', '=', 'c.id')
        .on('c.status', 'not in', ['succeeded', 'duplicate']),
    )
    // A charge, a refund and a return have the currency of their payment.
    .leftJoin('payment_intents as p', (join) =>
      join.onRef('p.merchant_id', '=', 'r.merchant_id').onRef('p.id', '=', 'r.payment_intent_id'),
    )
    .select([
      ...rowColumns.map((column) => `r.${column}` as const),
      'c.status as object_status',
      'p.currency as ledger_currency',
      'j.reported_at',
      'j.reported_amount',
      'j.reported_currency',
      sql<boolean>`coalesce(c.status in ('succeeded', 'duplicate')
        and is_unproven(c.merchant_id, c.id, c.ruling, c.rail_txn_id), false)`.as('unproven'),
      // A redirect rail tells none, and an erasure leaves a word in its place.
      sql<
        boolean | null
      >`case when c.id is not null then coalesce(c.payer_msisdn ~ '^[0-9]+$', false) end`.as('payer_known'),
      sql<boolean>`exists (
        select from charge_returns b where b.charge_id = r.object and b.merchant_id = r.merchant_id
          and b.instruction <> 'refused')`.as('returned'),
    ])
    .where('r.statement_id', '=', uuidOf(id))
    .where('r.n', '>', after)
    // Literals let PostgreSQL use the partial index of differences.
    .where(sql<boolean>`r.verdict in ('ours_only', 'theirs_only', 'amount_differs', 'duplicate')`)
    .$if(verdict !== null, (query) => query.where('r.verdict', '=', verdict))
    .orderBy('r.n')
    .limit(limit)
    .execute()
