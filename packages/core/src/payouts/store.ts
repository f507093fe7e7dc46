import { instant, type PayoutRuling, type Reader, type Writer } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsOf } from '../base/columns.ts'
import type { FailureAlerts, Raised } from '../base/raised.ts'
import { REDACTED } from '../base/redact.ts'
import { uuidOf } from '../base/ids.ts'
import { andRaised, writeSkipped } from '../commit/write-raised.ts'
import { claimsByRail, type ClaimRows } from '../queue/claim-by-rail.ts'
import type { Again, Check, Due, End, JobEffect, Payout } from './payout.ts'

export interface JobQueue {
  readonly jobs: 'refund_jobs' | 'return_jobs'
  readonly id: 'refund_id' | 'return_id'
  readonly idOf: (uuid: string) => Payout['id']
  readonly ledger: 'refunds' | 'charge_returns'
  readonly columns: readonly string[]
}

interface JobRow {
  readonly tries: number
  readonly not_found_count: number
  readonly lease_until: number
  readonly ruling: PayoutRuling | null
}

export const claimsOf = <Row>({
  jobs,
  id,
  idOf,
  ledger,
  columns,
}: JobQueue): ClaimRows<Row & JobRow, Payout['id']> =>
  claimsByRail<Row & JobRow, Payout['id']>({
    jobs,
    key: id,
    idOf,
    columns: ['tries', 'not_found_count', 'lease_until', 'ruling'],
    ledger: sql`
      select ${columnsOf('l', columns)} from ${sql.table(ledger)} l
      where l.merchant_id = leased.merchant_id and l.id = ${sql.ref(`leased.${id}`)} limit 1`,
  })

export const dueOf = <P extends Payout>(
  payout: P,
  row: JobRow & { readonly request_id: string | null },
): Due<P> => ({
  rail: payout.rail,
  payout,
  requestId: row.request_id,
  job: {
    checks: row.tries,
    notFoundCount: row.not_found_count,
    leaseUntilMs: row.lease_until,
    ruling: row.ruling,
  },
})

export function jobPart({ jobs, id }: JobQueue, effect: JobEffect): RawBuilder<unknown>[] {
  const isOfIt = sql`j.merchant_id = ok.merchant_id and ${sql.ref(`j.${id}`)} = ok.id`
  const table = sql.table(jobs)
  switch (effect.kind) {
    case 'keep':
      return []
    case 'end':
      if (effect.endsRuling === true) return [sql`job as (delete from ${table} j using ok where ${isOfIt})`]
      return [
        sql`job as (delete from ${table} j using ok where ${isOfIt} ${unlessRuled(effect)})`,
        sql`ruled_job as (update ${table} j set lease_until = null from ok where ok.ruled and ${isOfIt})`,
      ]
    case 'restart':
      return [sql`job as (update ${table} j set not_found_count = 0 from ok where ${isOfIt})`]
    case 'again':
    case 'check':
      return [sql`job as (update ${table} j set ${setDue(effect)} from ok where ${isOfIt})`]
  }
}

/** A ruling that was committed after the statement began counts too: PostgreSQL looks at the locked row again. */
const unlessRuled = ({ endsRuling }: End) => (endsRuling === true ? sql`` : sql`and j.ruling is null`)

const setDue = (effect: Again | Check) =>
  effect.kind === 'check' ? setCheck(effect) : setAgain(effect.dueAtMs)

/** Keeps the time of a job with a ruling, which made it due at once. */
const setAgain = (dueAtMs: number) => sql`
  lease_until = null, due_at = case when j.ruling is null then ${instant(dueAtMs)}::timestamptz else j.due_at end`

const setCheck = ({ dueAtMs, checks, notFoundCount, endsRuling }: Check) => sql`
  due_at = case when j.ruling is null or ${endsRuling === true} then ${instant(dueAtMs)}::timestamptz else j.due_at end,
  ruling = case when not ${endsRuling === true} then j.ruling end, tries = ${checks}::smallint, not_found_count = ${notFoundCount}::smallint,
  failures = 0, lease_until = null`

/**
 * Writes nothing if this worker has lost the lease. A send also requires that no operator has ruled since the claim.
 */
export const lockJob = ({ jobs, id }: JobQueue, leaseUntilMs: number, effect: JobEffect) => sql`
  cross join lateral (
    select j.ruling is not null as ruled from ${sql.table(jobs)} j
    where j.merchant_id = t.merchant_id and ${sql.ref(`j.${id}`)} = t.id
      and j.lease_until = ${instant(leaseUntilMs)}::timestamptz
      ${effect.kind === 'restart' ? sql`and j.ruling is null` : sql``}
    for update nowait) held`

/**
 * Spec 3.2 counts the rail's raw text as a stored copy. An erasure locks the same row, so whichever of the two
 * comes second sees the other.
 */
export const lockPayer = (nowait: RawBuilder<unknown>) => sql`
  left join lateral (
    select true as lives from customers u
    where u.merchant_id = t.merchant_id and u.id = t.payer and u.erased_at is null
    for key share ${nowait}) u on true`

export const unlessErased = (column: 'rail_code' | 'rail_message') =>
  sql`case when ok.erased and ${sql.ref(`ok.${column}`)} is not null then ${REDACTED} else ${sql.ref(`ok.${column}`)} end`

export async function findErasedOf(
  reader: Reader,
  { ledger }: JobQueue,
  payouts: readonly Payout[],
): Promise<string[]> {
  const erased = sql<{ id: string }>`(
    select l.id from unnest(${payouts.map(({ merchantId }) => merchantId)}::text[],
      ${payouts.map(({ id }) => uuidOf(id))}::uuid[]) as t (merchant_id, id)
    join ${sql.table(ledger)} l on l.merchant_id = t.merchant_id and l.id = t.id
    join customers c on c.merchant_id = l.merchant_id and c.id = l.customer_id
    where c.erased_at >= l.opened_at)`
  const rows = await reader
    .selectFrom(erased.as<'e'>(sql.ref('e')))
    .select('e.id')
    .execute()
  return rows.map(({ id }) => id)
}

interface Held {
  readonly payout: Pick<Payout, 'merchantId' | 'id'>
  readonly leaseUntilMs: number | null
}

const isHeld = ({ id }: JobQueue, { payout, leaseUntilMs }: Held) => sql`
  j.merchant_id = ${payout.merchantId} and ${sql.ref(`j.${id}`)} = ${uuidOf(payout.id)}::uuid
  and j.lease_until is not distinct from ${leaseUntilMs === null ? null : instant(leaseUntilMs)}::timestamptz`

interface WithAlerts {
  readonly raised: readonly Raised[]
  readonly nowMs: number
}

export async function scheduleCheck(
  writer: Writer,
  queue: JobQueue,
  held: Held,
  check: Again | Check,
  alerts: WithAlerts,
): Promise<void> {
  await changeJob(writer, queue, held, sql`update ${sql.table(queue.jobs)} j set ${setDue(check)}`, alerts)
}

/** If an operator has ruled meanwhile, gives the job back, so that the next check applies the ruling. */
export async function endJob(
  writer: Writer,
  queue: JobQueue,
  held: Held,
  effect: End,
  alerts: WithAlerts,
): Promise<void> {
  const change = sql`delete from ${sql.table(queue.jobs)} j`
  const isEnded = await changeJob(writer, queue, held, change, alerts, unlessRuled(effect))
  if (!isEnded && effect.endsRuling !== true) await giveBackJob(writer, queue, held, alerts.nowMs)
}

/**
 * If another process has the job, only what the rail said is written.
 *
 * @returns whether the job was changed
 */
async function changeJob(
  writer: Writer,
  queue: JobQueue,
  held: Held,
  change: RawBuilder<unknown>,
  { raised, nowMs }: WithAlerts,
  and = sql``,
): Promise<boolean> {
  const changed = sql`${change} where ${isHeld(queue, held)} ${and} returning ${sql.ref(`j.${queue.id}`)} as id`
  const withAlerts = sql`
    with changed as (${changed})${andRaised(raised, sql`select id from changed`, nowMs)} select 1 from changed`
  const { rows } = await (raised.length === 0 ? changed : withAlerts).execute(writer)
  if (rows.length === 0) await writeSkipped(writer, raised, nowMs)
  return rows.length > 0
}

const CHANGED_RETRY_MS = 2_000
/** Delay of a job whose rows are locked. It does not count as a failure. */
const HELD_RETRY_MS = 5_000
/** Delay after the first failure. It doubles with each further one, and after the last one the job rests. */
const FAILURE_BACKOFF_MS = 5_000
export const FAILURES_MAX = 8

export async function postponeJob(writer: Writer, queue: JobQueue, held: Held, nowMs: number): Promise<void> {
  await sql`update ${sql.table(queue.jobs)} j set due_at = ${instant(nowMs + HELD_RETRY_MS)}::timestamptz,
      lease_until = null where ${isHeld(queue, held)}`.execute(writer)
}

export async function giveBackJob(writer: Writer, queue: JobQueue, held: Held, nowMs: number): Promise<void> {
  await sql`update ${sql.table(queue.jobs)} j set ${setAgain(nowMs + CHANGED_RETRY_MS)}
    where ${isHeld(queue, held)}`.execute(writer)
}

/** @returns whether the job rests from now on */
export async function failJob(
  writer: Writer,
  queue: JobQueue,
  held: Held,
  nowMs: number,
  { raised, ifRests }: FailureAlerts,
): Promise<boolean> {
  const { rows } = await sql<{ rests: boolean }>`
    with failed as (
      update ${sql.table(queue.jobs)} j set failures = j.failures + 1, lease_until = null,
        due_at = ${instant(nowMs)}::timestamptz
          + make_interval(secs => ${FAILURE_BACKOFF_MS / 1_000} * power(2, j.failures)),
        rested_at = case when j.failures + 1 >= ${FAILURES_MAX} then ${instant(nowMs)}::timestamptz end
      where ${isHeld(queue, held)}
      returning ${sql.ref(`j.${queue.id}`)} as id, j.rested_at is not null as rests
    )${andRaised(raised, sql`select id from failed`, nowMs)}
    ${andRaised([ifRests], sql`select id from failed where rests`, nowMs, 'raised_by_rest')}
    select rests from failed`.execute(writer)
  const [failed] = rows
  if (failed === undefined) await writeSkipped(writer, raised, nowMs)
  return failed?.rests ?? false
}
