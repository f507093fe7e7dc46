import { instant, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import type { ChargeChange } from './charges/charge.ts'
import { type Answer, KEY_LIFE_MS, type KeyClaim } from './idempotency/key.ts'
import { uuidOf } from './ids.ts'
import type { Intent, IntentChange } from './payment-intents/intent.ts'

/** What a transition does to the Idempotency-Key of the request behind it. */
export type KeyEffect =
  | { readonly kind: 'claim'; readonly claim: KeyClaim; readonly answer: Omit<Answer, 'replayed'> }
  | {
      readonly kind: 'finish'
      readonly claim: KeyClaim
      readonly fence: number
      readonly answer: Omit<Answer, 'replayed'>
    }
  /** Spec 3.1.3: a 5xx lets the key go; its link to the charge stays. */
  | { readonly kind: 'release'; readonly claim: KeyClaim; readonly fence: number }

/** One move of an intent and of at most one of its charges, with the event, and the answer to the request. */
export interface Transition {
  /** A change, or the intent as it was read when only its charge moves: its revision guards both. */
  readonly intent: IntentChange | Intent
  readonly charge: ChargeChange | null
  readonly key: KeyEffect | null
}

/** Transitions of one statement. No two may name one intent. */
export const TRANSITIONS_MAX = 200

/**
 * The one writer of every intent's and charge's status. A single statement, hence a transaction of its own: each
 * transition happens whole, with its event and answer, or not at all because its intent, charge or key has changed
 * since it was planned.
 *
 * Locks intents in key order, then charges, then keys.
 *
 * @returns for each transition, in order, whether it was written
 */
export async function writeTransitions(
  writer: Writer,
  transitions: readonly Transition[],
  nowMs: number,
): Promise<boolean[]> {
  if (transitions.length > TRANSITIONS_MAX) throw new RangeError('too many transitions in one statement')
  const intents = new Set(transitions.map(({ intent }) => ('before' in intent ? intent.before : intent).id))
  if (intents.size < transitions.length)
    throw new RangeError('two transitions of one intent in one statement')
  const batch = JSON.stringify(transitions.map((transition, n) => record(transition, n, nowMs)))
  const result = await sql<{ n: number }>`
    with t as materialized (
      select * from jsonb_to_recordset(${batch}::jsonb) as t (
        n integer, merchant_id text, intent_id uuid, intent_revision integer,
        status text, error_code text, error_decline_code text, error_message text, error_rail text,
        redirect_url text, return_url text, canceled_at timestamptz, cancellation_reason text,
        charge_id uuid, charge_revision integer, charge_status text, rail_token text, callback_secret text,
        rail_txn_id text, rail_code text, rail_message text, acknowledged_at timestamptz, settled_at timestamptz,
        next_query_at timestamptz, query_rung smallint, last_query_at timestamptz,
        event_id uuid, event_type text, event_body text, event_customer uuid, now timestamptz,
        key_effect text, scope text, key text, fingerprint text, fence integer, answer_status smallint,
        answer_retry boolean, answer_body text, key_expires_at timestamptz)
    ),
    locked_intents as materialized (
      select t.n from t join payment_intents p on p.merchant_id = t.merchant_id and p.id = t.intent_id
      where p.revision = t.intent_revision
      order by p.merchant_id, p.id
      for update of p
    ),
    locked_charges as materialized (
      select t.n from t join locked_intents using (n)
        join charges c on c.merchant_id = t.merchant_id and c.id = t.charge_id
      where c.revision = t.charge_revision
      for update of c
    ),
    held_keys as materialized (
      select t.n from t join locked_intents using (n)
        join idempotency_keys k on k.merchant_id = t.merchant_id and k.scope = t.scope and k.key = t.key
      where t.key_effect in ('finish', 'release') and k.fence = t.fence and k.status is null
      for update of k
    ),
    ready as materialized (
      select t.* from t join locked_intents using (n)
      where (t.charge_id is null or t.n in (select n from locked_charges))
        and (t.key_effect is null or t.key_effect = 'claim' or t.n in (select n from held_keys))
    ),
    claimed as (
      insert into idempotency_keys as k
        (merchant_id, scope, key, fingerprint, status, should_retry, body, customer_id, expires_at)
      select merchant_id, scope, key, decode(fingerprint, 'hex'), answer_status, answer_retry, answer_body,
        event_customer, key_expires_at
      from ready where key_effect = 'claim'
      on conflict (merchant_id, scope, key) do update set
        fingerprint = excluded.fingerprint, status = excluded.status, should_retry = excluded.should_retry,
        body = excluded.body, resource_id = null, fence = k.fence + 1, held_until = null,
        customer_id = excluded.customer_id, expires_at = excluded.expires_at
      where k.expires_at <= ${instant(nowMs)}::timestamptz
      returning k.merchant_id, k.scope, k.key
    ),
    ok as materialized (
      select r.* from ready r
      where r.key_effect is distinct from 'claim' or (r.merchant_id, r.scope, r.key) in (select * from claimed)
    ),
    changed_charges as (
      update charges c set
        status = ok.charge_status, rail_token = ok.rail_token, callback_secret = ok.callback_secret,
        rail_txn_id = ok.rail_txn_id, rail_code = ok.rail_code, rail_message = ok.rail_message,
        acknowledged_at = ok.acknowledged_at, settled_at = ok.settled_at, next_query_at = ok.next_query_at,
        query_rung = ok.query_rung, last_query_at = ok.last_query_at, lease_until = null, revision = c.revision + 1
      from ok where ok.charge_id is not null and c.merchant_id = ok.merchant_id and c.id = ok.charge_id
    ),
    changed_intents as (
      update payment_intents p set
        status = ok.status, error_code = ok.error_code, error_decline_code = ok.error_decline_code,
        error_message = ok.error_message, error_rail = ok.error_rail, redirect_url = ok.redirect_url,
        return_url = ok.return_url, canceled_at = ok.canceled_at, cancellation_reason = ok.cancellation_reason,
        revision = p.revision + 1
      from ok where ok.status is not null and p.merchant_id = ok.merchant_id and p.id = ok.intent_id
    ),
    changed_keys as (
      update idempotency_keys k set
        status = ok.answer_status, should_retry = ok.answer_retry, body = ok.answer_body, held_until = null
      from ok where ok.key_effect in ('finish', 'release')
        and k.merchant_id = ok.merchant_id and k.scope = ok.scope and k.key = ok.key
    ),
    written_events as (
      insert into events (merchant_id, id, type, body, customer_id, fanout_due_at)
      select merchant_id, event_id, event_type, event_body, event_customer, now from ok where event_id is not null
    )
    select n from ok`.execute(writer)
  const written = new Set(result.rows.map(({ n }) => n))
  return transitions.map((_, n) => written.has(n))
}

const at = (ms: number | null) => (ms === null ? null : instant(ms))

function record({ intent, charge, key }: Transition, n: number, nowMs: number) {
  const before = 'before' in intent ? intent.before : intent
  return {
    n,
    merchant_id: before.merchantId,
    intent_id: uuidOf(before.id),
    intent_revision: before.revision,
    ...('before' in intent ? intentFields(intent, nowMs) : {}),
    ...(charge === null ? {} : chargeFields(charge)),
    ...(key === null ? {} : keyFields(key, nowMs)),
  }
}

function intentFields({ after, event }: IntentChange, nowMs: number) {
  return {
    status: after.status,
    error_code: after.lastPaymentError?.code ?? null,
    error_decline_code: after.lastPaymentError?.declineCode ?? null,
    error_message: after.lastPaymentError?.message ?? null,
    error_rail: after.lastPaymentError?.rail ?? null,
    redirect_url: after.redirectUrl,
    return_url: after.returnUrl,
    canceled_at: at(after.canceledAtMs),
    cancellation_reason: after.cancellationReason,
    event_customer: after.customerId === null ? null : uuidOf(after.customerId),
    ...(event === null
      ? {}
      : { event_id: uuidOf(event.id), event_type: event.type, event_body: event.body, now: instant(nowMs) }),
  }
}

function chargeFields({ before, after }: ChargeChange) {
  return {
    charge_id: uuidOf(before.id),
    charge_revision: before.revision,
    charge_status: after.status,
    rail_token: after.railToken,
    callback_secret: after.callbackSecret,
    rail_txn_id: after.railTxnId,
    rail_code: after.railCode,
    rail_message: after.railMessage,
    acknowledged_at: at(after.acknowledgedAtMs),
    settled_at: at(after.settledAtMs),
    next_query_at: at(after.nextQueryAtMs),
    query_rung: after.queryRung,
    last_query_at: at(after.lastQueryAtMs),
  }
}

function keyFields(effect: KeyEffect, nowMs: number) {
  const { claim } = effect
  const key = { key_effect: effect.kind, scope: claim.scope, key: claim.key }
  const fence = effect.kind === 'claim' ? {} : { fence: effect.fence }
  if (effect.kind === 'release') return { ...key, ...fence }
  const { status, shouldRetry, body } = effect.answer
  return {
    ...key,
    ...fence,
    fingerprint: claim.fingerprint.toString('hex'),
    answer_status: status,
    answer_retry: shouldRetry,
    answer_body: body,
    key_expires_at: instant(nowMs + KEY_LIFE_MS),
  }
}
