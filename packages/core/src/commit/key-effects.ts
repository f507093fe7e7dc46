/*
 * Parts of a statement that writes rows `t`, each with at most one effect on a key. `ready` holds the rows whose locks were
 * taken, and `ok` those that are written.
 */
import { sql } from 'kysely'
import type { Part } from '../base/columns.ts'
import { claimFields, claimKeys, claimRecord } from './claim-keys.ts'
import { type LockPolicy, skipping } from './lock-policy.ts'
import type { KeyClaim, NewAnswer } from './key.ts'

export type KeyEffect =
  | { readonly kind: 'claim'; readonly claim: KeyClaim; readonly answer: NewAnswer }
  | {
      readonly kind: 'finish'
      readonly claim: KeyClaim
      readonly fence: number
      readonly answer: NewAnswer
    }
  /** Spec 3.1.3: a 5xx releases the key. Its link to the charge or refund stays. */
  | { readonly kind: 'release'; readonly claim: KeyClaim; readonly fence: number }

export type HeldKeyEffect = Exclude<KeyEffect, { readonly kind: 'claim' }>

export const keyRecord = `key_effect text, fence integer, key_customer uuid, ${claimRecord}`

/** Locks the key of a row of `t` after the row's other locks, if the request still holds the key. */
export const lockKey = (merchantId: Part, ifLocked: LockPolicy): Part => sql`
  left join lateral (
    select true as locked from idempotency_keys k
    where k.merchant_id = ${merchantId} and k.scope = t.scope and k.key = t.key
      and t.key_effect in ('finish', 'release') and k.fence = t.fence and k.status is null
    for update${skipping(ifLocked)}) k on true`

export const keyStands = sql`(t.key_effect is null or t.key_effect = 'claim' or k.locked)`

/** Claims the keys that rows of `ready` ask for. `ok` holds the rows that got theirs, and those that need none. */
export const claimReady = (now: Part): Part[] => [
  sql`
  claimed as (${claimKeys({ from: sql`ready c where c.key_effect = 'claim'`, customer: sql`c.key_customer`, now })})`,
  sql`
  ok as materialized (
    select r.* from ready r
    where r.key_effect is distinct from 'claim'
      or (r.merchant_id, r.scope, r.key) in (select merchant_id, scope, key from claimed)
  )`,
]

export const changeKeys = sql`
  changed_keys as (
    update idempotency_keys k set
      status = ok.answer_status, should_retry = ok.answer_retry, body = ok.answer_body, held_until = null
    from ok where ok.key_effect in ('finish', 'release')
      and k.merchant_id = ok.merchant_id and k.scope = ok.scope and k.key = ok.key
  )`

export function keyFields(effect: KeyEffect, customer: string | null, nowMs: number) {
  const { claim } = effect
  switch (effect.kind) {
    case 'claim':
      return { key_effect: 'claim', key_customer: customer, ...claimFields(claim, effect.answer, nowMs) }
    case 'finish':
      return { key_effect: 'finish', fence: effect.fence, ...claimFields(claim, effect.answer, nowMs) }
    case 'release':
      return {
        key_effect: 'release',
        fence: effect.fence,
        scope: claim.scope,
        key: claim.key,
        request_id: claim.requestId,
      }
  }
}
