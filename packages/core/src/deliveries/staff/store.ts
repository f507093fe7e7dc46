import type { EventType } from '@merchant-payments/contract'
import { type DeliveryStatus, instant, type Reader, sqlState, type Writer } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn } from '../../base/columns.ts'
import { type DeliveryId, type EventId, type MerchantId, uuidOf } from '../../base/ids.ts'
import { columnsOf } from '../../pages/cut/store.ts'
import { type Page, pageOf } from '../../pages/page.ts'
import type { StaffPage } from '../../pages/staff/page.ts'
import { all, inOrder, ofEachMerchant, onPage } from '../../pages/staff/store.ts'
import type { AttemptRow, DeliveryRow } from './render.ts'

/** A dead letter is pending, but nothing is posted until a replay. */
type ShownStatus = DeliveryStatus | 'dead_lettered'

export interface DeliveryFilter {
  readonly status: ShownStatus | null
  readonly endpoint: string | null
  readonly eventId: EventId | null
  readonly eventType: EventType | null
}

const deliveryColumns = [
  'merchant_id',
  'event_id',
  'endpoint_id',
  'id',
  'status',
  'attempts',
  'attempts_before',
  'created_at',
  'finished_at',
] as const satisfies readonly (keyof DeliveryRow)[]

const rowColumns = columnsIn('r', [...deliveryColumns, 'event_type', 'due_at', 'dead_at'])

const named = (alias: string) => columnsOf(alias, deliveryColumns)

const withJobs = (deliveries: RawBuilder<unknown>) => sql<DeliveryRow>`(
  select ${named('t')}, e.type as event_type, j.due_at, j.dead_at
  from (${deliveries}) t
  left join lateral (
    select type from events where merchant_id = t.merchant_id and id = t.event_id limit 1) e on true
  left join delivery_jobs j on j.delivery_id = t.id)`

/** Delivery ids have an index of their own. Partial indexes hold only the pending and only the exhausted deliveries. */
export async function listDeliveryRows(
  reader: Reader,
  page: StaffPage,
  { status, endpoint, eventId, eventType }: DeliveryFilter,
): Promise<Page<DeliveryRow>> {
  const id = sql.ref('d.id')
  const where = all([
    page.merchantId === null ? null : sql`d.merchant_id = ${page.merchantId}`,
    status === null || status === 'dead_lettered' ? null : sql`d.status = ${sql.lit(status)}`,
    status === 'pending'
      ? sql`not exists (
      select from delivery_jobs j where j.delivery_id = d.id and j.dead_at is not null)`
      : null,
    endpoint === null ? null : sql`d.endpoint_id = ${endpoint}`,
    eventType === null
      ? null
      : sql`exists (select from events where merchant_id = d.merchant_id and id = d.event_id and type = ${eventType})`,
    onPage(page, id),
  ])
  const deliveries = sql`with d as ${among(status, eventId)} select ${named('d')} from d where ${where} ${inOrder(page, id)}`
  const rows = await reader
    .selectFrom(withJobs(deliveries).as<'r'>(sql.ref('r')))
    .select(rowColumns)
    .orderBy('r.id', page.endingBefore === null ? 'desc' : 'asc')
    .execute()
  return pageOf(rows, page)
}

function among(status: ShownStatus | null, eventId: EventId | null) {
  if (eventId !== null) {
    const isDead =
      status === 'dead_lettered'
        ? sql`exists (select from delivery_jobs j where j.delivery_id = t.id and j.dead_at is not null)`
        : sql`true`
    const ofEvent = sql`
      select ${named('t')} from deliveries t
      where t.merchant_id = tenant.merchant_id and t.event_id = ${uuidOf(eventId)}::uuid and ${isDead}`
    return sql`materialized (${ofEachMerchant('deliveries', deliveryColumns, ofEvent)})`
  }
  if (status === 'dead_lettered') {
    return sql`materialized (
      select ${named('t')} from delivery_jobs j
      join deliveries t on t.id = j.delivery_id and t.merchant_id = j.merchant_id and t.event_id = j.event_id
      where j.dead_at is not null)`
  }
  // A walk along the ids would pass over all other rows to find the few of this status.
  if (status === null || status === 'succeeded')
    return sql`not materialized (select ${named('deliveries')} from deliveries)`
  return sql`materialized (select ${named('deliveries')} from deliveries where status = ${sql.lit(status)})`
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

/** @returns false if the delivery's state does not allow a replay */
export async function replay(writer: Writer, id: DeliveryId, nowMs: number): Promise<boolean> {
  try {
    await sql`select ops_replay_delivery(${id}, ${instant(nowMs)}::timestamptz)`.execute(writer)
    return true
  } catch (error) {
    if (sqlState(error) === NOT_REPLAYABLE) return false
    throw error
  }
}

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
