import type { EventType } from '@merchant-payments/contract'
import { instant, type Reader, sqlState, type Writer } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn } from '../../base/columns.ts'
import { type EventId, type MerchantId, type PaymentIntentId, uuidFloorOf } from '../../base/ids.ts'
import { type Page, pageOf } from '../../pages/page.ts'
import type { StaffPage } from '../../pages/staff/page.ts'
import { columnsOf } from '../../pages/cut/store.ts'
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

export const findFanout = (reader: Reader, id: EventId): Promise<FanoutRow | undefined> =>
  reader
    .selectFrom(
      sql<FanoutRow>`(
        select ${columns} from ${rowById<FanoutRow>('events', id, eventColumns)} t ${jobOf})`.as<'r'>(
        sql.ref('r'),
      ),
    )
    .select(rowColumns)
    .executeTakeFirst()

/**
 * The order of a merchant's ids differs from that of its positions by few events, which were minted before others and
 * committed after them. Events of a type are read in the order of the second, because that has an index: so many of
 * them more on either side, and as many merchants more.
 */
const OUT_OF_ORDER_MAX = 100
/** The same for the newest event of each merchant, of which many may be looked at. Busy merchants have others in its place. */
const OUT_OF_ORDER_NEWEST_MAX = 5

/**
 * Events have no index by time. The newest one of each merchant tells which merchants the page can have, at most as
 * many as it has rows. Only these are then walked along.
 */
export async function listEventRows(
  reader: Reader,
  page: StaffPage,
  type: EventType | null,
): Promise<Page<FanoutRow>> {
  const rowsOf = type === null ? rowsByKey(page) : rowsOfType(page, type)
  const [slack, slackOfNewest] = type === null ? [0, 0] : [OUT_OF_ORDER_MAX, OUT_OF_ORDER_NEWEST_MAX]
  const tenants =
    page.merchantId === null
      ? sql`
        select c.merchant_id from event_counters c
        cross join lateral (
          select l.id from (${rowsOf(sql.ref('c.merchant_id'), 1, slackOfNewest)}) l order by l.id ${direction(page)} limit 1) n
        ${inOrder(page, sql.ref('n.id'), page.limit + 1 + slack)}`
      : sql`select ${page.merchantId}::text collate "C" as merchant_id`
  const rows = await reader
    .selectFrom(
      sql<FanoutRow>`(
        with tenant as materialized (${tenants})
        select ${columns} from (
          select ${columnsOf('r', eventColumns)}
          from tenant cross join lateral (${rowsOf(sql.ref('tenant.merchant_id'), page.limit + 1, slack)}) r
          ${inOrder(page, sql.ref('r.id'))}) t
        ${jobOf} ${inOrder(page, sql.ref('t.id'))})`.as<'r'>(sql.ref('r')),
    )
    .select(rowColumns)
    .execute()
  return pageOf(rows, page)
}

/** Selects so many events of a merchant, from the page's end. `slack` is how far their order may differ. */
type RowsOf = (merchant: RawBuilder<unknown>, rowsMax: number, slack: number) => RawBuilder<unknown>

const shownEvents = columnsOf('events', eventColumns)
const ID = sql.ref('events.id')

const rowsByKey =
  (page: StaffPage): RowsOf =>
  (merchant, rowsMax) =>
    sql`
    select ${shownEvents} from events
    where events.merchant_id = ${merchant} and ${onPage(page, ID)} ${inOrder(page, ID, rowsMax)}`

/** The bounds of the page's ids become bounds of positions, or the walk would pass over all events beyond them. */
const rowsOfType =
  (page: StaffPage, type: EventType): RowsOf =>
  (merchant, rowsMax, slack) =>
    sql`
    select ${shownEvents} from events
    where events.merchant_id = ${merchant} and events.type = ${type} and ${onPage(page, ID)}
      and ${positionsWithin(merchant, idsOf(page), slack)}
    order by events.position ${direction(page)} limit ${rowsMax + slack}`

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
  const rows = await reader
    .selectFrom(
      sql<FanoutRow>`(
        select distinct ${columns} from unnest(
          ${windows.map(({ fromMs }) => uuidFloorOf(fromMs))}::uuid[], ${windows.map(({ untilMs }) => uuidFloorOf(untilMs))}::uuid[]
        ) w (lower, upper)
        cross join lateral (
          select e.merchant_id, e.id, e.type, e.request_id from events e
          where e.merchant_id = ${merchantId} and e.id >= w.lower and e.id < w.upper
            and position(${intentId} in e.body) > 0
          order by e.id desc limit ${max}) t
        ${jobOf}
        order by t.id desc limit ${max})`.as<'r'>(sql.ref('r')),
    )
    .select(rowColumns)
    .execute()
  return rows
}

/** @returns false if the event's fan-out has not failed */
export async function retry(writer: Writer, id: EventId, nowMs: number): Promise<boolean> {
  try {
    await sql`select ops_retry_fanout(${id}, ${instant(nowMs)}::timestamptz)`.execute(writer)
    return true
  } catch (error) {
    if (sqlState(error) === NOT_FAILED) return false
    throw error
  }
}

/** Retries those whose fan-out has failed. @returns them as they were */
export async function retryMany(
  writer: Writer,
  uuids: readonly string[],
  nowMs: number,
): Promise<readonly Pick<FanoutRow, 'merchant_id' | 'id' | 'failures'>[]> {
  const { rows } = await sql<Pick<FanoutRow, 'merchant_id' | 'id' | 'failures'>>`
    with failed as materialized (
      select merchant_id, event_id as id, failures from fanout_jobs
      where event_id = any (${uuids}::uuid[]) and fanout_state = 'failed' order by event_id)
    select f.merchant_id, f.id, f.failures,
      ops_retry_fanout(f.id::text, ${instant(nowMs)}::timestamptz) as retried
    from failed f`.execute(writer)
  return rows
}

/** no_data_found, which `ops_retry_fanout` raises. */
const NOT_FAILED = 'P0002'
