import { instant, type Placing, statement, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import { isNotMoving } from '../base/client-status.ts'

/** A worker that dies holds its rows for no longer than this (docs/decisions: one claim-and-lease mechanism). */
export const LEASE_MS = 60_000

export const CLAIM_MAX = 500

export interface ClaimOrder {
  readonly nowMs: number
  readonly limit: number
  /** Also the claim's token: only the claim that holds a row finishes it. */
  readonly leaseUntilMs: number
}

/** Due jobs that are read to find endpoints with work. Beyond it, every endpoint that has jobs is read instead. */
const HEADS_MAX = 256

/** Candidates for each claimed job: enough to fill the claim when other workers take some of them first. */
const CANDIDATES = 2

export interface ClaimedJob {
  readonly delivery_id: string
  readonly merchant_id: string
  readonly event_id: string
  readonly endpoint_id: string
}

/**
 * Takes turns between endpoints, so that the backlog of one is neither read nor claimed before the first job of
 * another. `full` names endpoints to leave out, as merchant/endpoint.
 */
export function claimJobsInTurn(
  writer: Writer,
  order: ClaimOrder,
  full: readonly string[],
): Promise<readonly ClaimedJob[]> {
  const limit = Math.min(order.limit, CLAIM_MAX)
  return claimInTurn(writer, {
    now: instant(order.nowMs),
    leaseUntil: instant(order.leaseUntilMs),
    limit,
    candidates: CANDIDATES * limit,
    full,
  })
}

interface Values {
  readonly now: string
  readonly leaseUntil: string
  readonly limit: number
  readonly candidates: number
  readonly full: readonly string[]
}

const claimInTurn = statement((value: Placing<Values>) => {
  const now = value('now')
  const isFree = sql`j.dead_at is null and (j.lease_until is null or j.lease_until <= ${now}::timestamptz)`
  // One descent of an index finds each endpoint that has jobs, and its due jobs are one range of the same index.
  // The comparison of rows leaves the planner no other index.
  const isDueIn = (lane: string) => sql`${isFree}
    and (j.merchant_id, j.endpoint_id, j.due_at) >= (${sql.ref(`${lane}.merchant_id`)}, ${sql.ref(`${lane}.endpoint_id`)}, '-infinity')
    and (j.merchant_id, j.endpoint_id, j.due_at) <= (${sql.ref(`${lane}.merchant_id`)}, ${sql.ref(`${lane}.endpoint_id`)}, ${now}::timestamptz)
    order by j.merchant_id, j.endpoint_id, j.due_at`
  return sql<ClaimedJob>`
    with recursive heads as materialized (
      select merchant_id, endpoint_id from delivery_jobs
      where dead_at is null and due_at <= ${now}::timestamptz
      order by due_at limit ${sql.lit(HEADS_MAX)}
    ),
    backlog as materialized (select count(*) = ${sql.lit(HEADS_MAX)} as is_long from heads),
    lanes as (
      (select merchant_id, endpoint_id from delivery_jobs
        where dead_at is null and (select is_long from backlog)
        order by merchant_id, endpoint_id limit 1)
      union all
      select next.* from lanes cross join lateral (
        select j.merchant_id, j.endpoint_id from delivery_jobs j
        where j.dead_at is null and (j.merchant_id, j.endpoint_id) > (lanes.merchant_id, lanes.endpoint_id)
        order by j.merchant_id, j.endpoint_id limit 1) next
    ),
    open as materialized (
      select merchant_id, endpoint_id from (
        select merchant_id, endpoint_id from lanes
        union all
        select distinct merchant_id, endpoint_id from heads where not (select is_long from backlog)) waiting
      cross join lateral (select from delivery_jobs j where ${isDueIn('waiting')} limit 1) first
      where (merchant_id || '/' || endpoint_id) <> all (${value('full')}::text[]) and ${isNotMoving(sql`merchant_id`)}
    ),
    candidates as materialized (
      select j.delivery_id, j.due_at,
        row_number() over (partition by open.merchant_id, open.endpoint_id order by j.due_at) as turn
      from open cross join lateral (
        select j.delivery_id, j.due_at from delivery_jobs j where ${isDueIn('open')}
        limit greatest(1, ${value('candidates')}::integer / (select count(*) from open))) j
      order by turn, due_at
    ),
    due as materialized (
      select due.delivery_id from candidates c cross join lateral (
        select j.delivery_id from delivery_jobs j
        where j.delivery_id = c.delivery_id and ${isFree} and j.due_at <= ${now}::timestamptz
        for update skip locked) due
      limit ${value('limit')}
    )
    update delivery_jobs q set lease_until = ${value('leaseUntil')}::timestamptz
    from due where q.delivery_id = due.delivery_id
    returning q.delivery_id, q.merchant_id, q.event_id, q.endpoint_id`
})
