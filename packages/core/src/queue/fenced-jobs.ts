import type { Writer } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsOf } from '../base/columns.ts'
import { isUnreadable } from '../base/refused-statements.ts'
import { readInHalves, type SetAside } from './read-in-halves.ts'

/** How long another process waits for one that died. Each step of a job renews its lease. */
const LEASE_SECONDS = 30
export const leasedAnew = sql`now() + make_interval(secs => ${sql.lit(LEASE_SECONDS)})`

/** Long jobs, of which a process takes some steps at a time. A claim raises the fence, so an earlier holder writes nothing. */
export interface FencedJobs<Job, Key extends string> {
  readonly table: 'bulk_jobs' | 'customer_erasures'
  readonly key: readonly Key[]
  readonly mayClaim: RawBuilder<unknown>
  /** Whether a row is the job, and no other process has claimed it since. */
  readonly isHeld: (job: Job) => RawBuilder<unknown>
}

type Fenced<Key extends string> = Readonly<Record<Key, string>> & { readonly fence: number }

/**
 * Leases due jobs, the longest waiting first. All times are the database's. If PostgreSQL cannot read one of them, the
 * keys are leased first.
 *
 * @param setAside called for each leased job that cannot be read. Default: it stays leased
 */
export async function claimFenced<Job, Key extends string, Row extends Readonly<Record<Key, unknown>>>(
  writer: Writer,
  jobs: FencedJobs<Job, Key>,
  columns: readonly (keyof Row & string)[],
  limit: number,
  setAside: SetAside<Fenced<Key>> = async () => {},
): Promise<Row[]> {
  try {
    return await lease<Row>(writer, jobs, columns, limit)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    const leased = await lease<Fenced<Key>>(writer, jobs, [...jobs.key, 'fence'], limit)
    const rows = await readInHalves(leased, (some) => readFenced<Row>(writer, jobs, columns, some), setAside)
    return rows.flat()
  }
}

async function readFenced<Row>(
  writer: Writer,
  { table, key }: FencedJobs<never, string>,
  columns: readonly string[],
  leased: readonly Fenced<string>[],
): Promise<readonly Row[]> {
  const keys = leased.map((job) => sql`(${sql.join(key.map((name) => job[name]))})`)
  const { rows } = await sql<Row>`
    select ${columnsOf('j', columns)} from ${sql.table(table)} j where (${columnsOf('j', key)}) in (${sql.join(keys)})`.execute(
    writer,
  )
  return rows
}

async function lease<Row>(
  writer: Writer,
  { table, key, mayClaim }: FencedJobs<never, string>,
  columns: readonly string[],
  limit: number,
): Promise<Row[]> {
  const keys = sql.join(key.map((name) => sql.ref(name)))
  const { rows } = await sql<Row>`
    with due as materialized (
      select ${keys} from ${sql.table(table)}
      where due_at <= now() and (lease_until is null or lease_until <= now()) and ${mayClaim}
      order by due_at limit ${limit} for update skip locked
    )
    update ${sql.table(table)} j set lease_until = ${leasedAnew}, fence = j.fence + 1
    from due where (${columnsOf('j', key)}) = (${columnsOf('due', key)})
    returning ${columnsOf('j', columns)}`.execute(writer)
  return rows
}

/** The job queues behind the others that wait. */
export async function releaseFenced<Job>(
  writer: Writer,
  { table, isHeld }: FencedJobs<Job, string>,
  job: Job,
): Promise<void> {
  await sql`update ${sql.table(table)} set lease_until = null, due_at = now() where ${isHeld(job)}`.execute(
    writer,
  )
}

/** The wait of a job that makes no progress begins at one second and doubles with each failure up to this. */
const REST_MAX_SECONDS = 3_600
/** More than the waits need, and far below what the column holds. */
const FAILURES_MAX = 100

/** @returns how many times in a row the job made no progress */
export async function postponeFenced<Job>(
  writer: Writer,
  { table, isHeld }: FencedJobs<Job, string>,
  job: Job,
): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
    update ${sql.table(table)} set lease_until = null, failures = least(failures + 1, ${sql.lit(FAILURES_MAX)}),
      due_at = now() + make_interval(secs => least(power(2, least(failures, 16)), ${sql.lit(REST_MAX_SECONDS)}))
    where ${isHeld(job)}
    returning failures`.execute(writer)
  return rows[0]?.failures ?? 0
}
