import type { EventType } from '@merchant-payments/contract'
import type { Reader, Writer } from '@merchant-payments/db'
import { instant } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { doorTable, type Guarded } from '../door.ts'
import { type CustomerId, type EventId, idOf, type MerchantId, uuidOf } from '../ids.ts'
import { type Page, pageOf, type PageQuery } from '../pages/page.ts'
import { createdWithin } from '../pages/store.ts'
import { claimDue, type ClaimOrder } from '../work/claim.ts'
import type { NewEvent } from './event.ts'

/** Whose event it is, and what made it happen. */
export interface Occasion {
  readonly merchantId: MerchantId
  /** Null of a sweep. */
  readonly requestId: string | null
  readonly nowMs: number
}

/** Writes an event if `from` has a row: a part of the statement that makes the change it tells of. */
export const recordEvent = (
  { id, type, body, customerId }: Omit<NewEvent, 'body'> & { body: string | RawBuilder<string> },
  { merchantId, requestId, nowMs }: Occasion,
  from: RawBuilder<unknown>,
) => sql`
  insert into events (merchant_id, id, type, body, customer_id, fanout_due_at, request_id)
  select ${merchantId}, ${uuidOf(id)}::uuid, ${type}, ${body},
    ${customerId === null ? null : uuidOf(customerId)}::uuid, ${instant(nowMs)}::timestamptz, ${requestId}
  from ${from}`

export async function findEventBody(
  reader: Reader,
  merchantId: MerchantId,
  id: EventId,
): Promise<Guarded<string | undefined>> {
  const row = await reader
    .selectFrom(doorTable(merchantId))
    .leftJoin('events as e', (join) => join.on('e.merchant_id', '=', merchantId).on('e.id', '=', uuidOf(id)))
    .select(['door.open', 'e.body'])
    .executeTakeFirstOrThrow()
  return { open: row.open, found: row.body ?? undefined }
}

export interface EventFilter {
  /** Null for every type. */
  readonly types: readonly EventType[] | null
}

/**
 * Newest first by (writing transaction, id), and only what no running transaction can still slip behind: a reader that
 * keeps its newest id as cursor never misses an event that commits late.
 */
export async function listEventBodies(
  reader: Reader,
  merchantId: MerchantId,
  page: PageQuery<EventId>,
  { types }: EventFilter = { types: null },
): Promise<Guarded<Page<string>>> {
  const order = page.endingBefore === null ? sql`desc` : sql`asc`
  const shown =
    types === null ? newestOf(merchantId, page, order) : newestOfTypes(types, merchantId, page, order)
  const rows = await reader
    .selectFrom(doorTable(merchantId))
    .leftJoin(shown.as<'e'>(sql.ref('e')), (join) => join.onTrue())
    .select(['door.open', 'e.body'])
    .orderBy(sql`e.xid ${order}, e.id ${order}`)
    .execute()
  const bodies = rows.flatMap(({ body }) => (body === null ? [] : [body]))
  return { open: rows[0]?.open === true, found: pageOf(bodies, page) }
}

interface Shown {
  readonly id: string
  readonly xid: string
  readonly body: string
}

const newestOf = (
  merchantId: MerchantId,
  page: PageQuery<EventId>,
  order: RawBuilder<unknown>,
  ofType = sql``,
) => sql<Shown>`(
  select id, xid, body from events
  where merchant_id = ${merchantId} ${ofType}
    ${page.created === null ? sql`` : sql`and ${createdWithin(page.created)}`}
    ${page.startingAfter === null ? ended : olderThan(merchantId, page.startingAfter)}
    ${page.endingBefore === null ? sql`` : newerThan(merchantId, page.endingBefore)}
  order by xid ${order}, id ${order} limit ${page.limit + 1}
)`

/** A page of each type, and of these the page: one that seldom happens is not looked for among the others. */
const newestOfTypes = (
  types: readonly EventType[],
  merchantId: MerchantId,
  page: PageQuery<EventId>,
  order: RawBuilder<unknown>,
) => sql<Shown>`(
  select e.* from (select distinct unnest(${types}::text[]) as type) t
  cross join lateral ${newestOf(merchantId, page, order, sql`and events.type = t.type`)} e
  order by e.xid ${order}, e.id ${order} limit ${page.limit + 1}
)`

/** Written by a transaction before every one that runs. */
const oldestRunning = sql`pg_snapshot_xmin(pg_current_snapshot())`
const ended = sql`and xid < ${oldestRunning}`

// Row comparisons, so that an index serves them, and one for each end: of two the planner would begin at the farther.
// Of the oldest running transaction itself nothing is seen.
const olderThan = (merchantId: MerchantId, cursor: EventId) => sql`
  and (xid, id) < (least(${xidOf(merchantId, cursor)}, ${oldestRunning}), ${uuidOf(cursor)}::uuid)`

const newerThan = (merchantId: MerchantId, cursor: EventId) => sql`
  and (xid, id) > (${xidOf(merchantId, cursor)}, ${uuidOf(cursor)}::uuid)`

/** A cursor whose event is gone with its partition is older than the rest. */
const xidOf = (merchantId: MerchantId, cursor: EventId) => sql`
  coalesce((select c.xid from events c where c.merchant_id = ${merchantId} and c.id = ${uuidOf(cursor)}::uuid), '0'::xid8)`

const fanoutQueue = {
  table: 'events',
  key: ['merchant_id', 'id'],
  due: 'fanout_due_at',
  waiting: sql`fanout_state = 'pending'`,
} as const

/** An event on its way to the merchant's endpoints. */
export interface FanoutEvent {
  readonly merchantId: MerchantId
  readonly id: EventId
  readonly customerId: CustomerId | null
  readonly failures: number
}

export async function claimFanout(writer: Writer, order: ClaimOrder): Promise<FanoutEvent[]> {
  const rows = await claimDue<{
    merchant_id: string
    id: string
    customer_id: string | null
    fanout_failures: number
  }>(writer, fanoutQueue, order)
  return rows.map((row) => ({
    merchantId: row.merchant_id as MerchantId,
    id: idOf('evt', row.id),
    customerId: row.customer_id === null ? null : idOf('cus', row.customer_id),
    failures: row.fanout_failures,
  }))
}

/** Spec 8: five failing passes, and no sooner than five seconds after the last failure. */
export const FANOUT_FAILURES_MAX = 5
const FANOUT_RETRY_MS = 5_000

/** Counts a failed pass. @returns the events that this failure ends, which an operator must hear of */
export async function recordFanoutFailure(
  writer: Writer,
  events: readonly FanoutEvent[],
  leaseUntilMs: number,
  nowMs: number,
): Promise<EventId[]> {
  const result = await sql<{ id: string; fanout_state: string }>`
    update events e set
      fanout_failures = e.fanout_failures + 1,
      fanout_state = case when e.fanout_failures + 1 >= ${FANOUT_FAILURES_MAX} then 'failed' else 'pending' end,
      fanout_due_at = ${instant(nowMs + FANOUT_RETRY_MS)}::timestamptz,
      lease_until = null
    where (e.merchant_id, e.id) in (select * from unnest(
      ${events.map(({ merchantId }) => merchantId)}::text[], ${events.map(({ id }) => uuidOf(id))}::uuid[]))
      and e.fanout_state = 'pending' and e.lease_until = ${instant(leaseUntilMs)}::timestamptz
    returning e.id, e.fanout_state`.execute(writer)
  return result.rows.filter((row) => row.fanout_state === 'failed').map((row) => idOf('evt', row.id))
}
