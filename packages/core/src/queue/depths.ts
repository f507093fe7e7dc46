import { instant, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import type { Part } from '../base/columns.ts'
import { isNotMoving, livesHere } from '../base/client-status.ts'
import { LEASE_MS } from './claim.ts'
import { notResting, plainUuid } from './refusals.ts'

/** At most this many rows of a queue are counted, so that a reading stays cheap. */
const DEPTH_MAX = 10_000

interface QueueDepth {
  readonly queue: string
  readonly waiting: number
  /** The age of the oldest row that is set aside, or due and for a worker to claim. 0 if there is none. */
  readonly overdueMs: number
  readonly oldestLeaseMs: number
}

/** Each queue is one partial index. */
export async function readDepths(writer: Writer, nowMs: number): Promise<readonly QueueDepth[]> {
  const { rows } = await sql<{
    queue: string
    waiting: number
    due: number | null
    lease_until: number | null
  }>`
    with due_deliveries as materialized (
      ${dueJobs('delivery_jobs', sql`dead_at is null`, nowMs, sql`missing_since is null`)})
    ${railDepth('charges', 'charges_to_query', 'charge_jobs', nowMs)}
    union all ${railDepth('refunds', 'refunds_to_instruct', 'refund_jobs', nowMs)}
    union all ${railDepth('returns', 'returns_to_instruct', 'return_jobs', nowMs)}
    union all ${claimedDepth('events_to_fan_out', 'fanout_jobs', sql`fanout_state = 'pending'`)}
    union all ${claimedDepth('deliveries', 'delivery_jobs', sql`dead_at is null`, {
      isKnown: sql`missing_since is null`,
      lease: sql`(select oldest_lease from due_deliveries)`,
    })}
    union all select 'deliveries_due', jobs, null, null from due_deliveries
    union all ${depth('erasures', 'customer_erasures', 'true', 'begun_at')}
    union all ${alertsDepth(nowMs)}
    union all ${bulkDepth()}
    union all ${depth('events_failed', 'fanout_jobs', "fanout_state = 'failed'", 'due_at')}
    union all ${depth('charges_rested', 'charge_jobs', 'rested_at is not null', 'rested_at')}
    union all ${depth('refunds_rested', 'refund_jobs', 'rested_at is not null', 'rested_at')}
    union all ${depth('returns_rested', 'return_jobs', 'rested_at is not null', 'rested_at')}
    union all ${exhaustedDepth()}
    union all ${depth('rows_refused', 'refused_rows', 'true', 'refused_at')}
    union all ${depth('dead_letters', 'delivery_jobs', 'dead_at is not null', 'dead_at')}`.execute(writer)
  return rows.map(({ queue, waiting, due, lease_until: leaseUntilMs }) => ({
    queue,
    waiting,
    overdueMs: due === null ? 0 : Math.max(0, nowMs - due),
    oldestLeaseMs: leaseUntilMs === null ? 0 : Math.max(0, nowMs + LEASE_MS - leaseUntilMs),
  }))
}

const noLease = sql`null::timestamptz`

const depth = (queue: string, table: string, waiting: string, due: string) =>
  counted(
    queue,
    table,
    sql.raw(waiting),
    sql`(select min(${sql.ref(due)}) from ${sql.table(table)} where ${sql.raw(waiting)})`,
    noLease,
  )

const claimedDepth = (
  queue: string,
  table: string,
  waiting: Part,
  { isKnown = sql`true`, lease = noLease }: { readonly isKnown?: Part; readonly lease?: Part } = {},
) => {
  const jobs = sql`from ${sql.table(table)} where ${waiting} order by due_at`
  return counted(queue, table, waiting, oldestClaimable(jobs, isKnown), lease)
}

/**
 * When the oldest of these jobs that a worker may claim was due. No worker claims jobs of a merchant that moves, nor
 * jobs whose endpoint no worker knew. If none of the first 10 000 jobs is claimable, the last of them is the
 * estimate.
 */
const oldestClaimable = (jobs: Part, isKnown: Part) => sql`coalesce(
    (select q.due_at from (
      select due_at, merchant_id, (${isKnown}) as is_known ${jobs} limit ${DEPTH_MAX}) q
    where q.is_known and ${isNotMoving(sql`q.merchant_id`)} order by q.due_at limit 1),
    (select due_at ${jobs} offset ${DEPTH_MAX - 1} limit 1))`

/** Alerts that are not in the inbox yet. The time order of their ids stands in for an index on `raised_at`. */
function alertsDepth(nowMs: number): Part {
  const alerts = sql`from (
    select id, merchant_id, raised_at as due_at from raised_alerts order by id limit ${DEPTH_MAX}) a order by due_at`
  const isTried = notResting('record-attention', plainUuid('id'), nowMs)
  return counted('alerts_to_record', 'raised_alerts', sql`true`, oldestClaimable(alerts, isTried), noLease)
}

/** A merchant that has left has no jobs here, but its deliveries. */
const exhaustedDepth = () =>
  counted(
    'deliveries_exhausted',
    'deliveries',
    sql`status = 'exhausted' and ${livesHere(sql`merchant_id`)}`,
    sql`(select min(finished_at) from deliveries where status = 'exhausted' and ${livesHere(sql`merchant_id`)})`,
    noLease,
  )

/** A job that a worker runs is late once that worker has not renewed its lease. */
const bulkDepth = () =>
  counted(
    'bulk_jobs',
    'bulk_jobs',
    sql`status = 'running'`,
    sql`(select min(greatest(due_at, lease_until)) from bulk_jobs where status = 'running')`,
    noLease,
  )

const counted = (queue: string, table: string, waiting: Part, due: Part, lease: Part) => sql`
  select ${sql.lit(queue)} as queue,
    (select count(*) from (
      select from ${sql.table(table)} where ${waiting} limit ${DEPTH_MAX}) q)::integer as waiting,
    ${due} as due, ${lease} as lease_until`

function railDepth(name: string, queue: string, jobs: string, nowMs: number): Part {
  const [table, rails] = [sql.table(jobs), sql.table(`rails_of_${name}`)]
  const waiting = sql`rested_at is null`
  const ofRail = sql`from ${table} j where j.${waiting} and j.rail = r.rail order by j.rail, j.due_at`
  const due = sql`(
    with recursive ${rails} (rail) as (
      (select rail from ${table} where ${waiting} order by rail limit 1)
      union all
      select (select n.rail from ${table} n where n.${waiting} and n.rail > r.rail order by n.rail limit 1)
      from ${rails} r where r.rail is not null
    )
    select min(f.due_at) from ${rails} r cross join lateral (select ${oldestClaimable(ofRail, sql`true`)} as due_at) f)`
  return counted(
    queue,
    jobs,
    waiting,
    due,
    sql`(select oldest_lease from (${dueJobs(jobs, waiting, nowMs)}) d)`,
  )
}

/**
 * Due jobs, as many as are counted, and of these the ones that a worker knows: a worker that keeps up leaves few of them,
 * however many wait for their rung. The age of a lease that has ended grows until a claim renews it.
 */
const dueJobs = (jobs: string, waiting: Part, nowMs: number, isKnown: Part = sql`true`) => sql`
  select (count(*) filter (where q.is_known))::integer as jobs,
    min(lease_until) filter (where ${isNotMoving(sql`q.merchant_id`)}) as oldest_lease
  from (
    select lease_until, merchant_id, (${isKnown}) as is_known from ${sql.table(jobs)}
    where ${waiting} and due_at <= ${instant(nowMs)}::timestamptz limit ${DEPTH_MAX}) q`
