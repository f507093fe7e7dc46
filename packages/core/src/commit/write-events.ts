import { instant } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import type { Part } from '../base/columns.ts'
import { type MerchantId, uuidOf } from '../base/ids.ts'
import type { NewEvent } from './event.ts'

interface EventSource {
  /**
   * A select of the events to write: merchant_id, event_id, event_type, event_body, event_customer, request_id, and
   * `at`, the time from which they are fanned out.
   */
  readonly select: Part
  /** True if the source has at most one row: a position then needs no count of the others. */
  readonly single: boolean
  /** Parts of the statement, each with rows to return, that take their locks before the counters'. */
  readonly after: readonly string[]
}

/**
 * The only parts of a statement that write events: the events with their positions, and their fan-out jobs. The
 * merchants' counters are the last rows that the statement locks, in the order of merchants. So a transaction that
 * holds a counter waits for no other, and holds it only until its commit.
 */
export const writeEvents = ({ select, single, after }: EventSource): Part[] => [
  sql`event_rows as materialized (${select})`,
  sql`
    drawn as (
      insert into event_counters as c (merchant_id, last_position)
      select r.merchant_id, count(*) from event_rows r ${sql.join(after.map(ranBefore), sql` `)}
      group by r.merchant_id order by r.merchant_id
      on conflict (merchant_id) do update set last_position = c.last_position + excluded.last_position
      returning c.merchant_id, c.last_position
    )`,
  sql`
    written_events as (
      insert into events (merchant_id, id, type, body, customer_id, request_id, position)
      select r.merchant_id, r.event_id, r.event_type, r.event_body, r.event_customer, r.request_id,
        c.last_position ${single ? sql`` : sql`- r.newer`}
      from ${single ? sql`event_rows r` : numbered} join drawn c on c.merchant_id = r.merchant_id
    )`,
  sql`
    fanouts as (
      insert into fanout_jobs (event_id, merchant_id, due_at)
      select r.event_id, r.merchant_id, r.at from event_rows r
    )`,
]

export const eventRecord =
  'event_id uuid, event_type text, event_body text, event_customer uuid, event_at timestamptz'

export const eventFields = (event: NewEvent | null, nowMs: number) =>
  event === null
    ? {}
    : {
        event_id: uuidOf(event.id),
        event_type: event.type,
        event_body: event.body,
        event_customer: event.customerId === null ? null : uuidOf(event.customerId),
        event_at: instant(nowMs),
      }

/** Selects the events of rows with a merchant_id and `eventRecord`. Leaves out rows without an event. */
export const selectEvents = (from: Part, requestId: Part = sql`request_id`) => sql`
  select merchant_id, event_id, event_type, event_body, event_customer, ${requestId} as request_id, event_at as at
  from ${from} where event_id is not null`

/** An aggregate reads a part to its end, which makes PostgreSQL run the part first. */
const ranBefore = (part: string) =>
  sql`cross join (select count(*) from ${sql.table(part)}) ${sql.table(`${part}_ran`)}`

const numbered = sql`(
        select *, count(*) over (partition by merchant_id order by event_id desc) - 1 as newer from event_rows) r`

interface Occasion {
  readonly merchantId: MerchantId
  /** Null for a sweep. */
  readonly requestId: string | null
  readonly nowMs: number
}

/** Writes one event if `from`, the change that the event reports, has a row. */
export const recordEvent = (
  { id, type, body, customerId }: Omit<NewEvent, 'body'> & { body: string | RawBuilder<string> },
  { merchantId, requestId, nowMs }: Occasion,
  from: Part,
  after: readonly string[] = [],
): Part =>
  sql.join(
    writeEvents({
      select: sql`
        select ${merchantId}::text as merchant_id, ${uuidOf(id)}::uuid as event_id, ${type}::text as event_type,
          ${body}::text as event_body, ${customerId === null ? null : uuidOf(customerId)}::uuid as event_customer,
          ${requestId}::text as request_id, ${instant(nowMs)}::timestamptz as at
        from ${from}`,
      single: true,
      after,
    }),
  )
