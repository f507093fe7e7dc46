import { instant, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import type { Raised } from '../base/raised.ts'
import { uuidOf } from '../base/ids.ts'
import { writeRaised } from '../commit/write-raised.ts'
import type { JobEffect } from '../payouts/payout.ts'
import { jobPart, lockJob, lockPayer, unlessErased } from '../payouts/store.ts'
import type { ReturnChange } from './charge-return.ts'
import { returnQueue } from './store.ts'

interface WriteOptions {
  readonly job: JobEffect
  /** Nothing is written if the job has another lease. */
  readonly leaseUntilMs: number
  readonly raised: readonly Raised[]
}

/**
 * The only writer of a return's instruction. Writes nothing if another process was first. Waits for no lock.
 *
 * @returns whether it was written
 */
export async function writeReturn(
  writer: Writer,
  { before, after }: ReturnChange,
  { job, leaseUntilMs, raised }: WriteOptions,
  nowMs: number,
): Promise<boolean> {
  const quotes = after.customerId !== null && (after.railCode !== null || after.railMessage !== null)
  const row = {
    merchant_id: before.merchantId,
    id: uuidOf(before.id),
    revision: before.revision,
    instruction: after.instruction,
    // Kept or cleared, but never written again: an erasure may have cleared it meanwhile.
    keeps_destination: after.destination !== null,
    submit_deadline: instant(after.submitDeadlineMs),
    refusal_code: after.refusal,
    failure_reason: after.failureReason,
    rail_code: after.railCode,
    rail_message: after.railMessage,
    payer: after.customerId === null ? null : uuidOf(after.customerId),
  }
  const parts = [
    sql`
    ok as materialized (
      select t.*, ${quotes ? sql`u.lives is null` : sql`false`} as erased, held.ruled
      from jsonb_to_record(${JSON.stringify(row)}::jsonb) as t (merchant_id text, id uuid, revision integer,
        instruction text, keeps_destination boolean, submit_deadline timestamptz, refusal_code text,
        failure_reason text, rail_code text, rail_message text, payer uuid)
      cross join lateral (
        select r.merchant_id from charge_returns r
        where r.merchant_id = t.merchant_id and r.id = t.id and r.revision = t.revision
        for update nowait) r
      ${lockJob(returnQueue, leaseUntilMs, job)}
      ${quotes ? lockPayer(sql`nowait`) : sql``}
    )`,
    sql`
    changed as (
      update charge_returns r set
        instruction = ok.instruction, submit_deadline = ok.submit_deadline, refusal_code = ok.refusal_code,
        destination_msisdn = case when ok.keeps_destination then r.destination_msisdn end,
        failure_reason = ok.failure_reason,
        rail_code = ${unlessErased('rail_code')}, rail_message = ${unlessErased('rail_message')},
        revision = r.revision + 1
      from ok where r.merchant_id = ok.merchant_id and r.id = ok.id
    )`,
    ...jobPart(returnQueue, job),
    ...writeRaised(raised, sql`select id from ok`, nowMs),
  ]
  const result = await sql`with ${sql.join(parts, sql`, `)} select 1 from ok`.execute(writer)
  return result.rows.length > 0
}
