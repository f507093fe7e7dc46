import { instant, type Reader, type Tx, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import type { Part } from '../base/columns.ts'
import { isNotMoving } from '../base/client-status.ts'
import { idOf, type MerchantId, mintedAtMs, uuidFloorOf } from '../base/ids.ts'
import { CODE_SHAPE } from '../base/plain-code.ts'
import { openStatuses } from '../charges/lifecycle.ts'
import { HOUR_MS } from '../base/clock.ts'

/** The `merchant_id` of the sums over all merchants. No merchant can have this name. */
export const ALL_MERCHANTS = '*'

/** Whole buckets of five minutes. */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

export type Scope = { readonly only: string } | { readonly except: readonly string[] }

interface Rollup {
  readonly table: string
  readonly keys: readonly string[]
  readonly values: readonly string[]
}

const charges = {
  table: 'charge_rollups',
  keys: ['bucket', 'merchant_id', 'rail', 'currency'],
  values: ['opened', 'succeeded', 'failed', 'duplicate', 'waiting', 'amount'],
} as const satisfies Rollup
const durations = {
  table: 'charge_duration_rollups',
  keys: ['bucket', 'merchant_id', 'rail', 'k'],
  values: ['n'],
} as const satisfies Rollup
const declines = {
  table: 'charge_decline_rollups',
  keys: ['bucket', 'merchant_id', 'rail', 'code'],
  values: ['n'],
} as const satisfies Rollup
const intents = {
  table: 'intent_rollups',
  keys: ['bucket', 'merchant_id'],
  values: ['created', 'sent', 'approved'],
} as const satisfies Rollup
/** A payment counts for each rail that it offers. */
const intentRails = {
  table: 'intent_rail_rollups',
  keys: ['bucket', 'merchant_id', 'rail'],
  values: ['created', 'sent', 'approved'],
} as const satisfies Rollup

const rollups: readonly Rollup[] = [charges, durations, declines, intents, intentRails]

const listed = (names: readonly string[], of: (name: string) => Part) => sql.join(names.map(of))

const inScope = (scope: Scope) =>
  'only' in scope
    ? sql`t.merchant_id = ${scope.only}`
    : sql`t.merchant_id <> all (${[ALL_MERCHANTS, ...scope.except]}::text[])`

const rowsIn = ({ fromMs, untilMs }: Span, sizeMin: 5 | 60, where: Part) => sql`
  t.size_min = ${sql.lit(sizeMin)} and t.bucket >= ${instant(fromMs)}::timestamptz
  and t.bucket < ${instant(untilMs)}::timestamptz and ${where}`

/**
 * Sums rows by the keys, and writes the sums that differ from the stored ones. A key that no row has any more gets
 * zeros. Rows whose counts stay are neither written nor locked.
 *
 * @param rows a select of the keys and the values, before they are summed
 * @param stored the condition of the stored rows `t` that the sums replace
 */
function merge({ table, keys, values }: Rollup, sizeMin: 5 | 60, rows: Part, stored: Part) {
  const before = (value: string) => `was_${value}`
  const name = (column: string) => sql.ref(column)
  const ofT = (column: string) => sql.ref(`t.${column}`)
  const summed = (column: string) => sql`sum(${sql.ref(`g.${column}`)})`
  return sql`
    insert into ${sql.table(table)} (size_min, ${listed(keys, name)}, ${listed(values, name)})
    select ${sql.lit(sizeMin)}, ${listed(keys, (key) => sql.ref(`g.${key}`))}, ${listed(values, summed)}
    from (
      select ${listed(keys, ofT)}, ${listed(values, ofT)},
        ${listed(values, (value) => sql`null::bigint as ${sql.ref(before(value))}`)}
      from (${rows}) t
      union all
      select ${listed(keys, ofT)}, ${listed(values, () => sql`0`)}, ${listed(values, ofT)}
      from ${sql.table(table)} t where ${stored}) g
    group by ${listed(keys, (key) => sql.ref(`g.${key}`))}
    having (${listed(values, summed)}) is distinct from (${listed(values, (value) => summed(before(value)))})
    on conflict (size_min, ${listed(keys, name)}) do update set
      ${listed(values, (value) => sql`${name(value)} = excluded.${sql.ref(value)}`)}`
}

/** In the words of the index of the table's ids by time, so that the merchants without a row cost nothing. */
const idsIn = ({ fromMs, untilMs }: Span, scope: Scope) => sql`
  greatest(t.id) >= ${uuidFloorOf(fromMs)}::uuid and greatest(t.id) < ${uuidFloorOf(untilMs)}::uuid and ${inScope(scope)}`

const isAny = (states: readonly string[]) =>
  sql`(c.status in (${sql.join(states.map((state) => sql.lit(state)))}))::integer`

/**
 * Counts the charges and payments of a bucket again from the ledger, with one statement each for all merchants.
 *
 * @param span one bucket of five minutes
 */
export async function rollUpBucket(tx: Tx, span: Span, scope: Scope): Promise<void> {
  const bucket = sql`${instant(span.fromMs)}::timestamptz as bucket`
  const stored = rowsIn(span, 5, inScope(scope))
  await sql`
    with c as materialized (
      select ${bucket}, t.merchant_id, t.rail, t.currency, t.status, t.amount, t.rail_code,
        extract(epoch from t.settled_at - t.opened_at) * 1000 as ms
      from charges t where ${idsIn(span, scope)}),
    counts as (${merge(
      charges,
      5,
      sql`
        select c.bucket, c.merchant_id, c.rail, c.currency, 1 as opened, ${isAny(['succeeded'])} as succeeded,
          ${isAny(['failed', 'abandoned'])} as failed, ${isAny(['duplicate'])} as duplicate,
          ${isAny(openStatuses)} as waiting,
          case c.status when 'succeeded' then c.amount::bigint else 0 end as amount
        from c`,
      stored,
    )}),
    times as (${merge(
      durations,
      5,
      sql`
        select c.bucket, c.merchant_id, c.rail, floor(ln(greatest(c.ms, 1)) / ln(1.1))::smallint as k, 1 as n
        from c where c.status in ('succeeded', 'duplicate') and c.ms is not null`,
      stored,
    )})
    ${merge(
      declines,
      5,
      sql`
        select c.bucket, c.merchant_id, c.rail,
          case when c.rail_code ~ ${CODE_SHAPE} then c.rail_code else 'other' end as code, 1 as n
        from c where c.status = 'failed'`,
      stored,
    )}`.execute(tx)
  const sent = sql`c.acknowledged_at is not null or c.status in ('live', 'succeeded', 'duplicate')`
  const rows = sql`
    select ${bucket}, t.merchant_id, 1 as created, ${hasCharge(sent)} as sent,
      (t.status = 'succeeded')::integer as approved
    from payment_intents t where ${idsIn(span, scope)}`
  await merge(intents, 5, rows, stored).execute(tx)
  const onRail = (is: Part) => hasCharge(sql`c.rail = o.rail and (${is})`)
  const rowsOfRails = sql`
    select ${bucket}, t.merchant_id, o.rail, 1 as created, ${onRail(sent)} as sent,
      ${onRail(sql`c.status = 'succeeded'`)} as approved
    from payment_intents t cross join lateral (
      select distinct offered collate "C" as rail from unnest(t.payment_method_types) offered) o
    where ${idsIn(span, scope)}`
  await merge(intentRails, 5, rowsOfRails, stored).execute(tx)
}

/** 1 if a payment has such a charge. With a limit, PostgreSQL looks up its charges and does not read those of all. */
const hasCharge = (is: Part) => sql`coalesce((
  select 1 from charges c where c.merchant_id = t.merchant_id and c.payment_intent_id = t.id and (${is}) limit 1), 0)`

export async function rollUpTotals(tx: Tx, span: Span): Promise<void> {
  const isTotal = sql`t.merchant_id = ${ALL_MERCHANTS}`
  for (const rollup of rollups) {
    const columns = [...rollup.keys, ...rollup.values]
    const rows = sql`
      select ${listed(columns, (column) =>
        column === 'merchant_id'
          ? sql`${ALL_MERCHANTS}::text collate "C" as merchant_id`
          : sql.ref(`t.${column}`),
      )}
      from ${sql.table(rollup.table)} t where ${rowsIn(span, 5, sql`not ${isTotal}`)}`
    await merge(rollup, 5, rows, rowsIn(span, 5, isTotal)).execute(tx)
  }
}

export async function rollUpHours(tx: Tx, span: Span, scope: Scope): Promise<void> {
  const hours = {
    fromMs: Math.floor(span.fromMs / HOUR_MS) * HOUR_MS,
    untilMs: Math.ceil(span.untilMs / HOUR_MS) * HOUR_MS,
  }
  const hour = sql`date_trunc('hour', t.bucket, 'UTC') as bucket`
  for (const rollup of rollups) {
    const columns = [...rollup.keys, ...rollup.values]
    const rows = sql`
      select ${listed(columns, (column) => (column === 'bucket' ? hour : sql.ref(`t.${column}`)))}
      from ${sql.table(rollup.table)} t where ${rowsIn(hours, 5, inScope(scope))}`
    await merge(rollup, 60, rows, rowsIn(hours, 60, inScope(scope))).execute(tx)
  }
}

/** Rows of each table that one run removes. A run each minute keeps up with a hundred rows a second. */
const REMOVED_MAX = 10_000

interface Removal {
  readonly beforeMs: number
  readonly looks: readonly string[]
}

/**
 * Removes five-minute buckets older than `beforeMs`. Hourly buckets stay. Merchants that are moving keep all of
 * theirs.
 *
 * An hour is the sum of its buckets, and a replica whose turn has ended may still be counting. The locks of the looks
 * keep a replica that counts an old hour from summing it without the buckets that are being removed.
 */
export async function removeFine(writer: Writer, { beforeMs, looks }: Removal): Promise<void> {
  for (const { table } of rollups) {
    await sql`
      with counted as materialized (
        select until_at from rollup_looks where look = any (${looks}::text[]) for share skip locked)
      delete from ${sql.table(table)} where ctid = any (array(
        select t.ctid from ${sql.table(table)} t
        where t.size_min = 5 and t.bucket < (
            select case when count(*) = ${looks.length}
              then least(date_trunc('hour', min(until_at), 'UTC'), ${instant(beforeMs)}::timestamptz) end
            from counted)
          and ${isNotMoving(sql`t.merchant_id`)}
        order by t.size_min, t.bucket limit ${sql.lit(REMOVED_MAX)}))`.execute(writer)
  }
}

export async function isAnyActive(reader: Reader, span: Span): Promise<boolean> {
  const row = await reader
    .selectNoFrom(
      sql<boolean>`exists (select from charges t where ${idsIn(span, { except: [] })})
        or exists (select from payment_intents t where ${idsIn(span, { except: [] })})`.as('active'),
    )
    .executeTakeFirstOrThrow()
  return row.active
}

export async function findNextActive(reader: Reader, span: Span): Promise<number | null> {
  const first = (table: 'charges' | 'payment_intents') => sql`
    (select t.id from ${sql.table(table)} t where ${idsIn(span, { except: [] })} order by greatest(t.id) limit 1)`
  const row = await reader
    .selectNoFrom(sql<string | null>`least(${first('charges')}, ${first('payment_intents')})`.as('id'))
    .executeTakeFirstOrThrow()
  return row.id === null ? null : mintedAtMs(idOf('pi', row.id))
}

export async function findActive(reader: Reader, span: Span): Promise<MerchantId[]> {
  const rows = await reader
    .selectFrom(
      sql<{ merchant_id: string }>`(
        select t.merchant_id from charges t where ${idsIn(span, { except: [] })}
        union
        select t.merchant_id from payment_intents t where ${idsIn(span, { except: [] })})`.as<'m'>(
        sql.ref('m'),
      ),
    )
    .select('m.merchant_id')
    .orderBy('m.merchant_id')
    .execute()
  return rows.map(({ merchant_id }) => merchant_id as MerchantId)
}

export async function findLook(reader: Reader, look: string): Promise<number | null> {
  const row = await reader
    .selectFrom('rollup_looks')
    .select('until_at')
    .where('look', '=', look)
    .executeTakeFirst()
  return row?.until_at ?? null
}

/** @returns where the look is: at this time, unless another worker began it meanwhile */
export async function beginLook(writer: Writer, look: string, atMs: number): Promise<number> {
  const { rows } = await sql<{ until_at: number }>`
    insert into rollup_looks as l (look, until_at) values (${look}, ${instant(atMs)}::timestamptz)
    on conflict (look) do update set until_at = l.until_at
    returning until_at`.execute(writer)
  return rows[0]?.until_at ?? atMs
}

/** In milliseconds, as `findLook` reads it: an operator may have set it to an instant with microseconds. */
const lookAt = (look: string, atMs: number) =>
  sql`look = ${look} and date_trunc('milliseconds', until_at) = ${instant(atMs)}::timestamptz`

/** Locks the look until the transaction ends. @returns false if it is no longer at this time */
export async function holdLook(tx: Tx, look: string, atMs: number): Promise<boolean> {
  const { rows } = await sql`select 1 from rollup_looks where ${lookAt(look, atMs)} for update`.execute(tx)
  return rows.length > 0
}

/** @returns false if another worker has moved the look on */
export async function advanceLook(tx: Tx, look: string, { fromMs, untilMs }: Span): Promise<boolean> {
  const { rows } = await sql`
    update rollup_looks set until_at = ${instant(untilMs)}::timestamptz where ${lookAt(look, fromMs)}
    returning 1`.execute(tx)
  return rows.length > 0
}

export async function findFirstIntent(reader: Reader): Promise<string | null> {
  const row = await reader
    .selectFrom('payment_intents')
    .select('id')
    .orderBy(sql`greatest(id)`)
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}

export async function findResting(reader: Reader, nowMs: number): Promise<string[]> {
  const rows = await reader
    .selectFrom('refused_rows')
    .select('row_key as merchant_id')
    .where('pass', '=', 'roll-up')
    .where('due_at', '>', sql<number>`${instant(nowMs)}::timestamptz`)
    .unionAll(reader.selectFrom('merchant_moves').select('merchant_id'))
    .execute()
  return rows.map(({ merchant_id }) => merchant_id)
}
