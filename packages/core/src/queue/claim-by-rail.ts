import { instant, type Placing, statement, type Writer } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { isNotMoving } from '../base/client-status.ts'
import { CLAIM_MAX, type ClaimOrder } from './claim.ts'

export interface RailQueue {
  readonly jobs: 'charge_jobs' | 'refund_jobs' | 'return_jobs'
  readonly key: 'charge_id' | 'refund_id' | 'return_id'
  readonly columns: readonly string[]
  /** Selects the ledger's row of `leased`, a leased job. */
  readonly ledger: RawBuilder<unknown>
}

interface Values {
  readonly now: string
  readonly leaseUntil: string
  readonly unknownBy: string
  readonly most: number
  readonly busy: readonly string[]
  readonly known: readonly string[]
}

/** Which rails a worker takes jobs of. */
export interface ClaimedRails {
  /** Rails that it can ask or instruct. */
  readonly known: readonly string[]
  /** Rails to leave out now. */
  readonly busy?: readonly string[]
}

/**
 * How long a due job of a rail that a worker does not know waits for one that does, while a configuration is rolled out.
 * Afterwards the job climbs its ladder, whose end alerts an operator.
 */
export const UNKNOWN_RAIL_WAIT_MS = 60_000

/** A part of a statement: the time until which a job of the rail `rails.rail` must have been due. */
export const dueByRail = (
  known: RawBuilder<unknown>,
  now: RawBuilder<unknown>,
  unknownBy: RawBuilder<unknown>,
) => sql`case when rails.rail = any (${known}::text[]) then ${now} else ${unknownBy}::timestamptz end`

/**
 * Oldest first. Skips jobs that other workers hold. Each rail's jobs are found by one descent of the index that
 * leads by rail, so that the backlog of a busy rail costs nothing.
 */
export function claimsByRail<Row>(queue: RailQueue): ClaimRows<Row> {
  const claim = statement((value: Placing<Values>) => claimFrom<Row>(queue, value))
  return (writer, { nowMs, limit, leaseUntilMs }, { known, busy = [] }) =>
    claim(writer, {
      now: instant(nowMs),
      leaseUntil: instant(leaseUntilMs),
      unknownBy: instant(nowMs - UNKNOWN_RAIL_WAIT_MS),
      most: Math.min(limit, CLAIM_MAX),
      busy,
      known,
    })
}

/** Claims due rows of the queue. */
export type ClaimRows<Row> = (
  writer: Writer,
  order: ClaimOrder,
  rails: ClaimedRails,
) => Promise<readonly Row[]>

function claimFrom<Row>({ jobs, key, columns, ledger }: RailQueue, value: Placing<Values>): RawBuilder<Row> {
  const now = sql`${value('now')}::timestamptz`
  const [table, id] = [sql.table(jobs), sql.ref(key)]
  const most = value('most')
  const columnsOf = (alias: string) => sql.join(columns.map((column) => sql.ref(`${alias}.${column}`)))
  return sql<Row>`
    with recursive ${railsOf(table)},
    free as materialized (
      select j.merchant_id, j.${id}, j.due_at from rails cross join lateral (
        select n.merchant_id, n.${id}, n.due_at from ${table} n
        where n.rail = rails.rail and n.rested_at is null
          and n.due_at <= ${dueByRail(sql`${value('known')}`, now, sql`${value('unknownBy')}`)}
          and (n.lease_until is null or n.lease_until <= ${now}) and ${isNotMoving(sql`n.merchant_id`)}
        order by n.rail, n.due_at limit ${most}
        for update skip locked) j
      where rails.rail is not null and rails.rail <> all (${value('busy')}::text[])
    ),
    due as materialized (select merchant_id, ${id} from free order by due_at limit ${most}),
    leased as (
      update ${table} q set lease_until = ${value('leaseUntil')}::timestamptz
      from due where q.merchant_id = due.merchant_id and q.${id} = due.${id}
      returning q.merchant_id, q.${id}, ${columnsOf('q')}
    )
    select l.*, ${columnsOf('leased')} from leased cross join lateral (${ledger}) l`
}

/** A recursive part of a statement: the rails with jobs, found by one descent of the index each. The last row is null. */
export const railsOf = (jobs: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    rails (rail) as (
      (select rail from ${jobs} where rested_at is null order by rail limit 1)
      union all
      select (select n.rail from ${jobs} n where n.rested_at is null and n.rail > rails.rail order by n.rail limit 1)
      from rails where rails.rail is not null
    )`
