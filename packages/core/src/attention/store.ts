import { type AttentionAlert, attentionAlerts, type AttentionItem } from '@merchant-payments/contract'
import { type AttentionItemTable, instant, type Reader, type Tx, type Writer } from '@merchant-payments/db'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { type Held, heldIfFound } from '../audit/before.ts'
import { isNotMoving, livesHere } from '../base/client-status.ts'
import { columnsIn, columnsOf } from '../base/columns.ts'
import { type AttentionItemId, uuidFloorOf, uuidOf } from '../base/ids.ts'
import type { Page } from '../pages/page.ts'
import type { StaffPage } from '../pages/staff/page.ts'
import { all, inOrder, onPage } from '../pages/staff/store.ts'
import { foundPage, searchAlong } from '../pages/staff/search-store.ts'
import { notResting, plainUuid } from '../queue/refusals.ts'
import { isMomentary } from './item.ts'

const columns = [
  'id',
  'alert',
  'object',
  'merchant_id',
  'payment_intent_id',
  'facts',
  'state',
  'times',
  'first_at',
  'last_at',
  'status',
  'assignee',
  'assignee_name',
  'resolved_at',
] as const satisfies readonly (keyof AttentionItemTable)[]

export type AttentionRow = Pick<Selectable<AttentionItemTable>, (typeof columns)[number]>

/** What the rail last said of the item's object, which an erasure redacts there. */
export interface Said {
  readonly rail_code: string | null
  readonly rail_message: string | null
}

const saidColumns = ['rail_code', 'rail_message'] as const

type LedgerTable = 'charges' | 'refunds' | 'charge_returns'

const saidOf = (table: LedgerTable, prefix: string) => sql`
  select ${columnsOf('o', saidColumns)} from ${sql.table(table)} o
  where ${sql.lit(prefix)} = left(t.object, 3) and o.merchant_id = t.merchant_id
    and o.id = case when left(t.object, 3) = ${sql.lit(prefix)} then substr(t.object, 4)::uuid end`

const withSaid = (items: RawBuilder<unknown>, shown: readonly string[] = columns) => sql<
  AttentionRow & Said & { readonly fits?: boolean }
>`(
  select ${columnsOf('t', shown)}, ${columnsOf('said', saidColumns)} from (${items}) t
  left join lateral (
    ${saidOf('charges', 'ch_')}
    union all ${saidOf('refunds', 're_')}
    union all ${saidOf('charge_returns', 'rt_')}
    limit 1) said on true)`

const stateOf: Readonly<Record<LedgerTable, RawBuilder<string>>> = {
  charges: sql`l.status`,
  refunds: sql`l.status || ' ' || l.instruction`,
  charge_returns: sql`l.instruction`,
}

const ofLedger = (table: LedgerTable, kind: string) => sql`
  select l.payment_intent_id, ${stateOf[table]} as state from ${sql.table(table)} l
    where t.kind = ${sql.lit(kind)} and l.merchant_id = t.owner and l.id = t.uuid`

/**
 * Whether the alert reopens the resolved item `i`: it is a one-time event that happened again, the facts or the
 * object's state differ, or a check in between found the cause gone. A repeated alert about a cause that a person has
 * handled leaves it resolved.
 */
const isNew = sql`(
  i.alert in (${sql.join(attentionAlerts.filter(isMomentary).map((alert) => sql.lit(alert)))})
  or i.facts <> excluded.facts
  or coalesce(i.state <> excluded.state, false)
  or coalesce((select r.looked_at from raised r where r.alert = i.alert and r.object = i.object) > i.last_at, false))`

const isReopened = sql`i.status = 'resolved' and ${isNew}`

/** Alerts without an item yet. Those of a merchant that is being moved stay where they are. */
export async function findRaisedAlerts(reader: Reader, nowMs: number, max: number): Promise<string[]> {
  const rows = await reader
    .selectFrom('raised_alerts as a')
    .select('a.id')
    .where(notResting('record-attention', plainUuid('a.id'), nowMs))
    .where(isNotMoving(sql.ref('a.merchant_id')))
    .orderBy('a.id')
    .limit(max)
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Turns alerts into items and deletes them, in one statement, so that each is counted once. Skips alerts that another
 * worker is taking. An item gets the facts of the newest alert about its object, and the `looked_at` of the oldest.
 *
 * @returns how many alerts were taken
 */
export async function takeRaisedAlerts(
  writer: Writer,
  ids: readonly string[],
  nowMs: number,
): Promise<number> {
  const { rows } = await sql<{ taken: number }>`
    with held as materialized (
      select id from raised_alerts where id = any (${ids}::uuid[]) order by id for update skip locked),
    taken as (
      delete from raised_alerts r using held where r.id = held.id
      returning r.id, r.merchant_id, r.alert, r.object, r.facts, r.looked_at),
    raised as materialized (
      select (array_agg(t.id order by t.id))[1] as id, t.alert, t.object, split_part(t.object, '_', 2)::uuid as uuid,
        split_part(t.object, '_', 1) as kind, (array_agg(t.facts order by t.id desc))[1] as facts,
        count(*)::integer as times, min(t.merchant_id) as owner, (array_agg(t.looked_at order by t.id))[1] as looked_at
      from taken t group by t.alert, t.object),
    items as (${upsertItems(nowMs)})
    select count(*)::integer as taken from taken`.execute(writer)
  return rows[0]?.taken ?? 0
}

/** Finds the payment of each object of `raised`. An object that is gone leaves no item. */
const upsertItems = (nowMs: number) => sql`
    insert into attention_items as i (
      id, alert, object, merchant_id, payment_intent_id, facts, state, times, first_at, last_at, status)
    select t.id, t.alert, t.object, t.owner, o.payment_intent_id, t.facts, o.state, t.times,
      ${instant(nowMs)}::timestamptz, ${instant(nowMs)}::timestamptz, 'open'
    from raised t
    cross join lateral (
      ${ofLedger('charges', 'ch')}
      union all ${ofLedger('refunds', 're')}
      union all ${ofLedger('charge_returns', 'rt')}
      union all select null, null where t.kind in ('wd', 'evt')
      limit 1) o
    order by t.alert, t.object
    on conflict (alert, object) do update set
      facts = excluded.facts, state = excluded.state, times = i.times + excluded.times, last_at = excluded.last_at,
      status = case when ${isReopened} then 'open' else i.status end,
      resolved_at = case when ${isReopened} then null else i.resolved_at end,
      assignee = case when ${isReopened} then null else i.assignee end,
      assignee_name = case when ${isReopened} then null else i.assignee_name end`

export interface AttentionFilter {
  readonly status: AttentionItem['status'] | 'waiting' | null
  readonly alert: AttentionItem['alert'] | null
  readonly assignee: string | null
}

/**
 * The alert has indexes. Other filters are applied to a bounded number of items of the time, and of the alert if there is one.
 *
 * @throws Refusal invalid_request
 */
export async function listAttentionRows(
  reader: Reader,
  page: StaffPage,
  { status, alert, assignee }: AttentionFilter,
): Promise<Page<AttentionRow & Said>> {
  // The indexes of the alert have the id in these words. PostgreSQL could otherwise walk along the items of all alerts.
  const id = alert === null ? sql.ref('t.id') : sql`greatest(t.id)`
  const walked = all([
    alert === null ? null : sql`t.alert = ${alert}`,
    // A literal lets PostgreSQL use the partial indexes of waiting items.
    status === null || status === 'resolved' ? null : sql`t.status <> 'resolved'`,
    // Not among the other filters: items of a merchant that has left would use up their bound. The planner would expect
    // few rows of the plain condition, and sort all items.
    status === null || status === 'resolved'
      ? null
      : sql`case when ${livesHere(sql`t.merchant_id`)} then true else false end`,
    onPage(page, id),
  ])
  const where = all([
    page.merchantId === null ? null : sql`t.merchant_id = ${page.merchantId}`,
    status === null || status === 'waiting' ? null : sql`t.status = ${sql.lit(status)}`,
    assignee === null ? null : sql`t.assignee = ${assignee}`,
  ])
  const items = searchAlong(
    (shown, rowsMax) =>
      sql`select ${shown} from attention_items t where ${walked} ${inOrder(page, id, rowsMax)}`,
    { columns, where, rowsMax: page.limit + 1 },
  )
  const rows = await reader
    .selectFrom(withSaid(items, [...columns, 'fits']).as<'r'>(sql.ref('r')))
    .select(columnsIn('r', [...columns, ...saidColumns, 'fits']))
    .orderBy('r.id', page.endingBefore === null ? 'desc' : 'asc')
    .execute()
  return foundPage(rows, page)
}

/** At most this many items of each alert are counted, so that a scrape stays cheap. */
const COUNTED_MAX = 10_000

/** The spans of merchant ids without those that live in another cell, so that a count passes over their items. */
const spansHere = sql`
  select w.after, lead(w.after) over (order by w.after) as before from (
    select '' collate "C" as after
    union all select merchant_id from merchant_moves where state in ('left', 'arriving')) w`

/**
 * Each alert has a bound of its own, so that many items of one never hide an item of another.
 *
 * @returns how many items nobody has taken, of each alert
 */
export async function countOpenItems(reader: Reader): Promise<ReadonlyMap<AttentionAlert, number>> {
  const rows = await reader
    .selectFrom(
      sql<{ readonly alert: AttentionAlert; readonly open: number }>`(
        select w.alert, c.open from unnest(${attentionAlerts}::text[]) w (alert)
        cross join lateral (
          select count(*)::integer as open from (
            select from (${spansHere}) s cross join lateral (
              select from attention_items i
              where i.alert = w.alert and i.status = 'open' and i.merchant_id > s.after
                and (s.before is null or i.merchant_id < s.before)
              limit ${sql.lit(COUNTED_MAX)}) i
            limit ${sql.lit(COUNTED_MAX)}) o) c)`.as<'r'>(sql.ref('r')),
    )
    .select(['r.alert', 'r.open'])
    .execute()
  return new Map(rows.map(({ alert, open }) => [alert, open] as const))
}

export const listAlertsOfRails = (
  reader: Reader,
  {
    rails,
    beforeMs,
    max,
  }: { readonly rails: readonly string[]; readonly beforeMs: number | null; readonly max: number },
): Promise<(AttentionRow & Said)[]> => {
  const isBefore = beforeMs === null ? sql`true` : sql`i.id < ${uuidFloorOf(beforeMs)}::uuid`
  const items = sql`
    select ${columnsOf('n', columns)} from unnest(${rails}::text[]) w (rail)
    cross join lateral (
      select ${columnsOf('i', columns)} from attention_items i
      where i.facts ->> 'rail' = w.rail and i.facts ->> 'rail' is not null and ${isBefore}
      order by i.facts ->> 'rail' desc, i.id desc limit ${max}) n`
  return reader
    .selectFrom(withSaid(items).as<'r'>(sql.ref('r')))
    .select(columnsIn('r', [...columns, ...saidColumns]))
    .orderBy('r.id', 'desc')
    .execute()
}

export type HandledRow = Pick<
  AttentionRow,
  'id' | 'merchant_id' | 'alert' | 'object' | 'facts' | 'status' | 'assignee'
>

const handledColumns = ['id', 'merchant_id', 'alert', 'object', 'facts', 'status', 'assignee'] as const

/** Items that wait, locked in the order of their ids, so that two changes of many never wait for each other. */
const heldItems = (uuids: readonly string[], isFree = sql`true`) => sql`
  select ${columnsOf('t', handledColumns)} from attention_items t
  where t.id = any (${uuids}::uuid[]) and t.status <> 'resolved' and ${isFree} order by t.id for update`

/**
 * @param ofNobody leaves items alone that somebody handles
 * @returns the items as they were
 */
export async function acknowledgeMany(
  tx: Tx,
  uuids: readonly string[],
  { subject, name }: { readonly subject: string; readonly name: string },
  ofNobody = false,
): Promise<readonly HandledRow[]> {
  const { rows } = await sql<HandledRow>`
    with held as materialized (${heldItems(uuids, ofNobody ? sql`t.assignee is null` : undefined)}),
    taken as (
      update attention_items i set status = 'acknowledged', assignee = ${subject}, assignee_name = ${name}
      from held where i.id = held.id)
    select ${columnsOf('held', handledColumns)} from held`.execute(tx)
  return rows
}

export async function resolveMany(
  tx: Tx,
  uuids: readonly string[],
  nowMs: number,
): Promise<readonly HandledRow[]> {
  const { rows } = await sql<HandledRow>`
    with held as materialized (${heldItems(uuids)}),
    resolved as (
      update attention_items i set status = 'resolved', resolved_at = ${instant(nowMs)}::timestamptz
      from held where i.id = held.id)
    select ${columnsOf('held', handledColumns)} from held`.execute(tx)
  return rows
}

export async function lockItem(tx: Tx, id: AttentionItemId): Promise<Held<AttentionRow> | undefined> {
  const items = tx.selectFrom('attention_items').select(columns).where('id', '=', uuidOf(id))
  return heldIfFound(await items.forUpdate().executeTakeFirst())
}
