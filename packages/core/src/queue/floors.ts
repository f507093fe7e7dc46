import { instant, type Reader, statement, type Writer } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { MINUTE_MS } from '../base/clock.ts'
import { isNotMoving } from '../base/client-status.ts'
import { rowsJson } from '../base/rows-json.ts'

type RailJobs = 'charge_jobs' | 'refund_jobs' | 'return_jobs'

/** A reading walks all index entries of jobs that are gone, which PostgreSQL keeps while a transaction has an old snapshot. */
const READ_EVERY_MS = MINUTE_MS
/** More than statements take to commit the times that they write, and than the clocks of processes differ. */
const MARGIN_MS = MINUTE_MS
/**
 * How long a due job of a rail that a worker does not know waits for one that does, while a configuration is rolled out.
 * Afterwards the job climbs its ladder, whose end alerts an operator.
 */
export const UNKNOWN_RAIL_WAIT_MS = MINUTE_MS

/** The due times, in epoch milliseconds, before which a queue has no job for a worker. */
interface Reading {
  readonly rails: Readonly<Record<RailJobs, ReadonlyMap<string, number>>>
  /** The floor of a rail that had no jobs. */
  readonly newRail: number
  readonly fanouts: number
  readonly deliveries: number
  readonly erasures: number
}

/**
 * Where claims and looks begin to read the queues, in the process's memory. It is read again each minute: a job that comes
 * below it, such as one that an operator wakes, is found then.
 */
export interface Floors {
  /** The last reading that succeeded; without floors if the first one failed. Null before the first. */
  reading: Reading | null
  last: { readonly atMs: number; readonly done: Promise<void> } | null
}

export const newFloors = (): Floors => ({ reading: null, last: null })

/** Waits for the first reading alone. An older one serves as well, so a lock on one queue holds up no claim of another. */
export async function floorsAt(floors: Floors, on: Reader | Writer, nowMs: number): Promise<Reading> {
  // The database's clock can be set back.
  if (floors.last === null || Math.abs(nowMs - floors.last.atMs) >= READ_EVERY_MS) begin(floors, on, nowMs)
  if (floors.reading === null) await floors.last?.done
  return floors.reading ?? noFloors
}

/**
 * After a failure the older floors stay, or there are none until the next reading. The claims and the look of the same
 * queue meet its cause, too, and report it.
 */
function begin(floors: Floors, on: Reader | Writer, nowMs: number): void {
  const renew = async () => {
    const reading = await read(on, nowMs).catch(() => null)
    // A later reading may have ended before.
    if (floors.last === last) floors.reading = reading ?? floors.reading ?? noFloors
  }
  const last = { atMs: nowMs, done: renew() }
  floors.last = last
}

const noFloors: Reading = {
  rails: { charge_jobs: new Map(), refund_jobs: new Map(), return_jobs: new Map() },
  newRail: 0,
  fanouts: 0,
  deliveries: 0,
  erasures: 0,
}

async function read(on: Reader | Writer, nowMs: number): Promise<Reading> {
  const rows = await oldestJobs(on, {})
  const of = (jobs: string) => rows.filter((row) => row.jobs === jobs)
  // Some due times are PostgreSQL's.
  const latestMs = Math.min(nowMs, ...of(CLOCK).map(({ due_at: now }) => now ?? nowMs))
  const floorOf = ({ due_at: dueAtMs }: Oldest) => Math.min(dueAtMs ?? latestMs, latestMs) - MARGIN_MS
  const ofRails = (jobs: RailJobs) => new Map(of(jobs).map((row) => [row.rail ?? '', floorOf(row)]))
  const least = (jobs: string) => Math.min(...of(jobs).map(floorOf))
  return {
    rails: {
      charge_jobs: ofRails('charge_jobs'),
      refund_jobs: ofRails('refund_jobs'),
      return_jobs: ofRails('return_jobs'),
    },
    newRail: latestMs - MARGIN_MS,
    fanouts: least('fanout_jobs'),
    deliveries: least('delivery_jobs'),
    erasures: least('customer_erasures'),
  }
}

interface Oldest {
  readonly jobs: string
  readonly rail: string | null
  readonly due_at: number | null
}

const CLOCK = 'clock'

/** Leased jobs count, because their leases can end. */
const oldestJobs = statement(
  () => sql<Oldest>`
    ${oldestOfRails('charge_jobs')} union all ${oldestOfRails('refund_jobs')} union all ${oldestOfRails('return_jobs')}
    union all select 'fanout_jobs', null, (
      select n.due_at from fanout_jobs n
      where n.fanout_state = 'pending' and ${isNotMoving(sql`n.merchant_id`)} order by n.due_at limit 1)
    union all select 'delivery_jobs', null, (
      select n.due_at from delivery_jobs n
      where n.dead_at is null and ${isNotMoving(sql`n.merchant_id`)} order by n.due_at limit 1)
    union all select 'customer_erasures', null, (
      select n.due_at from customer_erasures n
      where ${isNotMoving(sql`n.merchant_id`)} order by n.due_at limit 1)
    union all select ${sql.lit(CLOCK)}, null, now()`,
)

const oldestOfRails = (jobs: RailJobs) => sql`(
    with recursive ${railsOf(sql.table(jobs))}
    select ${sql.lit(jobs)} as jobs, rails.rail, (
      select n.due_at from ${sql.table(jobs)} n
      where n.rail = rails.rail and n.rested_at is null and ${isNotMoving(sql`n.merchant_id`)}
      order by n.rail, n.due_at limit 1) as due_at
    from rails where rails.rail is not null)`

/**
 * A recursive part of a statement: the rails of a table's rows, found by one descent of the index each. The last row is
 * null.
 *
 * @param where which rows `n` count: by default the jobs that do not rest
 */
export function railsOf(table: RawBuilder<unknown>, where = sql`n.rested_at is null`): RawBuilder<unknown> {
  return sql`
    rails (rail) as (
      (select n.rail from ${table} n where ${where} order by n.rail limit 1)
      union all
      select (select n.rail from ${table} n where ${where} and n.rail > rails.rail order by n.rail limit 1)
      from rails where rails.rail is not null
    )`
}

export interface ClaimedRails {
  readonly known: readonly string[]
  readonly leftOut?: readonly string[]
}

/** The rails whose jobs a worker may claim, and the first and the last due time of each. */
export type RangesJson = string

export const dueRanges = (
  reading: Reading,
  jobs: RailJobs,
  { known, leftOut = [] }: ClaimedRails,
  nowMs: number,
): RangesJson => {
  const floors = reading.rails[jobs]
  const rails = [...new Set([...known, ...floors.keys()])].filter((rail) => !leftOut.includes(rail))
  return rowsJson(
    rails.map((rail) => ({
      rail,
      from_at: instant(floors.get(rail) ?? reading.newRail),
      to_at: instant(known.includes(rail) ? nowMs : nowMs - UNKNOWN_RAIL_WAIT_MS),
    })),
  )
}

/** The ranges as a table `rails`, in a statement. */
export const rangesTable = (ranges: RawBuilder<RangesJson>) =>
  sql`json_to_recordset(${ranges}::json) as rails (rail text, from_at timestamptz, to_at timestamptz)`

/** Whether a job `n` is in the range of its rail, and does not rest. */
export const isInRange = sql`n.rail = rails.rail and n.rested_at is null
          and n.due_at >= rails.from_at and n.due_at <= rails.to_at`
