import type { Raised } from '../base/raised.ts'
import { andRaised } from '../commit/write-raised.ts'
import type { EventType } from '@merchant-payments/contract'
import {
  type FanoutState,
  forEachShape,
  instant,
  type Placing,
  type Reader,
  statement,
  type Writer,
} from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { clientStatusTable, type Guarded, isNotMoving } from '../base/client-status.ts'
import { type Find, ofClient, oneRow } from '../reads/store.ts'
import { isInState } from '../base/columns.ts'
import { type EventId, idOf, type MerchantId, uuidOf } from '../base/ids.ts'
import { cutPage } from '../pages/cut.ts'
import { cutPageOf, type Page, type PageQuery } from '../pages/page.ts'
import { floorOfSec } from '../pages/store.ts'
import { type Floors, floorsAt, newFloors } from '../queue/floors.ts'

const eventById = oneRow((keyed) => keyed.leftJoin('events as e', ofClient('e')).select('e.body'))

export const findEventBody: Find<'evt', string> = async (reader, merchantId, id) => {
  const row = await eventById(reader, { merchantId, id: uuidOf(id) })
  return { open: row.open, found: row.body ?? undefined }
}

export interface EventFilter {
  readonly types: readonly EventType[] | null
}

/**
 * Newest first by position. A merchant's positions are in the order of commits (`writeEvents`). So a reader that
 * keeps its newest id as cursor misses no event that commits late, and no other transaction delays one.
 */
export async function listEventBodies(
  reader: Reader,
  merchantId: MerchantId,
  page: PageQuery<EventId>,
  { types }: EventFilter = { types: null },
): Promise<Guarded<Page<string>>> {
  const { limit, created, startingAfter, endingBefore } = page
  const list = listOfShape({
    hasTypes: types !== null,
    hasCreated: created !== null,
    startsAfter: startingAfter !== null,
    endsBefore: endingBefore !== null,
  })
  const rows = await list(reader, {
    merchantId,
    types: types ?? [],
    from: created === null ? '' : floorOfSec(created.fromSec),
    until: created === null ? '' : floorOfSec(created.untilSec),
    startingAfter: startingAfter === null ? '' : uuidOf(startingAfter),
    endingBefore: endingBefore === null ? '' : uuidOf(endingBefore),
    limit,
    read: limit + 1,
  })
  const found = rows.flatMap(({ body, followed }) =>
    body === null ? [] : [{ body, followed: followed === true }],
  )
  return { open: rows[0]?.open === true, found: cutPageOf(found, page, ({ body }) => body) }
}

interface Shape {
  readonly hasTypes: boolean
  readonly hasCreated: boolean
  readonly startsAfter: boolean
  readonly endsBefore: boolean
}

interface Values {
  readonly merchantId: MerchantId
  readonly types: readonly EventType[]
  /** The smallest uuids of the first second and of that after the last. */
  readonly from: string
  readonly until: string
  readonly startingAfter: string
  readonly endingBefore: string
  readonly limit: number
  readonly read: number
}

interface Row {
  readonly position: number
  readonly body: string
}

const listOfShape = forEachShape((shape: Shape) =>
  statement((value: Placing<Values>, reader) => {
    const order = shape.endsBefore ? sql`asc` : sql`desc`
    const shown = cutPage<Row>({
      rows: shape.hasTypes ? newestOfTypes(shape, value, order) : newestOf(shape, value, order),
      limit: value('limit'),
      columns: sql`t.position, t.body`,
      order: sql`t.position ${order}`,
      bytes: sql`octet_length(t.body) + 1`,
    })
    return reader
      .selectFrom(clientStatusTable(value('merchantId')))
      .leftJoin(shown.as<'e'>(sql.ref('e')), (join) => join.onTrue())
      .select(['client.open', 'e.body', 'e.followed'])
      .orderBy(sql`e.position ${order}`)
  }),
)

const newestOf = (
  shape: Shape,
  value: Placing<Values>,
  order: RawBuilder<unknown>,
  ofType = sql``,
) => sql<Row>`(
  select position, body from events
  where merchant_id = ${value('merchantId')} ${ofType}
    ${shape.hasCreated ? sql`and ${createdAmong(value)}` : sql``}
    ${shape.startsAfter ? sql`and position < ${positionOf(value, 'startingAfter')}` : sql``}
    ${shape.endsBefore ? sql`and position > ${positionOf(value, 'endingBefore')}` : sql``}
  order by position ${order} limit ${value('read')}
)`

/**
 * A merchant's ids and positions have nearly the same order. Concurrent events can commit in another order than their
 * ids were minted. No event is assumed to be displaced by more than this.
 */
const OUT_OF_ORDER_MAX = 1_000

/** The time bounds the positions too. Without that, PostgreSQL reads all positions from the newest to that time. */
const createdAmong = (value: Placing<Values>) => {
  const [from, until] = [value('from'), value('until')]
  return sql`id >= ${from}::uuid and id < ${until}::uuid
    and ${positionsWithin(value('merchantId'), { from, until }, OUT_OF_ORDER_MAX)}`
}

type UuidBound = string | RawBuilder<string> | null

/**
 * Bounds of the positions of a merchant's events `events` with these ids. They hold unless more than `slack` of its events
 * were committed in another order than they were minted.
 *
 * @param from the first id, null for any
 * @param until the id before which the last one is, null for any
 * @param within a condition of ids that all events looked for fulfil, to leave out partitions
 */
export function positionsWithin(
  merchant: RawBuilder<unknown>,
  { from, until }: { readonly from: UuidBound; readonly until: UuidBound },
  slack: number,
  within: (id: RawBuilder<unknown>) => RawBuilder<boolean> = () => sql<boolean>`true`,
): RawBuilder<boolean> {
  const positionAt = (bound: RawBuilder<boolean>, order: RawBuilder<unknown>) => sql`(
    select b.position from events b where b.merchant_id = ${merchant} and ${bound} and ${within(sql.ref('b.id'))} order by b.id ${order} limit 1)`
  const lower =
    from === null
      ? sql`true`
      : sql`events.position >= ${positionAt(sql`b.id >= ${from}::uuid`, sql`asc`)} - ${sql.lit(slack)}`
  const upper =
    until === null
      ? sql`true`
      : sql`events.position <= ${positionAt(sql`b.id < ${until}::uuid`, sql`desc`)} + ${sql.lit(slack)}`
  return sql<boolean>`${lower} and ${upper}`
}

/** Reads a page of each type and merges them, so that a rare type is not searched among all events. */
const newestOfTypes = (shape: Shape, value: Placing<Values>, order: RawBuilder<unknown>) => sql<Row>`(
  select e.position, e.body from (select distinct unnest(${value('types')}::text[]) as type) t
  cross join lateral ${newestOf(shape, value, order, sql`and events.type = t.type`)} e
  order by e.position ${order} limit ${value('read')}
)`

/** A cursor whose event was dropped with its partition is older than all others. */
const positionOf = (value: Placing<Values>, cursor: 'startingAfter' | 'endingBefore') => sql`
  coalesce((select c.position from events c where c.merchant_id = ${value('merchantId')} and c.id = ${value(cursor)}::uuid), 0)`

export interface FanoutEvent {
  readonly merchantId: MerchantId
  readonly id: EventId
  readonly failures: number
  /** Since when no worker that met the event knew its merchant. */
  readonly missingSinceMs: number | null
}

/** Locks no event: `fanOut` locks those that are still pending. */
export async function findDueFanouts(
  reader: Reader,
  nowMs: number,
  limit: number,
  floors: Floors = newFloors(),
): Promise<FanoutEvent[]> {
  const { fanouts } = await floorsAt(floors, reader, nowMs)
  const rows = await reader
    .selectFrom('fanout_jobs')
    .select(['merchant_id', 'event_id', 'failures', 'missing_since'])
    // A literal, so that a generic plan can use the partial index of pending events.
    .where(sql<boolean>`fanout_state = 'pending'`)
    .where(isNotMoving(sql`merchant_id`))
    .where('due_at', '>=', sql<number>`${instant(fanouts)}::timestamptz`)
    .where('due_at', '<=', sql<number>`${instant(nowMs)}::timestamptz`)
    .orderBy('due_at')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    merchantId: row.merchant_id as MerchantId,
    id: idOf('evt', row.event_id),
    failures: row.failures,
    missingSinceMs: row.missing_since,
  }))
}

export const isToFanOut = isInState<Exclude<FanoutState, 'done'>, 'pending'>('fanout_state', { failed: true })

/** Spec 8: five failed passes, each at least five seconds after the one before. */
export const FANOUT_FAILURES_MAX = 5
const FANOUT_RETRY_MS = 5_000

/**
 * Counts a failed pass once for all workers that saw it fail. They know the merchant.
 *
 * @returns whether this failure ends the fan-out
 */
export async function recordFanoutFailure(
  writer: Writer,
  { id, failures }: FanoutEvent,
  nowMs: number,
  ifEnds: Raised,
): Promise<boolean> {
  const ends = failures + 1 >= FANOUT_FAILURES_MAX
  const result = await sql`
    with failed as (
      update fanout_jobs set failures = failures + 1, fanout_state = ${ends ? 'failed' : 'pending'},
        due_at = ${instant(nowMs + FANOUT_RETRY_MS)}::timestamptz, missing_since = null
      where event_id = ${uuidOf(id)}::uuid and ${isToFanOut} and failures = ${failures}
      returning event_id
    )${andRaised(ends ? [ifEnds] : [], sql`select event_id from failed`, nowMs)}
    select 1 from failed`.execute(writer)
  return ends && result.rows.length > 0
}

/** Another transaction holds what the fan-out needs, so this pass counts no failure. */
export async function postponeFanout(
  writer: Writer,
  { id, failures }: FanoutEvent,
  nowMs: number,
): Promise<void> {
  await sql`
    update fanout_jobs set due_at = ${instant(nowMs + FANOUT_RETRY_MS)}::timestamptz, missing_since = null
    where event_id = ${uuidOf(id)}::uuid and ${isToFanOut} and failures = ${failures}`.execute(writer)
}

/** Leaves events to workers that know their merchants, and records since when none has. */
export async function leaveFanoutsToOthers(
  writer: Writer,
  events: readonly FanoutEvent[],
  untilMs: number,
  nowMs: number,
): Promise<void> {
  await sql`
    update fanout_jobs f set due_at = ${instant(untilMs)}::timestamptz,
      missing_since = coalesce(f.missing_since, ${instant(nowMs)}::timestamptz)
    from (${heldToFanOut(events)}) held
    where f.event_id = held.event_id`.execute(writer)
}

/**
 * Fails the fan-out of events whose merchant no worker has known for so long. An operator can retry it once the merchant
 * is in the configuration, and the time is counted from zero.
 *
 * @returns the events whose fan-out has failed now
 */
export async function failUnknownFanouts(
  writer: Writer,
  events: readonly FanoutEvent[],
  ends: readonly Raised[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const result = await sql<{ event_id: string }>`
    with failed as (
      update fanout_jobs f set fanout_state = 'failed', missing_since = null
      from (${heldToFanOut(events)}) held
      where f.event_id = held.event_id
      returning f.event_id
    )${andRaised(ends, sql`select event_id from failed`, nowMs)}
    select event_id from failed`.execute(writer)
  return new Set(result.rows.map((row) => idOf('evt', row.event_id)))
}

const heldToFanOut = (events: readonly FanoutEvent[]) => sql`
  select event_id from fanout_jobs
  where event_id = any (${events.map(({ id }) => uuidOf(id))}::uuid[]) and ${isToFanOut}
  for update skip locked`
