import { instant, type Placing, statement, type Writer } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsOf } from '../base/columns.ts'
import type { MerchantId } from '../base/ids.ts'
import type { RailCode } from '../rails/port.ts'
import { isNotMoving } from '../base/client-status.ts'
import { isUnreadable } from '../base/refused-statements.ts'
import { CLAIM_MAX, type ClaimOrder } from './claim.ts'
import {
  type ClaimedRails,
  dueRanges,
  floorsAt,
  isInRange,
  newFloors,
  type RangesJson,
  rangesTable,
} from './floors.ts'
import { readInHalves, type SetAside } from './read-in-halves.ts'

interface RailQueue<Id> {
  readonly jobs: 'charge_jobs' | 'refund_jobs' | 'return_jobs'
  readonly key: 'charge_id' | 'refund_id' | 'return_id'
  readonly idOf: (uuid: string) => Id
  readonly columns: readonly string[]
  /** Selects the ledger's row of `leased`, a leased job. */
  readonly ledger: RawBuilder<unknown>
}

export interface JobKey<Id> {
  readonly merchantId: MerchantId
  readonly id: Id
  readonly rail: RailCode
}

interface LeasedJob {
  readonly merchant_id: string
  readonly id: string
  readonly rail: string
}

interface Values {
  readonly ranges: RangesJson
  readonly now: string
  readonly leaseUntil: string
  readonly most: number
}

/**
 * Due jobs of a rail above which half of a claim goes to those that became due last. Otherwise a merchant's backlog
 * of some minutes would delay another merchant's payer who is deciding now.
 */
export const BACKLOG_MIN = 256

/**
 * Oldest first. If a rail has a backlog, half of the claim are the newest of its due jobs, in which merchants take turns.
 * Skips jobs that other workers hold. The rails and their first due times come from the floors. Each rail's jobs are one
 * range of the index that leads by rail, so that the backlog of a busy rail costs the others nothing. If PostgreSQL cannot
 * read a row of the ledger, jobs are leased without it first.
 */
export function claimsByRail<Row, Id>(queue: RailQueue<Id>): ClaimRows<Row, Id> {
  const claim = statement((value: Placing<Values>) => claimFrom<Row>(queue, value))
  const ids = sql`select leased.merchant_id, ${sql.ref(`leased.${queue.key}`)} as id`
  const lease = statement((value: Placing<Values>) =>
    claimFrom<LeasedJob>({ ...queue, columns: ['rail'], ledger: ids }, value),
  )
  return async (writer, order, rails, setAside = leaveLeased) => {
    const { nowMs, limit, leaseUntilMs, floors = newFloors() } = order
    const values = {
      ranges: dueRanges(await floorsAt(floors, writer, nowMs), queue.jobs, rails, nowMs),
      now: instant(nowMs),
      leaseUntil: instant(leaseUntilMs),
      most: Math.min(limit, CLAIM_MAX),
    }
    try {
      return await claim(writer, values)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      const rows = await readInHalves(
        await lease(writer, values),
        (some) => readLeased<Row>(writer, queue, some),
        (job, unreadable) => setAside(keyOf(queue, job), unreadable),
      )
      return rows.flat()
    }
  }
}

const leaveLeased = async () => {}

const keyOf = <Id>({ idOf }: RailQueue<Id>, { merchant_id, id, rail }: LeasedJob): JobKey<Id> => ({
  merchantId: merchant_id as MerchantId,
  id: idOf(id),
  rail: rail as RailCode,
})

/**
 * Claims due rows of the queue.
 *
 * @param setAside called for each leased job whose row of the ledger cannot be read. Default: it stays leased
 */
export type ClaimRows<Row, Id> = (
  writer: Writer,
  order: ClaimOrder,
  rails: ClaimedRails,
  setAside?: SetAside<JobKey<Id>>,
) => Promise<readonly Row[]>

async function readLeased<Row>(
  writer: Writer,
  { jobs, key, columns, ledger }: RailQueue<unknown>,
  leased: readonly LeasedJob[],
): Promise<readonly Row[]> {
  const id = sql.ref(key)
  const { rows } = await sql<Row>`
    select l.*, ${columnsOf('leased', columns)}
    from unnest(${leased.map((job) => job.merchant_id)}::text[], ${leased.map((job) => job.id)}::uuid[]) as t (merchant_id, id)
    cross join lateral (
      select j.merchant_id, j.${id}, ${columnsOf('j', columns)} from ${sql.table(jobs)} j
      where j.merchant_id = t.merchant_id and j.${id} = t.id limit 1) leased
    cross join lateral (${ledger}) l`.execute(writer)
  return rows
}

/**
 * The parts, in the order of their work. All but `rails` and `leased` are materialized, so that each runs once.
 *
 * - `rails`: the ranges of due times that are read.
 * - `free`: the oldest due jobs of each rail, `most` of them at most. Locks them, and skips those that others lock.
 * - `newest`: only if `free` is full. The newest BACKLOG_MIN due jobs of each rail that has as many, in turns of merchants.
 * - `fresh`: half of `most` of these. Locks them.
 * - `due`: `fresh`, and the oldest of `free`.
 * - `leased`: takes the lease. Jobs of `free` that are not `due` stay locked until the statement ends.
 */
function claimFrom<Row>(
  { jobs, key, columns, ledger }: RailQueue<unknown>,
  value: Placing<Values>,
): RawBuilder<Row> {
  const now = sql`${value('now')}::timestamptz`
  const [table, id] = [sql.table(jobs), sql.ref(key)]
  const most = value('most')
  const isUnleased = sql`(n.lease_until is null or n.lease_until <= ${now})`
  const half = sql`${most}::integer / 2`
  return sql<Row>`
    with rails as materialized (select rail, from_at, to_at from ${rangesTable(value('ranges'))}),
    free as materialized (
      select j.merchant_id, j.${id}, j.due_at from rails cross join lateral (
        select n.merchant_id, n.${id}, n.due_at from ${table} n
        where ${isInRange} and ${isUnleased} and ${isNotMoving(sql`n.merchant_id`)}
        order by n.rail, n.due_at limit ${most}
        for update skip locked) j
    ),
    newest as materialized (
      select w.merchant_id, w.${id}, w.due_at, w.turn from rails cross join lateral (
        select n.merchant_id, n.${id}, n.due_at, count(*) over () as jobs,
          row_number() over (partition by n.merchant_id order by n.due_at desc) as turn
        from (
          select n.merchant_id, n.${id}, n.due_at from ${table} n
          where ${isInRange} and ${isUnleased} and ${isNotMoving(sql`n.merchant_id`)}
          order by n.rail desc, n.due_at desc limit ${sql.lit(BACKLOG_MIN)}) n
        order by turn, n.due_at desc limit ${half}) w
      where (select count(*) from free) >= ${most}::integer and w.jobs = ${sql.lit(BACKLOG_MIN)}
    ),
    fresh as materialized (
      select n.merchant_id, n.${id} from newest cross join lateral (
        select n.merchant_id, n.${id} from ${table} n
        where n.merchant_id = newest.merchant_id and n.${id} = newest.${id} and n.due_at = newest.due_at and ${isUnleased}
        for update skip locked) n
      order by newest.turn, newest.due_at desc limit ${half}
    ),
    due as materialized (
      select merchant_id, ${id} from fresh
      union all
      (select merchant_id, ${id} from free where (merchant_id, ${id}) not in (select merchant_id, ${id} from fresh)
        order by due_at limit ${most}::integer - (select count(*) from fresh))
    ),
    leased as (
      update ${table} q set lease_until = ${value('leaseUntil')}::timestamptz
      from due where q.merchant_id = due.merchant_id and q.${id} = due.${id}
      returning q.merchant_id, q.${id}, ${columnsOf('q', columns)}
    )
    select l.*, ${columnsOf('leased', columns)} from leased cross join lateral (${ledger}) l`
}
