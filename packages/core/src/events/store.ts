import type { EventType, SecondsRange } from '@merchant-payments/contract'
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
  const { created } = page
  const backward = page.endingBefore !== null
  const cursor = page.startingAfter ?? page.endingBefore
  const order = backward ? sql`asc` : sql`desc`
  const rows = await reader
    .selectFrom(doorTable(merchantId))
    .leftJoin(
      (eb) =>
        eb
          .selectFrom('events')
          .select(['id', 'xid', 'body'])
          .where('merchant_id', '=', merchantId)
          .where(sql<boolean>`xid < pg_snapshot_xmin(pg_current_snapshot())`)
          .$if(types !== null, (q) => q.where(sql<boolean>`type = any (${types}::text[])`))
          .$if(created !== null, (q) => q.where(createdWithin(created as SecondsRange)))
          .$if(cursor !== null, (q) =>
            q.where(beyond(merchantId, uuidOf(cursor as EventId), backward ? sql`>` : sql`<`)),
          )
          .orderBy(sql`xid ${order}, id ${order}`)
          .limit(page.limit + 1)
          .as('e'),
      (join) => join.onTrue(),
    )
    .select(['door.open', 'e.body'])
    .orderBy(sql`e.xid ${order}, e.id ${order}`)
    .execute()
  const bodies = rows.flatMap(({ body }) => (body === null ? [] : [body]))
  return { open: rows[0]?.open === true, found: pageOf(bodies, page) }
}

// A row comparison, so that the index serves it. A cursor whose event is gone with its partition is older than the rest.
const beyond = (merchantId: string, uuid: string, sign: ReturnType<typeof sql>) => sql<boolean>`
  (xid, id) ${sign} (coalesce((select c.xid from events c where c.merchant_id = ${merchantId} and c.id = ${uuid}::uuid),
    '0'::xid8), ${uuid}::uuid)`

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
