import { instant, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import { door } from '../door.ts'
import { REDACTED } from '../erasure/redact.ts'
import type { NewEvent } from '../events/event.ts'
import {
  changeKeys,
  claimKeys,
  keyColumns,
  type KeyEffect,
  keyFields,
  keyStands,
  lockKey,
  readyAndClaimed,
} from '../idempotency/effects.ts'
import { KEY_LIFE_MS, type KeyClaim } from '../idempotency/key.ts'
import { onExpired } from '../idempotency/store.ts'
import { uuidOf } from '../ids.ts'
import type { Refund, RefundChange } from './refund.ts'

export interface RefundOpening {
  readonly clientOpen: boolean
  /** The key's fencing number; null when nothing was written. */
  readonly fence: number | null
}

/**
 * The first commit of a refund, in one statement: locks the intent, claims the key in flight with a link to the refund,
 * and writes refund, reservation and event (spec 4.5.1). Each part depends on the one before it.
 *
 * Writes nothing unless the intent is paid and has this much left, or when the key is taken.
 *
 * @param reservedMinor what the intent's refunds must hold already, where the amount was reckoned from it
 */
export async function openRefund(
  writer: Writer,
  claim: KeyClaim,
  refund: Refund<'pending'>,
  event: NewEvent,
  { heldUntilMs, reservedMinor }: { heldUntilMs: number; reservedMinor: number | null },
): Promise<RefundOpening> {
  const customer = refund.customerId === null ? null : uuidOf(refund.customerId)
  const now = instant(refund.openedAtMs)
  const result = await sql<{ open: boolean; fence: number | null }>`
    with door as (${door(claim.merchantId)}),
    i as materialized (
      select p.merchant_id, p.id, p.amount, p.refund_reserved from payment_intents p, door
      where door.open and p.merchant_id = ${refund.merchantId} and p.id = ${uuidOf(refund.intentId)}::uuid
        and p.status = 'succeeded'
      for update of p
    ),
    eligible as materialized (
      select i.merchant_id, i.id from i ${customer === null ? sql`` : lockPayee(customer)}
      where refund_reserved + ${refund.amountMinor}::integer <= amount
        and coalesce(refund_reserved = ${reservedMinor}::integer, true)
    ),
    k as (
      insert into idempotency_keys as k
        (merchant_id, scope, key, fingerprint, resource_id, held_until, customer_id, expires_at)
      select merchant_id, ${claim.scope}, ${claim.key}, ${claim.fingerprint}, ${uuidOf(refund.id)}::uuid,
        ${instant(heldUntilMs)}::timestamptz, ${customer}::uuid,
        ${instant(refund.openedAtMs + KEY_LIFE_MS)}::timestamptz
      from eligible
      ${onExpired(refund.openedAtMs)}
      returning fence
    ),
    r as (
      insert into refunds
        (merchant_id, id, payment_intent_id, status, amount, currency, customer_id, reason, metadata, livemode,
         opened_at, rail, reference, instruction, destination_msisdn, submit_deadline, instruct_at, request_id)
      select e.merchant_id, ${uuidOf(refund.id)}::uuid, e.id, 'pending', ${refund.amountMinor}::integer,
        ${refund.currency}, ${customer}::uuid, ${refund.reason}, ${JSON.stringify(refund.metadata)}::jsonb,
        ${refund.livemode}::boolean, ${now}::timestamptz, ${refund.rail}, ${refund.reference},
        ${refund.instruction}, ${refund.destination}, ${instant(refund.submitDeadlineMs)}::timestamptz,
        ${at(refund.instructAtMs)}::timestamptz, ${claim.requestId}
      from eligible e, k
      returning merchant_id, payment_intent_id, amount
    ),
    reserved as (
      update payment_intents p set refund_reserved = p.refund_reserved + r.amount
      from r where p.merchant_id = r.merchant_id and p.id = r.payment_intent_id
    ),
    told as (
      insert into events (merchant_id, id, type, body, customer_id, fanout_due_at, request_id)
      select merchant_id, ${uuidOf(event.id)}::uuid, ${event.type}, ${event.body}, ${customer}::uuid,
        ${now}::timestamptz, ${claim.requestId}
      from r
    )
    select door.open, (select fence from k) as fence from door`.execute(writer)
  const row = result.rows[0]
  return { clientOpen: row?.open ?? false, fence: row?.fence ?? null }
}

// An erasure holds this row: whichever comes second sees the other, and no number is missed between them.
const lockPayee = (customer: string) => sql`
  cross join lateral (
    select 1 from customers c where c.merchant_id = i.merchant_id and c.id = ${customer}::uuid for key share) c`

/**
 * The one writer of a refund's status and of its instruction. A single statement: the change happens whole, with its
 * event, its reservation and its answer, or not at all because the refund or the key has changed since it was planned.
 *
 * Locks the intent, then the refund, then the key.
 *
 * @returns whether it was written
 */
export async function writeRefund(
  writer: Writer,
  change: RefundChange,
  key: KeyEffect | null,
  nowMs: number,
): Promise<boolean> {
  const row = record(change, key, nowMs)
  const holds = key !== null && key.kind !== 'claim'
  const claims = key !== null && key.kind === 'claim'
  const quotes = row.event_customer !== null && (row.rail_code !== null || row.rail_message !== null)
  const columns = sql.raw([refundColumns, ...(key === null ? [] : [keyColumns])].join(', '))
  const parts = [
    sql`
    ${claims ? sql`ready` : sql`ok`} as materialized (
      select t.*, r.request_id as refund_request, ${quotes ? sql`u.lives is null` : sql`false`} as erased
      from jsonb_to_record(${JSON.stringify(row)}::jsonb) as t (${columns})
      ${row.released > 0 ? lockIntent : sql``}
      cross join lateral (
        select r.merchant_id, r.request_id from refunds r
        where r.merchant_id = t.merchant_id and r.id = t.refund_id and r.revision = t.revision
          ${row.released > 0 ? sql`and r.payment_intent_id = i.id` : sql``}
        for update) r
      ${holds ? lockKey(sql`r.merchant_id`) : sql``}
      ${quotes ? lockPayer : sql``}
      where ${holds ? keyStands : sql`true`}
    )`,
    ...(claims ? [claimKeys(nowMs), readyAndClaimed] : []),
    changeRefund,
    ...(row.released > 0 ? [releaseReservation] : []),
    ...(holds ? [changeKeys] : []),
    ...(change.event === null ? [] : [writeEvent(key !== null, nowMs)]),
  ]
  const result = await sql`with ${sql.join(parts, sql`, `)} select 1 from ok`.execute(writer)
  return result.rows.length > 0
}

const refundColumns = `merchant_id text, refund_id uuid, intent_id uuid, revision integer, status text,
  failure_reason text, metadata jsonb, instruction text, keeps_destination boolean, submit_deadline timestamptz,
  instruct_at timestamptz, tries smallint, not_found_count smallint, rail_code text, rail_message text,
  released integer, event_id uuid, event_type text, event_body text, event_customer uuid`

const lockIntent = sql`
  cross join lateral (
    select p.id from payment_intents p
    where p.merchant_id = t.merchant_id and p.id = t.intent_id
    for update) i`

// Spec 3.2: raw decline text is a stored copy. An erasure holds this row: whichever comes second sees the other.
const lockPayer = sql`
  left join lateral (
    select true as lives from customers u
    where u.merchant_id = r.merchant_id and u.id = t.event_customer and u.erased_at is null
    for key share) u on true`

const unlessErased = (column: string) =>
  sql`case when ok.erased and ${sql.ref(`ok.${column}`)} is not null then ${REDACTED} else ${sql.ref(`ok.${column}`)} end`

const changeRefund = sql`
  changed as (
    update refunds r set
      status = ok.status, failure_reason = ok.failure_reason, metadata = ok.metadata,
      instruction = ok.instruction, submit_deadline = ok.submit_deadline,
      destination_msisdn = case when ok.keeps_destination then r.destination_msisdn end,
      instruct_at = ok.instruct_at, tries = ok.tries, not_found_count = ok.not_found_count,
      rail_code = ${unlessErased('rail_code')}, rail_message = ${unlessErased('rail_message')},
      lease_until = case when r.instruct_at is distinct from ok.instruct_at then null else r.lease_until end,
      revision = r.revision + 1
    from ok where r.merchant_id = ok.merchant_id and r.id = ok.refund_id
  )`

const releaseReservation = sql`
  released as (
    update payment_intents p set refund_reserved = p.refund_reserved - ok.released
    from ok where p.merchant_id = ok.merchant_id and p.id = ok.intent_id
  )`

/** An event is of its own request, or of the one that made the refund. */
const writeEvent = (hasKey: boolean, nowMs: number) => sql`
  told as (
    insert into events (merchant_id, id, type, body, customer_id, fanout_due_at, request_id)
    select merchant_id, event_id, event_type, event_body, event_customer, ${instant(nowMs)}::timestamptz,
      ${hasKey ? sql`coalesce(request_id, refund_request)` : sql`refund_request`}
    from ok
  )`

const at = (ms: number | null) => (ms === null ? null : instant(ms))

/** What a refund in this state holds of its intent. */
const reservedBy = ({ status, amountMinor }: Refund): number =>
  status === 'pending' || status === 'requires_action' ? amountMinor : 0

const record = ({ before, after, event }: RefundChange, key: KeyEffect | null, nowMs: number) => ({
  merchant_id: before.merchantId,
  refund_id: uuidOf(before.id),
  intent_id: uuidOf(before.intentId),
  revision: before.revision,
  status: after.status,
  failure_reason: after.failureReason,
  metadata: after.metadata,
  instruction: after.instruction,
  // Never written again: an erasure may have cleared it meanwhile.
  keeps_destination: after.destination !== null,
  submit_deadline: instant(after.submitDeadlineMs),
  instruct_at: at(after.instructAtMs),
  tries: after.tries,
  not_found_count: after.notFoundCount,
  rail_code: after.railCode,
  rail_message: after.railMessage,
  released: reservedBy(before) - reservedBy(after),
  event_customer: after.customerId === null ? null : uuidOf(after.customerId),
  ...(event === null ? {} : { event_id: uuidOf(event.id), event_type: event.type, event_body: event.body }),
  ...(key === null ? {} : keyFields(key, nowMs)),
})
