import type { EventType } from '@merchant-payments/contract'
import {
  type DeliveryStatus,
  instant,
  type Reader,
  type Tx,
  within,
  type Writer,
} from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { type Held, heldIfFound } from '../../audit/before.ts'
import { livesHere } from '../../base/client-status.ts'
import { columnsIn, columnsOf } from '../../base/columns.ts'
import { type DeliveryId, type EventId, type MerchantId, msOfUuid, uuidOf } from '../../base/ids.ts'
import { unlessState } from '../../base/refused-statements.ts'
import type { Page } from '../../pages/page.ts'
import type { StaffPage } from '../../pages/staff/page.ts'
import { all, direction, idsOf, inOrder, ofEachMerchant, onPage } from '../../pages/staff/store.ts'
import { foundPage, searchAlong, SEARCHED_MAX } from '../../pages/staff/search-store.ts'
import { type AttemptRow, deliveryColumns, type DeliveryRow } from './render.ts'

/** A dead letter is pending, but nothing is posted until a replay. */
type ShownStatus = DeliveryStatus | 'dead_lettered'

export interface DeliveryFilter {
  readonly status: ShownStatus | null
  readonly endpoint: string | null
  readonly eventId: EventId | null
  readonly eventType: EventType | null
}

const rowColumns = columnsIn('r', [...deliveryColumns, 'event_type', 'due_at', 'dead_at'])

const named = (alias: string) => columnsOf(alias, deliveryColumns)

const withJobs = (deliveries: RawBuilder<unknown>, columns: readonly string[] = deliveryColumns) =>
  sql<DeliveryRow & { readonly fits?: boolean }>`(
  select ${columnsOf('t', columns)}, e.type as event_type, j.due_at, j.dead_at
  from (${deliveries}) t
  left join lateral (
    select type from events where merchant_id = t.merchant_id and id = t.event_id limit 1) e on true
  left join delivery_jobs j on j.delivery_id = t.id)`

/** Filters that the walk does not serve are applied to a bounded number of its rows. @throws Refusal invalid_request */
export async function listDeliveryRows(
  reader: Reader,
  page: StaffPage,
  filter: DeliveryFilter,
): Promise<Page<DeliveryRow>> {
  const { along, where, ended } = readPathOf(page, filter)
  const deliveries = searchAlong(along, { columns: deliveryColumns, where, ended, rowsMax: page.limit + 1 })
  const rows = await reader
    .selectFrom(withJobs(deliveries, [...deliveryColumns, 'fits']).as<'r'>(sql.ref('r')))
    .select([...rowColumns, 'r.fits'])
    .orderBy('r.id', page.endingBefore === null ? 'desc' : 'asc')
    .execute()
  return foundPage(rows, page)
}

const ID = sql.ref('t.id')
const isDead = sql<boolean>`exists (
  select from delivery_jobs j where j.delivery_id = t.id and j.dead_at is not null)`

interface ReadPath {
  readonly along: (columns: RawBuilder<unknown>, rowsMax: number) => RawBuilder<unknown>
  readonly where: RawBuilder<boolean>
  readonly ended?: RawBuilder<boolean>
}

function readPathOf(page: StaffPage, filter: DeliveryFilter): ReadPath {
  const { status, endpoint, eventId, eventType } = filter
  const ofMerchant = page.merchantId === null ? null : sql<boolean>`t.merchant_id = ${page.merchantId}`
  const ofEndpoint = endpoint === null ? null : sql<boolean>`t.endpoint_id = ${endpoint}`
  const ofType =
    eventType === null
      ? null
      : sql<boolean>`exists (
          select from events e where e.merchant_id = t.merchant_id and e.id = t.event_id and e.type = ${eventType})`
  const hasStatus =
    status === null || status === 'dead_lettered' ? null : sql<boolean>`t.status = ${sql.lit(status)}`
  if (eventId !== null)
    return {
      along: alongRows(page, ofEvent(eventId)),
      where: all([ofMerchant, ofEndpoint, ofType, hasStatus, hasJob(status)]),
    }
  if (status === 'dead_lettered')
    return { along: alongRows(page, deadLetters), where: all([ofMerchant, ofEndpoint, ofType]) }
  if (status === 'exhausted') {
    const along = alongLanes(page, endpoint, eventType !== null)
    return { along, where: all([ofType]), ended: sql`t.ended` }
  }
  // The backlog of another merchant must not hide the merchant's own.
  const isHere = status === 'pending' ? livesHere(sql`t.merchant_id`) : null
  if (status === 'pending' && ofMerchant === null)
    return { along: alongPending(page), where: all([isHere, ofEndpoint, ofType, hasJob(status)]) }
  return { along: alongIds(page), where: all([hasStatus, isHere, ofEndpoint, ofType, hasJob(status)]) }
}

/** A dead letter is stored as pending. */
const hasJob = (status: ShownStatus | null) =>
  status === 'dead_lettered' ? isDead : status === 'pending' ? sql<boolean>`not ${isDead}` : null

const alongRows =
  (page: StaffPage, rows: RawBuilder<unknown>): ReadPath['along'] =>
  (columns, rowsMax) =>
    sql`select ${columns} from (${rows}) t where ${onPage(page, ID)} ${inOrder(page, ID, rowsMax)}`

const ofEvent = (eventId: EventId) =>
  ofEachMerchant(
    'deliveries',
    deliveryColumns,
    sql`
      select ${named('t')} from deliveries t
      where t.merchant_id = tenant.merchant_id and t.event_id = ${uuidOf(eventId)}::uuid`,
  )

const deadLetters = sql`
  select ${named('t')} from delivery_jobs j
  join deliveries t on t.id = j.delivery_id and t.merchant_id = j.merchant_id and t.event_id = j.event_id
  where j.dead_at is not null and ${livesHere(sql`j.merchant_id`)}`

/** One merchant is read by migration 0054's index, whose expression keeps other statements with a merchant off it. */
const alongIds =
  (page: StaffPage): ReadPath['along'] =>
  (columns, rowsMax) => {
    const ofMerchant =
      page.merchantId === null ? null : sql<boolean>`greatest(t.merchant_id) = ${page.merchantId}`
    return sql`
      select ${columns} from deliveries t where ${all([ofMerchant, onPage(page, ID)])} ${inOrder(page, ID, rowsMax)}`
  }

/** The pending ones have an index by their time, which is also the time of their ids. */
const alongPending =
  (page: StaffPage): ReadPath['along'] =>
  (columns, rowsMax) => {
    const { from, until } = idsOf(page)
    const within = [
      from === null ? null : sql<boolean>`t.created_at >= ${instant(msOfUuid(from))}::timestamptz`,
      until === null ? null : sql<boolean>`t.created_at <= ${instant(msOfUuid(until))}::timestamptz`,
    ]
    return sql`
      select ${columns} from deliveries t where t.status = 'pending' and ${all([...within, onPage(page, ID)])}
      order by t.created_at ${direction(page)}, t.id ${direction(page)} limit ${rowsMax}`
  }

/**
 * The index of exhausted deliveries is by endpoint and merchant (a lane). Each lane gets an equal share of the
 * search. The list ends where a lane has rows beyond its share, because rows of that time may follow there.
 */
const alongLanes =
  (page: StaffPage, endpoint: string | null, isShared: boolean): ReadPath['along'] =>
  (columns, rowsMax) => {
    const { merchantId } = page
    const ofLane = all([
      endpoint === null ? null : sql<boolean>`l.endpoint_id = ${endpoint}`,
      merchantId === null ? null : sql<boolean>`l.merchant_id = ${merchantId}`,
      livesHere(sql`l.merchant_id`),
    ])
    const share = isShared
      ? sql`select greatest(${sql.lit(SEARCHED_MAX)} / greatest(count(*), 1), 1) as rows_max from wanted`
      : sql`select ${sql.lit(rowsMax)} as rows_max`
    return sql`
      with recursive lane (endpoint_id, merchant_id) as (
        (select endpoint_id, merchant_id from deliveries where status = 'exhausted'
          order by endpoint_id, merchant_id limit 1)
        union all
        select n.endpoint_id, n.merchant_id from lane cross join lateral (
          select endpoint_id, merchant_id from deliveries
          where status = 'exhausted' and (endpoint_id, merchant_id) > (lane.endpoint_id, lane.merchant_id)
          order by endpoint_id, merchant_id limit 1) n),
      wanted as materialized (select l.endpoint_id, l.merchant_id from lane l where ${ofLane}),
      shared as materialized (${share})
      select ${columns} from (
        select ${named('r')}, bool_or(r.place > r.rows_max) over (order by r.id ${direction(page)}) as ended
        from (
          select ${named('n')}, n.place, shared.rows_max from shared cross join wanted l cross join lateral (
            select ${named('t')}, row_number() over () as place from (
              select ${named('d')} from deliveries d
              where d.status = 'exhausted' and d.endpoint_id = l.endpoint_id and d.merchant_id = l.merchant_id
                and ${onPage(page, sql.ref('d.id'))}
              order by d.id ${direction(page)} limit shared.rows_max + 1) t) n) r
        ${inOrder(page, sql.ref('r.id'), rowsMax)}) t
      ${inOrder(page, ID, rowsMax)}`
  }

export const findDelivery = (reader: Reader, id: DeliveryId): Promise<DeliveryRow | undefined> =>
  reader
    .selectFrom(
      withJobs(
        sql`select ${named('deliveries')} from deliveries where id = ${uuidOf(id)}::uuid limit 1`,
      ).as<'r'>(sql.ref('r')),
    )
    .select(rowColumns)
    .executeTakeFirst()

/** Locks in the order of the worker: the job, then the delivery. */
export async function lockDelivery(tx: Tx, id: DeliveryId): Promise<Held<DeliveryRow> | undefined> {
  const uuid = sql`${uuidOf(id)}::uuid`
  await sql`select from delivery_jobs where delivery_id = ${uuid} for update`.execute(tx)
  await sql`select from deliveries where id = ${uuid} for update`.execute(tx)
  return heldIfFound(await findDelivery(within(tx).reader, id))
}

export async function listDeliveriesOf(
  reader: Reader,
  merchantId: MerchantId,
  eventUuids: readonly string[],
  max: number,
): Promise<DeliveryRow[]> {
  if (eventUuids.length === 0) return []
  const deliveries = sql`
    select ${named('d')} from unnest(${eventUuids}::uuid[]) w (id)
    cross join lateral (select ${named('deliveries')} from deliveries where merchant_id = ${merchantId} and event_id = w.id) d
    order by d.id desc limit ${max}`
  return reader
    .selectFrom(withJobs(deliveries).as<'r'>(sql.ref('r')))
    .select(rowColumns)
    .orderBy('r.id', 'desc')
    .execute()
}

export const listAttempts = (
  reader: Reader,
  { merchant_id: merchantId, id }: DeliveryRow,
  max: number,
): Promise<AttemptRow[]> =>
  reader
    .selectFrom('delivery_attempts')
    .select(['number', 'started_at', 'duration_ms', 'status_code', 'error', 'response_excerpt'])
    .where('merchant_id', '=', merchantId)
    .where('delivery_id', '=', id)
    .orderBy('number', 'desc')
    .limit(max)
    .execute()

export async function findBody(
  reader: Reader,
  { merchant_id, event_id }: DeliveryRow,
): Promise<string | null> {
  const row = await reader
    .selectFrom('events')
    .select('body')
    .where('merchant_id', '=', merchant_id)
    .where('id', '=', event_id)
    .executeTakeFirst()
  return row?.body ?? null
}

export const replay = (writer: Writer, id: DeliveryId, nowMs: number): Promise<boolean> =>
  unlessState([NOT_REPLAYABLE], () =>
    sql`select ops_replay_delivery(${id}, ${instant(nowMs)}::timestamptz)`.execute(writer),
  )

interface ReplayedRow extends Pick<DeliveryRow, 'merchant_id' | 'id' | 'status' | 'attempts'> {
  readonly is_dead: boolean
}

/** Replays those whose state allows it. @returns them as they were */
export async function replayMany(
  writer: Writer,
  uuids: readonly string[],
  nowMs: number,
): Promise<readonly ReplayedRow[]> {
  const { rows } = await sql<ReplayedRow>`
    with replayable as materialized (
      select d.merchant_id, d.id, d.status, d.attempts, j.dead_at is not null as is_dead
      from unnest(${uuids}::uuid[]) w (id)
      cross join lateral (
        select merchant_id, id, status, attempts from deliveries where id = w.id limit 1) d
      left join delivery_jobs j on j.delivery_id = d.id
      where d.status = 'exhausted' or (d.status = 'pending' and j.dead_at is not null)
      order by d.id)
    select r.merchant_id, r.id, r.status, r.attempts, r.is_dead,
      ops_replay_delivery(r.id::text, ${instant(nowMs)}::timestamptz) as replayed
    from replayable r`.execute(writer)
  return rows
}

/** object_not_in_prerequisite_state, which `ops_replay_delivery` raises. */
const NOT_REPLAYABLE = '55000'
