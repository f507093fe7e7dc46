import { instant } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { type HeldRows, skipping } from './held-rows.ts'
import { type Answer, KEY_LIFE_MS, type KeyClaim } from './key.ts'
import { onExpired } from './answers/store.ts'

/** What a change does to the Idempotency-Key of the request behind it. */
export type KeyEffect =
  | { readonly kind: 'claim'; readonly claim: KeyClaim; readonly answer: Omit<Answer, 'replayed'> }
  | {
      readonly kind: 'finish'
      readonly claim: KeyClaim
      readonly fence: number
      readonly answer: Omit<Answer, 'replayed'>
    }
  /** Spec 3.1.3: a 5xx lets the key go; its link to the charge or refund stays. */
  | { readonly kind: 'release'; readonly claim: KeyClaim; readonly fence: number }

/** Parts of a statement that writes rows `t`, each with at most one effect on a key; `ok` are those to write. */
type Part = RawBuilder<unknown>

export const keyColumns = `key_effect text, request_id text, scope text, key text, fingerprint text, fence integer,
  answer_status smallint, answer_retry boolean, answer_body text, key_expires_at timestamptz`

/** Of a row of `t` whose other rows are locked: its key, where the request still holds it. */
export const lockKey = (merchantId: Part, held: HeldRows): Part => sql`
  left join lateral (
    select true as locked from idempotency_keys k
    where k.merchant_id = ${merchantId} and k.scope = t.scope and k.key = t.key
      and t.key_effect in ('finish', 'release') and k.fence = t.fence and k.status is null
    for update${skipping(held)}) k on true`

/** Whether the key of a row of `t` lets it be written, beside `lockKey`. */
export const keyStands = sql`(t.key_effect is null or t.key_effect = 'claim' or k.locked)`

/** Of rows `ready`, which also have `event_customer`. */
export const claimKeys = (nowMs: number): Part => sql`
  claimed as (
    insert into idempotency_keys as k
      (merchant_id, scope, key, fingerprint, status, should_retry, body, customer_id, expires_at)
    select merchant_id, scope, key, decode(fingerprint, 'hex'), answer_status, answer_retry, answer_body,
      event_customer, key_expires_at
    from ready where key_effect = 'claim'
    ${onExpired(nowMs)}
    returning k.merchant_id, k.scope, k.key
  )`

export const readyAndClaimed = sql`
  ok as materialized (
    select r.* from ready r
    where r.key_effect is distinct from 'claim' or (r.merchant_id, r.scope, r.key) in (select * from claimed)
  )`

export const changeKeys = sql`
  changed_keys as (
    update idempotency_keys k set
      status = ok.answer_status, should_retry = ok.answer_retry, body = ok.answer_body, held_until = null
    from ok where ok.key_effect in ('finish', 'release')
      and k.merchant_id = ok.merchant_id and k.scope = ok.scope and k.key = ok.key
  )`

/** The values of `keyColumns`. */
export function keyFields(effect: KeyEffect, nowMs: number) {
  const { claim } = effect
  const key = { key_effect: effect.kind, request_id: claim.requestId, scope: claim.scope, key: claim.key }
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
