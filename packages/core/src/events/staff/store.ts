import { DAY_MS } from '../../base/clock.ts'
import type { EventType } from '@merchant-payments/contract'
import { type FanoutState, instant, type Reader, type Tx, within, type Writer } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { type Held, heldIfFound } from '../../audit/before.ts'
import { livesHere } from '../../base/client-status.ts'
import { columnsIn, columnsOf, isInState } from '../../base/columns.ts'
import {
  type EventId,
  type MerchantId,
  msOfUuid,
  type PaymentIntentId,
  uuidFloorOf,
  uuidOf,
} from '../../base/ids.ts'
import { unlessState } from '../../base/refused-statements.ts'
import { type Page, pageOf } from '../../pages/page.ts'
import type { StaffPage } from '../../pages/staff/page.ts'
import { all, direction, idsOf, inOrder, onPage, rowById } from '../../pages/staff/store.ts'
import { positionsWithin } from '../store.ts'
import type { FanoutRow } from './render.ts'

/** An event without a job is done. */
const columns = sql`t.merchant_id, t.id, t.type, coalesce(j.fanout_state, 'done') as fanout_state,
  coalesce(j.failures, 0) as failures, j.due_at, t.request_id`

const rowColumns = columnsIn('r', [
  'merchant_id',
  'id',
  'type',
  'fanout_state',
  'failures',
  'due_at',
  'request_id',
])

const jobOf = sql`left join fanout_jobs j on j.event_id = t.id`

export async function listUnfinishedFanouts(
  reader: Reader,
  page: StaffPage,
  state: 'pending' | 'failed' | null,
): Promise<Page<FanoutRow>> {
  const id = sql.ref('j.event_id')
  const where = all([
    page.merchantId === null ? null : sql`j.merchant_id = ${page.merchantId}`,
    state === null ? null : sql`j.fanout_state = ${sql.lit(state)}`,
    livesHere(sql`j.merchant_id`),
    onPage(page, id),
  ])
  const rows = await reader
    .selectFrom(
      sql<FanoutRow>`(
        select ${columns} from (
          select j.event_id, j.merchant_id, j.fanout_state, j.failures, j.due_at from fanout_jobs j
          where ${where} ${inOrder(page, id)}) j
        cross join lateral (
          select merchant_id, id, type, request_id from events
          where merchant_id = j.merchant_id and id = j.event_id limit 1) t
        ${inOrder(page, sql.ref('t.id'))})`.as<'r'>(sql.ref('r')),
    )
    .select(rowColumns)
    .execute()
  return pageOf(rows, page)
}

const eventColumns = ['merchant_id', 'id', 'type', 'request_id'] as const

const findFanout = (reader: Reader, id: EventId): Promise<FanoutRow | undefined> =>
  reader
    .selectFrom(
      sql<FanoutRow>`(
        select ${columns} from ${rowById<FanoutRow>('events', id, eventColumns)} t ${jobOf})`.as<'r'>(
        sql.ref('r'),
      ),
    )
    .select(rowColumns)
    .executeTakeFirst()

export async function lockFanout(tx: Tx, id: EventId): Promise<Held<FanoutRow> | undefined> {
  await sql`select from fanout_jobs where event_id = ${uuidOf(id)}::uuid for update`.execute(tx)
  return heldIfFound(await findFanout(within(tx).reader, id))
}

/**
 * Events of a type are read by position, because only positions have an index by type. Concurrent events can commit
 * in another order than their ids were minted. A read therefore takes this many extra events on either side of a
 * page, and this many extra merchants.
 */
const OUT_OF_ORDER_MAX = 100
/** The extra events for the newest of each merchant. Fewer, because many merchants may be read. */
const OUT_OF_ORDER_NEWEST_MAX = 5

/**
 * An order by position reads every month of every merchant, so a page of all is first searched for in the month at
 * its end. If that month has too few events of a type, few merchants have any.
 */
export async function listEventRows(
  reader: Reader,
  page: StaffPage,
  type: EventType | null,
  nowMs: number,
): Promise<Page<FanoutRow>> {
  if (page.merchantId !== null) {
    const one = sql`select ${page.merchantId}::text collate "C" as merchant_id`
    return findEventRows(reader, page, { type, tenants: one, months: anyMonth })
  }
  const months = await monthsNear(reader, page, nowMs)
  if (months !== null) {
    const found = await findEventRows(reader, page, {
      type,
      tenants: newestTenants(page, withEvents),
      months,
    })
    if (found.hasMore) return found
  }
  const source = type === null ? withEvents : withEventsOf(type)
  return findEventRows(reader, page, { type, tenants: newestTenants(page, source), months: anyMonth })
}

/** The ids of whole months, so that the bounds leave out partitions and no rows of the others. */
interface Months {
  readonly from: string | null
  readonly until: string | null
}

const anyMonth: Months = { from: null, until: null }

/** The month at the end of a page's period, and its neighbour if that is less than a day away. Null without events. */
async function monthsNear(reader: Reader, page: StaffPage, nowMs: number): Promise<Months | null> {
  const { from, until } = idsOf(page)
  if (page.endingBefore === null) {
    const endMs = Math.min(nowMs, until === null ? nowMs : msOfUuid(until))
    return { from: floorOfMonth(endMs - DAY_MS, 0), until: null }
  }
  const startMs = (from === null ? 0 : msOfUuid(from)) || (await findOldMs(reader))
  return startMs === null ? null : { from: null, until: floorOfMonth(startMs + DAY_MS, 1) }
}

const OLD_MERCHANTS = 20

/** The time of the oldest event of some merchants. It decides only in which month a page is searched for first. */
async function findOldMs(reader: Reader): Promise<number | null> {
  const row = await reader
    .selectFrom(
      sql<{ id: string }>`(
        select e.id from (select merchant_id from event_counters limit ${OLD_MERCHANTS}) c
        cross join lateral (select id from events where merchant_id = c.merchant_id order by id limit 1) e)`.as<'r'>(
        sql.ref('r'),
      ),
    )
    .select('r.id')
    .orderBy('r.id')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : msOfUuid(row.id.replaceAll('-', ''))
}

const floorOfMonth = (atMs: number, later: 0 | 1): string => {
  // No uuid is of a time before 1970.
  const at = new Date(Math.max(0, atMs))
  return uuidFloorOf(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + later))
}

type TenantsOf = (rowsOf: RowsOf, slack: number) => RawBuilder<unknown>

/**
 * Events have no index by time. The newest event of each merchant tells which merchants the page can show, and only
 * their events are walked.
 */
const newestTenants =
  (page: StaffPage, source: RawBuilder<unknown>): TenantsOf =>
  (rowsOf, slack) =>
    sql`
    select c.merchant_id from (${source}) c
    cross join lateral (${rowsOf(sql.ref('c.merchant_id'), 1, Math.min(slack, OUT_OF_ORDER_NEWEST_MAX))}) n
    ${inOrder(page, sql.ref('n.id'), page.limit + 1 + slack)}`

const withEvents = sql`select merchant_id from event_counters`

const withEventsOf = (type: EventType) => sql`
  with recursive of_type (merchant_id) as (
    (select merchant_id from events where type = ${type} order by merchant_id limit 1)
    union all
    select (
      select n.merchant_id from events n where n.type = ${type} and n.merchant_id > o.merchant_id
      order by n.merchant_id limit 1)
    from of_type o where o.merchant_id is not null)
  select merchant_id from of_type where merchant_id is not null`

interface EventSearch {
  readonly type: EventType | null
  readonly tenants: RawBuilder<unknown> | TenantsOf
  readonly months: Months
}

async function findEventRows(
  reader: Reader,
  page: StaffPage,
  { type, tenants, months }: EventSearch,
): Promise<Page<FanoutRow>> {
  const rowsOf = type === null ? rowsByKey(page, months) : rowsOfType(page, type, months)
  const slack = type === null ? 0 : OUT_OF_ORDER_MAX
  const rows = await reader
    .selectFrom(
      sql<FanoutRow>`(
        with tenant as materialized (${typeof tenants === 'function' ? tenants(rowsOf, slack) : tenants})
        select ${columns} from (
          select ${columnsOf('r', eventColumns)}
          from tenant cross join lateral (${rowsOf(sql.ref('tenant.merchant_id'), page.limit + 1 + slack, slack)}) r
          ${inOrder(page, sql.ref('r.id'))}) t
        ${jobOf} ${inOrder(page, sql.ref('t.id'))})`.as<'r'>(sql.ref('r')),
    )
    .select(rowColumns)
    .execute()
  return pageOf(rows, page)
}

/**
 * Selects up to `rowsMax` events of a merchant, starting at the page's end. `slack` is how far the order of its
 * positions may differ.
 */
type RowsOf = (merchant: RawBuilder<unknown>, rowsMax: number, slack: number) => RawBuilder<unknown>

const shownEvents = columnsOf('events', eventColumns)
const ID = sql.ref('events.id')

const rowsByKey =
  (page: StaffPage, months: Months): RowsOf =>
  (merchant, rowsMax) =>
    sql`
    select ${shownEvents} from events
    where events.merchant_id = ${merchant} and ${onPage(page, ID)} and ${isIn(months, ID)}
    ${inOrder(page, ID, rowsMax)}`

/** The bounds of the page's ids become bounds of positions, or the walk would pass over all events beyond them. */
const rowsOfType =
  (page: StaffPage, type: EventType, months: Months): RowsOf =>
  (merchant, rowsMax, slack) =>
    sql`
    select ${shownEvents} from events
    where events.merchant_id = ${merchant} and events.type = ${type} and ${onPage(page, ID)} and ${isIn(months, ID)}
      and ${positionsWithin(merchant, idsOf(page), slack, (id) => isIn(months, id))}
    order by events.position ${direction(page)} limit ${rowsMax}`

const isIn = ({ from, until }: Months, id: RawBuilder<unknown>) =>
  all([
    from === null ? null : sql<boolean>`${id} >= ${from}::uuid`,
    until === null ? null : sql<boolean>`${id} < ${until}::uuid`,
  ])

export const findStaffEvent = (
  reader: Reader,
  id: EventId,
): Promise<(FanoutRow & { readonly body: string }) | undefined> =>
  reader
    .selectFrom(
      sql<FanoutRow & { readonly body: string }>`(
        select ${columns}, t.body
        from ${rowById<FanoutRow & { readonly body: string }>('events', id, [...eventColumns, 'body'])} t ${jobOf})`.as<'r'>(
        sql.ref('r'),
      ),
    )
    .select([...rowColumns, 'r.body'])
    .executeTakeFirst()

export interface EventWindow {
  readonly fromMs: number
  readonly untilMs: number
}

/** Joins windows that overlap, so that no event is read twice. */
function merged(windows: readonly EventWindow[]): readonly EventWindow[] {
  const apart: EventWindow[] = []
  for (const window of windows.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const last = apart.at(-1)
    if (last === undefined || window.fromMs > last.untilMs) apart.push(window)
    else apart.splice(-1, 1, { ...last, untilMs: Math.max(last.untilMs, window.untilMs) })
  }
  return apart
}

/** An event of another object can contain the id too, for example in metadata. */
const isAbout = (intentId: PaymentIntentId) => sql<boolean>`
  ${intentId} in (e.body::jsonb #>> '{data,object,id}', e.body::jsonb #>> '{data,object,payment_intent}')`

/**
 * No column names the intent, so the events are searched in the times at which its own rows record a change. The id
 * of an event is minted at the time of its change.
 */
export async function listEventsOf(
  reader: Reader,
  merchantId: MerchantId,
  intentId: PaymentIntentId,
  windows: readonly EventWindow[],
  max: number,
): Promise<FanoutRow[]> {
  const apart = merged(windows)
  const rows = await reader
    .selectFrom(
      sql<FanoutRow>`(
        select ${columns} from unnest(
          ${apart.map(({ fromMs }) => uuidFloorOf(fromMs))}::uuid[], ${apart.map(({ untilMs }) => uuidFloorOf(untilMs))}::uuid[]
        ) w (lower, upper)
        cross join lateral (
          select e.merchant_id, e.id, e.type, e.request_id from events e
          where e.merchant_id = ${merchantId} and e.id >= w.lower and e.id < w.upper
            and case when position(${intentId} in e.body) > 0 then ${isAbout(intentId)} end
          order by e.id desc limit ${max}) t
        ${jobOf}
        order by t.id desc limit ${max})`.as<'r'>(sql.ref('r')),
    )
    .select(rowColumns)
    .execute()
  return rows
}

export const retry = (writer: Writer, id: EventId, nowMs: number): Promise<boolean> =>
  unlessState([NOT_FAILED], () =>
    sql`select ops_retry_fanout(${id}, ${instant(nowMs)}::timestamptz)`.execute(writer),
  )

const hasFailed = isInState<Exclude<FanoutState, 'done'>, 'failed'>('fanout_state', { pending: true })

/** Retries those whose fan-out has failed. @returns them as they were */
export async function retryMany(
  writer: Writer,
  uuids: readonly string[],
  nowMs: number,
): Promise<readonly Pick<FanoutRow, 'merchant_id' | 'id' | 'failures'>[]> {
  const { rows } = await sql<Pick<FanoutRow, 'merchant_id' | 'id' | 'failures'>>`
    with failed as materialized (
      select merchant_id, event_id as id, failures from fanout_jobs
      where event_id = any (${uuids}::uuid[]) and ${hasFailed} order by event_id)
    select f.merchant_id, f.id, f.failures,
      ops_retry_fanout(f.id::text, ${instant(nowMs)}::timestamptz) as retried
    from failed f`.execute(writer)
  return rows
}

/** no_data_found, which `ops_retry_fanout` raises. */
const NOT_FAILED = 'P0002'
