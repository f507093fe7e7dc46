import { instant, type Writer } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { clientStatus } from '../base/client-status.ts'
import type { Raised } from '../base/raised.ts'
import type { NewEvent } from '../commit/event.ts'
import { eventFields, eventRecord, recordEvent, selectEvents, writeEvents } from '../commit/write-events.ts'
import {
  changeKeys,
  claimReady,
  keyRecord,
  type KeyEffect,
  keyFields,
  keyStands,
  lockKey,
} from '../commit/key-effects.ts'
import { writeRaised } from '../commit/write-raised.ts'
import { holdKey } from '../commit/claim-keys.ts'
import type { KeyClaim } from '../commit/key.ts'
import { uuidOf } from '../base/ids.ts'
import type { JobEffect } from '../payouts/payout.ts'
import { jobPart, lockJob, lockPayer, unlessErased } from '../payouts/store.ts'
import type { Refund, RefundChange } from './refund.ts'
import { refundQueue } from './store.ts'

interface RefundOpening {
  readonly clientOpen: boolean
  readonly fence: number | null
}

interface Terms {
  /** Since when the number is known. Not earlier than an erasure of the customer, which clears what was known before. */
  readonly knownSinceMs: number
  readonly dueAtMs: number
  readonly heldUntilMs: number
  readonly reservedMinor: number | null
}

/**
 * The first commit of a refund, in one statement (spec 4.5.1). It writes nothing unless the client is open
 * (`client`), the intent is paid (`i`), has the amount left and the reservation as planned (`eligible`), and the key
 * is free (`k`). The customer must not have been erased since the refund's time, nor since its number was known: an
 * erasure clears only the numbers of refunds that are not later than itself.
 *
 * Locks the intent, then the customer, the key and the event counter: each part reads rows of the one before it.
 */
export async function openRefund(
  writer: Writer,
  claim: KeyClaim,
  refund: Refund<'pending'>,
  event: NewEvent,
  { knownSinceMs, dueAtMs, heldUntilMs, reservedMinor }: Terms,
): Promise<RefundOpening> {
  const customer = refund.customerId === null ? null : uuidOf(refund.customerId)
  const now = instant(refund.openedAtMs)
  const hold = { resource: uuidOf(refund.id), untilMs: heldUntilMs }
  const result = await sql<{ open: boolean; fence: number | null }>`
    with client as (${clientStatus(claim.merchantId)}),
    i as materialized (
      select p.merchant_id, p.id, p.amount, p.refund_reserved from payment_intents p, client
      where client.open and p.merchant_id = ${refund.merchantId} and p.id = ${uuidOf(refund.intentId)}::uuid
        and p.status = 'succeeded'
      for update of p
    ),
    eligible as materialized (
      select i.merchant_id, i.id from i ${customer === null ? sql`` : lockPayee(customer, instant(Math.min(knownSinceMs, refund.openedAtMs)))}
      where refund_reserved + ${refund.amountMinor}::integer <= amount
        and coalesce(refund_reserved = ${reservedMinor}::integer, true)
    ),
    k as (${holdKey(claim, hold, { from: sql`eligible`, customer, nowMs: refund.openedAtMs })}),
    r as (
      insert into refunds
        (merchant_id, id, payment_intent_id, status, amount, currency, customer_id, reason, metadata, livemode,
         opened_at, rail, reference, instruction, destination_msisdn, submit_deadline, request_id)
      select e.merchant_id, ${uuidOf(refund.id)}::uuid, e.id, 'pending', ${refund.amountMinor}::integer,
        ${refund.currency}, ${customer}::uuid, ${refund.reason}, ${JSON.stringify(refund.metadata)}::jsonb,
        ${refund.livemode}::boolean, ${now}::timestamptz, ${refund.rail}, ${refund.reference},
        ${refund.instruction}, ${refund.destination}, ${instant(refund.submitDeadlineMs)}::timestamptz,
        ${claim.requestId}
      from eligible e, k
      returning merchant_id, id, payment_intent_id, amount, rail
    ),
    job as (
      insert into refund_jobs (merchant_id, refund_id, rail, due_at)
      select merchant_id, id, rail, ${instant(dueAtMs)}::timestamptz from r
    ),
    reserved as (
      update payment_intents p set refund_reserved = p.refund_reserved + r.amount
      from r where p.merchant_id = r.merchant_id and p.id = r.payment_intent_id
      returning 1
    ),
    ${recordEvent(event, { ...claim, nowMs: refund.openedAtMs }, sql`r`, ['reserved'])}
    select client.open, (select fence from k) as fence from client`.execute(writer)
  const row = result.rows[0]
  return { clientOpen: row?.open ?? false, fence: row?.fence ?? null }
}

// An erasure locks the same row, so whichever of the two comes second sees the other, and no number is left over.
const lockPayee = (customer: string, since: string) => sql`
  cross join lateral (
    select 1 from customers c where c.merchant_id = i.merchant_id and c.id = ${customer}::uuid
      and (c.erased_at is null or c.erased_at < ${since}::timestamptz)
    for key share) c`

interface WriteOptions {
  readonly job: JobEffect
  /**
   * The lease of the worker's claim. Writes nothing if another claim holds the job, and fails at once if a row is
   * locked.
   */
  readonly leaseUntilMs?: number
  readonly raised?: readonly Raised[]
}

/**
 * The only writer of a refund's status and instruction. Writes nothing if the refund or the key has changed since it
 * was planned.
 *
 * Locks the intent if the change releases a reservation, then the refund, its job, the key, the customer and the
 * event counter. A key that the change claims is inserted after the customer.
 *
 * @returns whether it was written
 */
export async function writeRefund(
  writer: Writer,
  change: RefundChange,
  key: KeyEffect | null,
  { job, leaseUntilMs, raised = [] }: WriteOptions,
  nowMs: number,
): Promise<boolean> {
  const nowait = leaseUntilMs === undefined ? sql`` : sql`nowait`
  const row = record(change, key, nowMs)
  const holds = key !== null && key.kind !== 'claim'
  const claims = key !== null && key.kind === 'claim'
  const quotes = row.payer !== null && (row.rail_code !== null || row.rail_message !== null)
  const columns = sql.raw([refundRecord, eventRecord, ...(key === null ? [] : [keyRecord])].join(', '))
  const parts = [
    sql`
    ${claims ? sql`ready` : sql`ok`} as materialized (
      select t.*, r.request_id as refund_request, ${quotes ? sql`u.lives is null` : sql`false`} as erased,
        ${leaseUntilMs === undefined ? sql`false` : sql`held.ruled`} as ruled
      from jsonb_to_record(${JSON.stringify(row)}::jsonb) as t (${columns})
      ${row.released > 0 ? lockIntent(nowait) : sql``}
      cross join lateral (
        select r.merchant_id, r.request_id from refunds r
        where r.merchant_id = t.merchant_id and r.id = t.id and r.revision = t.revision
          ${row.released > 0 ? sql`and r.payment_intent_id = i.id` : sql``}
        for update ${nowait}) r
      ${leaseUntilMs === undefined ? sql`` : lockJob(refundQueue, leaseUntilMs, job)}
      ${holds ? lockKey(sql`r.merchant_id`, 'wait') : sql``}
      ${quotes ? lockPayer(nowait) : sql``}
      where ${holds ? keyStands : sql`true`}
    )`,
    ...(claims ? claimReady(sql.val(instant(nowMs))) : []),
    changeRefund,
    ...jobPart(refundQueue, job),
    ...(row.released > 0 ? [releaseReservation] : []),
    ...(holds ? [changeKeys] : []),
    ...writeRaised(raised, sql`select id from ok`, nowMs),
    ...(change.event === null ? [] : eventOf(key !== null)),
  ]
  const result = await sql`with ${sql.join(parts, sql`, `)} select 1 from ok`.execute(writer)
  return result.rows.length > 0
}

const refundRecord = `merchant_id text, id uuid, intent_id uuid, revision integer, status text,
  failure_reason text, metadata jsonb, instruction text, keeps_destination boolean, submit_deadline timestamptz,
  refusal_code text, rail_code text, rail_message text,
  released integer, payer uuid`

const lockIntent = (nowait: RawBuilder<unknown>) => sql`
  cross join lateral (
    select p.id from payment_intents p
    where p.merchant_id = t.merchant_id and p.id = t.intent_id
    for update ${nowait}) i`

const changeRefund = sql`
  changed as (
    update refunds r set
      status = ok.status, failure_reason = ok.failure_reason, metadata = ok.metadata,
      instruction = ok.instruction, submit_deadline = ok.submit_deadline,
      destination_msisdn = case when ok.keeps_destination then r.destination_msisdn end,
      refusal_code = ok.refusal_code, rail_code = ${unlessErased('rail_code')}, rail_message = ${unlessErased('rail_message')},
      revision = r.revision + 1
    from ok where r.merchant_id = ok.merchant_id and r.id = ok.id
  )`

const releaseReservation = sql`
  released as (
    update payment_intents p set refund_reserved = p.refund_reserved - ok.released
    from ok where p.merchant_id = ok.merchant_id and p.id = ok.intent_id
  )`

const eventOf = (hasKey: boolean) =>
  writeEvents({
    select: selectEvents(sql`ok`, hasKey ? sql`coalesce(request_id, refund_request)` : sql`refund_request`),
    single: true,
    after: [],
  })

const reservedBy = ({ status, amountMinor }: Refund): number =>
  status === 'pending' || status === 'requires_action' ? amountMinor : 0

function record({ before, after, event }: RefundChange, key: KeyEffect | null, nowMs: number) {
  const customer = after.customerId === null ? null : uuidOf(after.customerId)
  return {
    merchant_id: before.merchantId,
    id: uuidOf(before.id),
    intent_id: uuidOf(before.intentId),
    revision: before.revision,
    status: after.status,
    failure_reason: after.failureReason,
    metadata: after.metadata,
    instruction: after.instruction,
    // Kept or cleared, but never written again: an erasure may have cleared it meanwhile.
    keeps_destination: after.destination !== null,
    submit_deadline: instant(after.submitDeadlineMs),
    refusal_code: after.refusal,
    rail_code: after.railCode,
    rail_message: after.railMessage,
    released: reservedBy(before) - reservedBy(after),
    payer: customer,
    ...eventFields(event, nowMs),
    ...(key === null ? {} : keyFields(key, customer, nowMs)),
  }
}
