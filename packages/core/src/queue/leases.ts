import { instant, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { LEASE_MS } from './claim.ts'
import type { Floors } from './floors.ts'
import { isOfStatement } from '../base/refused-statements.ts'

type Jobs = 'charge_jobs' | 'refund_jobs' | 'return_jobs' | 'delivery_jobs'

/** The ends of leases of claims whose answers were lost. Nobody works on the jobs that they hold. */
export type LostClaims = Set<number>

export interface Room {
  readonly limit: number
  readonly leftOut?: readonly string[]
  readonly floors?: Floors | undefined
  /** The caller passes the same set to every claim. */
  readonly lost: LostClaims
}

interface Claim<T> {
  readonly jobs: Jobs
  readonly lost: LostClaims
  readonly claim: (order: { readonly nowMs: number; readonly leaseUntilMs: number }) => Promise<T>
}

interface Leased<T> {
  readonly claimed: T
  readonly leaseUntilMs: number
}

/** First releases the jobs of earlier claims whose answers were lost. */
export async function claimLeased<T>(
  writer: Writer,
  clock: Clock,
  { jobs, lost, claim }: Claim<T>,
): Promise<Leased<T>> {
  if (lost.size > 0) await giveBack(writer, jobs, lost)
  const nowMs = clock()
  const leaseUntilMs = nowMs + LEASE_MS
  lost.add(leaseUntilMs)
  const claimed = await claim({ nowMs, leaseUntilMs })
  lost.delete(leaseUntilMs)
  return { claimed, leaseUntilMs }
}

/**
 * A claim is known by the millisecond of its lease. If another worker has claimed in the same one, its jobs run
 * twice, which every job tolerates. If the statement fails, the leases end by themselves.
 */
async function giveBack(writer: Writer, jobs: Jobs, lost: LostClaims): Promise<void> {
  const leases = [...lost].map((untilMs) => instant(untilMs))
  try {
    await sql`
      update ${sql.table(jobs)} set lease_until = null where lease_until = any (${leases}::timestamptz[])
    `.execute(writer)
  } catch (error) {
    if (!isOfStatement(error)) throw error
  }
  lost.clear()
}
