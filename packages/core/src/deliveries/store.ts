import { HOUR_MS, MINUTE_MS } from '../base/clock.ts'
import { notResting, plainUuid } from '../queue/refusals.ts'
import type { Raised } from '../base/raised.ts'
import { andRaised } from '../commit/write-raised.ts'
import { instant, type Reader, type Writer } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { isNotMoving } from '../base/client-status.ts'
import { REDACTED } from '../base/redact.ts'
import { type FanoutEvent, isToFanOut } from '../events/store.ts'
import { type DeliveryId, idOf, type MerchantId, mintId, uuidOf } from '../base/ids.ts'
import { type DeliveryJob, type DeliveryKey, isPending } from './claim-store.ts'
import { ATTEMPTS_MAX, delayAfterMs } from './ladder.ts'
import { rowsJson } from '../base/rows-json.ts'

type EndpointsOf = (merchantId: MerchantId) => readonly string[]

/**
 * Spec 6.3.1: inserts one delivery and one job for each event and endpoint, and marks the events as done, in one
 * statement. Unique constraints absorb a repetition after a crash. Skips events that another worker fans out now.
 *
 * @returns how many events are done now
 */
export async function fanOut(
  writer: Writer,
  events: readonly FanoutEvent[],
  endpointsOf: EndpointsOf,
  nowMs: number,
): Promise<number> {
  const rows = events.map(({ merchantId, id }) => ({
    event_id: uuidOf(id),
    deliveries: endpointsOf(merchantId).map((endpoint) => ({
      endpoint_id: endpoint,
      id: uuidOf(mintId('wd', nowMs)),
    })),
  }))
  const now = instant(nowMs)
  const result = await sql<{ done: number }>`
    with held as materialized (
      select f.merchant_id, f.event_id, t.deliveries
      from json_to_recordset(${rowsJson(rows)}::json) as t (event_id uuid, deliveries json)
      cross join lateral (
        select merchant_id, event_id from fanout_jobs f
        where f.event_id = t.event_id and ${isToFanOut}
        for update skip locked) f
    ),
    done as (delete from fanout_jobs where event_id = any (array(select event_id from held))),
    d as (
      insert into deliveries (merchant_id, event_id, endpoint_id, id, status, customer_id, created_at)
      select held.merchant_id, held.event_id, t.endpoint_id, t.id, 'pending', e.customer_id, ${now}::timestamptz
      from held
      cross join lateral json_to_recordset(held.deliveries) as t (endpoint_id text, id uuid)
      cross join lateral (
        select customer_id from events where merchant_id = held.merchant_id and id = held.event_id limit 1) e
      on conflict do nothing
      returning merchant_id, event_id, endpoint_id, id
    ),
    j as (
      insert into delivery_jobs (delivery_id, merchant_id, event_id, endpoint_id, due_at)
      select id, merchant_id, event_id, endpoint_id, ${now}::timestamptz from d
      on conflict do nothing
    )
    select count(*)::integer as done from held`.execute(writer)
  return result.rows[0]?.done ?? 0
}

/** An array, so that a plan made while the queue was nearly empty cannot read all of it for the rows held. */
const heldIds = (where: RawBuilder<unknown>) => sql`array(select delivery_id from held where ${where})`

export const ENDPOINT_GONE = 'endpoint_gone'

export interface Attempt {
  readonly job: DeliveryJob
  readonly startedAtMs: number
  readonly durationMs: number
  readonly statusCode: number | null
  /** Why there is no status code: a stable word, never a host or an address. */
  readonly error: string | null
  readonly responseExcerpt: string | null
  readonly result: 'succeeded' | 'failed' | 'refused'
}

type EndAlert = (attempt: Attempt) => Raised

export interface FinishedDelivery {
  readonly deliveryId: DeliveryId
  readonly status: 'pending' | 'succeeded' | 'exhausted'
}

/**
 * The only writer of a delivery's status (spec 3.3). Skips jobs whose lease was lost, because another worker sends
 * them. Stores no response to an erased customer's event: the statement locks the customer's row to know. A delivery
 * that was made while its event's customer was being named lacks the customer, so the event's own customer decides.
 */
export async function finishAttempts(
  writer: Writer,
  attempts: readonly Attempt[],
  leaseUntilMs: number,
  nowMs: number,
  alertOf: EndAlert,
): Promise<FinishedDelivery[]> {
  const rows = attempts.map((attempt) => attemptRow(attempt, nowMs))
  const raised = attempts.filter((_, n) => rows[n]?.status === 'exhausted').map(alertOf)
  const result = await sql<{ id: string; status: FinishedDelivery['status'] }>`
    with t as materialized (
      select * from json_to_recordset(${rowsJson(rows)}::json) as t (
        merchant_id text, event_id uuid, endpoint_id text, delivery_id uuid, number smallint, started_at timestamptz,
        duration_ms integer, status_code smallint, error text, response_excerpt text, status text, due_at timestamptz)
    ),
    held as materialized (
      select t.* from t cross join lateral (
        select 1 from delivery_jobs j
        where j.delivery_id = t.delivery_id and j.lease_until = ${instant(leaseUntilMs)}::timestamptz
        for update) j
      -- The deliveries are locked in this order, as by a statement that adopts them for a customer.
      order by t.merchant_id, t.event_id, t.endpoint_id
    ),
    d as (
      update deliveries d set attempts = held.number, status = held.status,
        finished_at = case when held.status = 'pending' then null else ${instant(nowMs)}::timestamptz end
      from held
      where d.merchant_id = held.merchant_id and d.event_id = held.event_id and d.endpoint_id = held.endpoint_id
        and ${isPending}
      returning held.merchant_id, held.delivery_id, held.event_id, held.number, held.started_at, held.duration_ms,
        held.status_code, held.error, held.response_excerpt, held.status, d.customer_id, d.attempts_before
    ),
    a as (
      insert into delivery_attempts (merchant_id, delivery_id, number, event_id, started_at, duration_ms, status_code,
        error, response_excerpt, customer_id)
      select d.merchant_id, d.delivery_id, d.attempts_before + d.number, d.event_id, d.started_at, d.duration_ms,
        d.status_code, d.error,
        case when e.customer_id is null or d.response_excerpt = '' or c.lives then d.response_excerpt
          when d.response_excerpt is not null then ${REDACTED} end,
        e.customer_id
      from d
      left join lateral (
        select coalesce(d.customer_id, (
          select v.customer_id from events v
          where d.customer_id is null and d.response_excerpt <> '' and v.merchant_id = d.merchant_id and v.id = d.event_id
          limit 1)) as customer_id
        ) e on true
      left join lateral (
        select true as lives from customers
        where merchant_id = d.merchant_id and id = e.customer_id and erased_at is null
          and d.response_excerpt <> ''
        for key share) c on true
      on conflict do nothing
    ),
    gone as (delete from delivery_jobs where delivery_id = any (${heldIds(sql`status <> 'pending'`)})),
    again as (
      update delivery_jobs j set due_at = held.due_at, lease_until = null, throws = 0, missing_since = null
      from held where j.delivery_id = held.delivery_id and j.delivery_id = any (${heldIds(sql`status = 'pending'`)})
    ),
    served as (${keepServed(nowMs)})${andRaised(raised, sql`select delivery_id from d`, nowMs)}
    select delivery_id as id, status from d`.execute(writer)
  return result.rows.map(({ id, status }) => ({ deliveryId: idOf('wd', id), status }))
}

function attemptRow({ job, ...attempt }: Attempt, nowMs: number) {
  const number = job.attempts + 1
  const delayMs = delayAfterMs(number)
  const spent = number >= ATTEMPTS_MAX || delayMs === null
  // Spec 6.3.10: an address that the guard refuses is not tried again.
  const ended = attempt.result === 'refused' || spent ? 'exhausted' : 'pending'
  return {
    merchant_id: job.merchantId,
    event_id: uuidOf(job.eventId),
    endpoint_id: job.endpointId,
    delivery_id: uuidOf(job.deliveryId),
    number,
    started_at: instant(attempt.startedAtMs),
    duration_ms: attempt.durationMs,
    status_code: attempt.statusCode,
    error: attempt.error,
    response_excerpt: attempt.responseExcerpt,
    status: attempt.result === 'succeeded' ? 'succeeded' : ended,
    due_at: delayMs === null ? null : instant(nowMs + delayMs),
  }
}

/** Tries of a job that fails for a reason other than the receiver, such as a bug of ours. */
export const JOB_THROWS_MAX = 5
const JOB_RETRY_MS = 10_000

/** @returns the deliveries whose jobs are now dead */
export async function recordJobThrow(
  writer: Writer,
  jobs: readonly DeliveryKey[],
  leaseUntilMs: number,
  nowMs: number,
  ifDead: (job: DeliveryKey) => Raised,
): Promise<DeliveryId[]> {
  const result = await sql<{ delivery_id: string; dead: boolean }>`
    with thrown as (
      update delivery_jobs set throws = throws + 1, lease_until = null, missing_since = null,
        due_at = ${instant(nowMs + JOB_RETRY_MS)}::timestamptz,
        dead_at = case when throws + 1 >= ${JOB_THROWS_MAX} then ${instant(nowMs)}::timestamptz end
      where delivery_id = any (${jobs.map(({ deliveryId }) => uuidOf(deliveryId))}::uuid[])
        and lease_until = ${instant(leaseUntilMs)}::timestamptz
      returning delivery_id, dead_at is not null as dead
    )${andRaised(jobs.map(ifDead), sql`select delivery_id from thrown where dead`, nowMs)}
    select delivery_id, dead from thrown`.execute(writer)
  return result.rows.filter(({ dead }) => dead).map((row) => idOf('wd', row.delivery_id))
}

const RESCUE_STEP_MAX = 2_000

export interface RescueCursor {
  readonly createdAt: string
  readonly uuid: string
}

export interface LostDelivery {
  readonly merchant_id: string
  readonly event_id: string
  readonly endpoint_id: string
  readonly id: string
}

interface RescueStep {
  readonly lost: readonly LostDelivery[]
  readonly next: RescueCursor | null
}

/** Spec 6.3.8. */
export async function findLostDeliveries(
  reader: Reader,
  after: RescueCursor | null,
  nowMs: number,
): Promise<RescueStep> {
  const { createdAt, uuid } = after ?? { createdAt: '-infinity', uuid: NIL_UUID }
  const rows = await reader
    .selectFrom(
      sql<LostDelivery & { created_at: string; is_lost: boolean; place: number }>`(
        select p.merchant_id, p.event_id, p.endpoint_id, p.id, p.created_at::text, p.place,
          not exists (select from delivery_jobs j where j.delivery_id = p.id)
            and ${notResting('rescue-deliveries', plainUuid('p.id'), nowMs)}
            and ${isNotMoving(sql`p.merchant_id`)} as is_lost
        from (
          select merchant_id, event_id, endpoint_id, id, created_at, row_number() over (order by created_at, id) as place
          from (
            select merchant_id, event_id, endpoint_id, id, created_at from deliveries
            where status = 'pending' and (created_at, id) > (${createdAt}::timestamptz, ${uuid}::uuid)
            order by created_at, id limit ${RESCUE_STEP_MAX}) d) p
      )`.as<'p'>(sql.ref('p')),
    )
    .select(['p.merchant_id', 'p.event_id', 'p.endpoint_id', 'p.id', 'p.created_at', 'p.is_lost', 'p.place'])
    .where((eb) => eb.or([eb('p.is_lost', '=', true), eb('p.place', '=', RESCUE_STEP_MAX)]))
    .orderBy('p.place')
    .execute()
  const last = rows.find(({ place }) => place === RESCUE_STEP_MAX)
  return {
    lost: rows.filter((row) => row.is_lost),
    next: last === undefined ? null : { createdAt: last.created_at, uuid: last.id },
  }
}

/**
 * Does not touch exhausted deliveries or dead-lettered jobs.
 *
 * @returns how many jobs were missing
 */
export async function rescueDeliveries(
  writer: Writer,
  lost: readonly LostDelivery[],
  nowMs: number,
): Promise<number> {
  const result = await sql`
    insert into delivery_jobs (delivery_id, merchant_id, event_id, endpoint_id, due_at)
    select t.id, t.merchant_id, t.event_id, t.endpoint_id, ${instant(nowMs)}::timestamptz
    from json_to_recordset(${rowsJson(lost)}::json) as t (
      merchant_id text, event_id uuid, endpoint_id text, id uuid)
    cross join lateral (
      select from deliveries d
      where merchant_id = t.merchant_id and event_id = t.event_id and endpoint_id = t.endpoint_id
        and ${isPending} limit 1) d
    on conflict do nothing
    returning 1`.execute(writer)
  return result.rows.length
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** How long a delivery waits for a worker that knows its endpoint, while a configuration is rolled out. */
export const ENDPOINT_MISSING_MAX_MS = HOUR_MS

/** Time that a worker leaves the deliveries of an endpoint unknown to it to other workers. */
export const UNKNOWN_ENDPOINT_WAIT_MS = 15_000

/** Due jobs of unknown endpoints that one statement marks. The next one goes on with those that were due longest. */
const MARKED_MAX = 5_000

/** Name of the lease that keeps an endpoint's deliveries from their end, while a worker attempts others. */
const servedName = sql`'endpoint:' || merchant_id || '/' || endpoint_id`
/** A lease is extended once in this time, in ms. */
const SERVED_EVERY_MS = MINUTE_MS

/**
 * Extends the leases of the endpoints that are attempted. `leaveToOthers` makes them, so only endpoints that some worker did
 * not know have one.
 */
const keepServed = (nowMs: number) => sql`
  update leases set lease_until = ${instant(nowMs + ENDPOINT_MISSING_MAX_MS)}::timestamptz
  where name = any (array(
    select name from leases
    where name = any (array(select ${servedName} from held where error is distinct from ${ENDPOINT_GONE}))
      and not ${isServedUntil(nowMs + ENDPOINT_MISSING_MAX_MS - SERVED_EVERY_MS, nowMs)}
    for update skip locked))`

/** A lease that is too long was extended before the database's clock was set back, and holds nothing up. */
const isServedUntil = (untilMs: number, nowMs: number) => sql`(
  leases.lease_until > ${instant(untilMs)}::timestamptz
  and leases.lease_until < ${instant(nowMs + 2 * ENDPOINT_MISSING_MAX_MS)}::timestamptz)`

/**
 * Releases jobs for workers that know their endpoints, and records for all due jobs of these endpoints since when none
 * has. The jobs stay due, so that such a worker takes them at once. They move behind the endpoint's other due jobs, so
 * that each is reached, and those whose time is over come first.
 *
 * @returns the deliveries whose endpoint must have left the configuration: each has waited for so long, and no worker has
 * attempted another of the endpoint in this time
 */
export async function leaveToOthers(
  writer: Writer,
  jobs: readonly DeliveryJob[],
  leaseUntilMs: number,
  nowMs: number,
): Promise<ReadonlySet<DeliveryId>> {
  const now = sql`${instant(nowMs)}::timestamptz`
  const since = sql`${instant(nowMs - ENDPOINT_MISSING_MAX_MS)}::timestamptz`
  const marks = sql`due_at = ${now}, missing_since = coalesce(missing_since, ${now})`
  const isServed = sql`exists (select from leases where name = ${servedName} and ${isServedUntil(nowMs, nowMs)})`
  const result = await sql<{ delivery_id: string; gone: boolean }>`
    with met as (
      update delivery_jobs set ${marks},
        lease_until = case when missing_since <= ${since} and not ${isServed} then lease_until end
      where delivery_id = any (${jobs.map(({ deliveryId }) => uuidOf(deliveryId))}::uuid[])
        and lease_until = ${instant(leaseUntilMs)}::timestamptz
      returning delivery_id, merchant_id, endpoint_id, lease_until is not null as gone
    ),
    noted as (
      insert into leases (name, holder, lease_until)
      select distinct ${servedName}, ${NIL_UUID}::uuid, ${now} from met where not gone order by 1
      on conflict do nothing
    ),
    others as (
      update delivery_jobs set ${marks}
      where delivery_id = any (array(
        select j.delivery_id from (select distinct merchant_id, endpoint_id from met where not gone) unknown
        cross join lateral (
          select delivery_id from delivery_jobs
          where merchant_id = unknown.merchant_id and endpoint_id = unknown.endpoint_id and dead_at is null
            and due_at <= ${instant(nowMs - UNKNOWN_ENDPOINT_WAIT_MS)}::timestamptz
            and (lease_until is null or lease_until <= ${now}) and (missing_since is null or missing_since > ${since})
          order by merchant_id, endpoint_id, due_at limit ${sql.lit(MARKED_MAX)}
          for update skip locked) j
        limit ${sql.lit(MARKED_MAX)}))
    )
    select delivery_id, gone from met`.execute(writer)
  return new Set(result.rows.filter(({ gone }) => gone).map((row) => idOf('wd', row.delivery_id)))
}
