import { instant, type Placing, statement, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import { MINUTE_MS } from '../base/clock.ts'
import { isNotMoving } from '../base/client-status.ts'
import { type Floors, floorsAt, newFloors } from './floors.ts'

/** Length of a lease. The rows of a dead worker are free after this time (docs/decisions/0003). */
export const LEASE_MS = MINUTE_MS

export const CLAIM_MAX = 500

export interface ClaimOrder {
  readonly nowMs: number
  readonly limit: number
  /** Also the claim's token: only the claim that holds a row finishes it. */
  readonly leaseUntilMs: number
  /** The caller passes the same ones to every claim. Default: read for this claim */
  readonly floors?: Floors | undefined
}

/** Free due jobs that name the endpoints with work. Beyond it, endpoints are walked in the order of their names. */
const HEADS_MAX = 256

/** Due jobs that are read to find those. Jobs that are leased, and those of endpoints that are left out, are no heads. */
export const OLDEST_MAX = 1_024

/** Endpoints that one statement walks. The next one goes on behind them. */
export const LANES_MAX = 128

/** Statements of one claim. The next claim goes on behind them, so that the cost of a claim has a bound. */
export const WALKS_MAX = 8

/** Candidates for each claimed job: enough to fill the claim when other workers take some of them first. */
const CANDIDATES = 2

/** Where the next claim of a long backlog begins. Each claim moves it on. */
export interface ClaimCursor {
  behind: { readonly merchantId: string; readonly endpointId: string } | null
}

export interface ClaimedJob {
  readonly delivery_id: string
  readonly merchant_id: string
  readonly event_id: string
  readonly endpoint_id: string
}

/**
 * Takes turns between endpoints, so that the backlog of one is neither read nor claimed before the first job of
 * another. `leftOut` names endpoints, as merchant/endpoint, and merchants. Claims fewer than the limit if the others have
 * no more jobs that are due and free, or after WALKS_MAX statements.
 */
export async function claimJobsInTurn(
  writer: Writer,
  order: ClaimOrder,
  leftOut: readonly string[],
  cursor: ClaimCursor,
): Promise<readonly ClaimedJob[]> {
  const limit = Math.min(order.limit, CLAIM_MAX)
  const { deliveries } = await floorsAt(order.floors ?? newFloors(), writer, order.nowMs)
  const claimed: ClaimedJob[] = []
  // A walk that begins in the middle goes on from the first endpoint.
  let endsLeft = cursor.behind === null ? 1 : 2
  for (let walks = 0; walks < WALKS_MAX && claimed.length < limit && endsLeft > 0; walks += 1) {
    const left = limit - claimed.length
    const rows = await claimInTurn(writer, {
      now: instant(order.nowMs),
      from: instant(deliveries),
      leaseUntil: instant(order.leaseUntilMs),
      limit: left,
      candidates: CANDIDATES * left,
      leftOut,
      merchant: cursor.behind?.merchantId ?? '',
      endpoint: cursor.behind?.endpointId ?? '',
    })
    claimed.push(...rows.filter((row): row is Claimed => row.delivery_id !== null))
    const [walk] = rows
    if (walk?.is_long !== true) break
    const { last_merchant: merchantId, last_endpoint: endpointId } = walk
    cursor.behind = merchantId === null || endpointId === null ? null : { merchantId, endpointId }
    if (cursor.behind === null) endsLeft -= 1
  }
  return claimed
}

type Placed = ReturnType<Placing<Values>>

interface Values {
  readonly now: string
  /** No job that may be claimed was due before. */
  readonly from: string
  readonly leaseUntil: string
  readonly limit: number
  readonly candidates: number
  readonly leftOut: readonly string[]
  /** The endpoint behind which the walk begins; both empty for the first one. */
  readonly merchant: string
  readonly endpoint: string
}

/** The endpoint at which the walk stopped; null if it reached the last one. */
interface LaneWalk {
  readonly is_long: boolean
  readonly last_merchant: string | null
  readonly last_endpoint: string | null
}

type Claimed = ClaimedJob & LaneWalk

/** A row for each claimed job, or one without a job. */
type ClaimRow = Claimed | (LaneWalk & { readonly [Column in keyof ClaimedJob]: null })

const isUnleased = (now: Placed) => sql`(j.lease_until is null or j.lease_until <= ${now}::timestamptz)`

// One descent of an index finds each endpoint that has jobs, and its due jobs are one range of the same index.
// The comparison of rows leaves the planner no other index.
const isDueIn = (
  lane: string,
  { from, now }: Record<'from' | 'now', Placed>,
) => sql`j.dead_at is null and ${isUnleased(now)}
  and (j.merchant_id, j.endpoint_id, j.due_at) >= (${sql.ref(`${lane}.merchant_id`)}, ${sql.ref(`${lane}.endpoint_id`)}, ${from}::timestamptz)
  and (j.merchant_id, j.endpoint_id, j.due_at) <= (${sql.ref(`${lane}.merchant_id`)}, ${sql.ref(`${lane}.endpoint_id`)}, ${now}::timestamptz)
  order by j.merchant_id, j.endpoint_id, j.due_at`

/**
 * The parts, in the order of their work. A lane is an endpoint of a merchant.
 *
 * - `heads`: the HEADS_MAX jobs that are due longest, free and not left out, among the OLDEST_MAX that are due longest. They
 *   name the lanes, unless either limit is reached: then `backlog` is long.
 * - `lanes`: in a long backlog, the next LANES_MAX lanes behind the last claim's, due or not.
 * - `walk`: where the next claim goes on.
 * - `open`: the lanes with a due job that is free, without those that are left out.
 * - `candidates`: an equal share of due jobs of each lane, in turns. Locks nothing.
 * - `due`: locks them by their keys, up to the limit, and skips those that others lock.
 * - `claimed`: takes the lease. They are returned in turns, too.
 */
const claimInTurn = statement((value: Placing<Values>) => {
  const now = value('now')
  const from = value('from')
  const times = { from, now }
  const isWanted = sql`(merchant_id || '/' || endpoint_id) <> all (${value('leftOut')}::text[])
    and merchant_id <> all (${value('leftOut')}::text[])`
  return sql<ClaimRow>`
    with recursive heads as materialized (
      select merchant_id, endpoint_id, n from (
        select merchant_id, endpoint_id, ${isUnleased(now)} and ${isWanted} as is_open, row_number() over () as n from (
          select merchant_id, endpoint_id, lease_until from delivery_jobs
          where dead_at is null and due_at >= ${from}::timestamptz and due_at <= ${now}::timestamptz
          order by due_at limit ${sql.lit(OLDEST_MAX)}) j) oldest
      where is_open or n = ${sql.lit(OLDEST_MAX)} limit ${sql.lit(HEADS_MAX)}
    ),
    backlog as materialized (
      select count(*) = ${sql.lit(HEADS_MAX)} or coalesce(max(n), 0) = ${sql.lit(OLDEST_MAX)} as is_long from heads),
    lanes as (
      (select 1 as n, merchant_id, endpoint_id, due_at from delivery_jobs
        where dead_at is null and (select is_long from backlog)
          and (merchant_id, endpoint_id) > (${value('merchant')}::text, ${value('endpoint')}::text)
        order by merchant_id, endpoint_id, due_at limit 1)
      union all
      select lanes.n + 1, next.* from lanes cross join lateral (
        select j.merchant_id, j.endpoint_id, j.due_at from delivery_jobs j
        where j.dead_at is null and (j.merchant_id, j.endpoint_id) > (lanes.merchant_id, lanes.endpoint_id)
        order by j.merchant_id, j.endpoint_id, j.due_at limit 1) next
      where lanes.n < ${sql.lit(LANES_MAX)}
    ),
    walk as materialized (
      select is_long, last.merchant_id as last_merchant, last.endpoint_id as last_endpoint
      from backlog left join (select merchant_id, endpoint_id from lanes where n = ${sql.lit(LANES_MAX)}) last on true
    ),
    open as materialized (
      select merchant_id, endpoint_id from (
        select merchant_id, endpoint_id from lanes where due_at <= ${now}::timestamptz
        union all
        select distinct merchant_id, endpoint_id from heads where not (select is_long from backlog)) waiting
      cross join lateral (select from delivery_jobs j where ${isDueIn('waiting', times)} limit 1) first
      where ${isWanted} and ${isNotMoving(sql`merchant_id`)}
    ),
    candidates as materialized (
      select j.delivery_id, j.due_at,
        row_number() over (partition by open.merchant_id, open.endpoint_id order by j.due_at) as turn
      from open cross join lateral (
        select j.delivery_id, j.due_at from delivery_jobs j where ${isDueIn('open', times)}
        limit greatest(1, ${value('candidates')}::integer / (select count(*) from open))) j
      order by turn, due_at
    ),
    -- Found by their keys: IS NULL and a join would also suit indexes of the whole queue (docs/decisions/0008).
    due as materialized (
      select due.delivery_id from candidates c cross join lateral (
        select j.delivery_id from delivery_jobs j
        where j.delivery_id = c.delivery_id and num_nonnulls(j.dead_at) = 0 and ${isUnleased(now)}
          and j.due_at <= ${now}::timestamptz
        for update skip locked) due
      limit ${value('limit')}
    ),
    claimed as (
      update delivery_jobs q set lease_until = ${value('leaseUntil')}::timestamptz
      where q.delivery_id = any (array(select delivery_id from due))
      returning q.delivery_id, q.merchant_id, q.event_id, q.endpoint_id, q.due_at
    )
    select walk.is_long, walk.last_merchant, walk.last_endpoint,
      claimed.delivery_id, claimed.merchant_id, claimed.event_id, claimed.endpoint_id
    from walk left join claimed on true
    order by row_number() over (partition by claimed.merchant_id, claimed.endpoint_id order by claimed.due_at),
      claimed.due_at`
})
