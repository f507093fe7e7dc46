import { instant } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import type { Part } from '../base/columns.ts'
import { KEY_LIFE_MS, type KeyClaim, type NewAnswer } from './key.ts'

const requestRecord = 'scope text, key text, fingerprint text, request_id text, key_expires_at timestamptz'

export const claimRecord = `${requestRecord}, answer_status smallint, answer_retry boolean, answer_body text`

export const holdRecord = `${requestRecord}, held_until timestamptz`

export const claimFields = (claim: KeyClaim, answer: NewAnswer, nowMs: number) => ({
  ...fieldsOf(claim, nowMs),
  answer_status: answer.status,
  answer_retry: answer.shouldRetry,
  answer_body: answer.body,
})

export const holdFields = (claim: KeyClaim, heldUntilMs: number, nowMs: number) => ({
  ...fieldsOf(claim, nowMs),
  held_until: instant(heldUntilMs),
})

const fieldsOf = (claim: KeyClaim, nowMs: number) => ({
  scope: claim.scope,
  key: claim.key,
  fingerprint: claim.fingerprint.toString('hex'),
  request_id: claim.requestId,
  key_expires_at: instant(nowMs + KEY_LIFE_MS),
})

interface Claims {
  /** Follows `from`: rows `c` with a merchant_id, and `claimRecord` or `holdRecord`. */
  readonly from: Part
  /** The customer whose identifiers the answer to a row `c` may hold. */
  readonly customer: Part
  /** The resource to which the key of a row `c` is linked before there is an answer. */
  readonly resource?: Part
  readonly now: Part
}

/**
 * Claims keys, each with its answer or in flight. Other parts run only for the rows that this part returns. If two
 * requests use one key, PostgreSQL lets one of them through.
 */
export const claimKeys = ({ from, customer, resource, now }: Claims): Part => sql`
  insert into idempotency_keys as k
    (merchant_id, scope, key, fingerprint, ${resource === undefined ? sql`status, should_retry, body` : sql`resource_id, held_until`},
     customer_id, expires_at)
  select c.merchant_id, c.scope, c.key, decode(c.fingerprint, 'hex'),
    ${resource === undefined ? sql`c.answer_status, c.answer_retry, c.answer_body` : sql`${resource}, c.held_until`},
    ${customer}, c.key_expires_at
  from ${from} order by c.merchant_id, c.scope, c.key
  ${onExpired(now)}
  returning k.merchant_id, k.scope, k.key, k.resource_id, k.fence, k.body`

/** A key past its 24 hours counts as absent: the insert takes over its row. */
const onExpired = (now: Part) => sql`
  on conflict (merchant_id, scope, key) do update set
    fingerprint = excluded.fingerprint, status = excluded.status, should_retry = excluded.should_retry,
    body = excluded.body, resource_id = excluded.resource_id, fence = k.fence + 1,
    held_until = excluded.held_until, customer_id = excluded.customer_id, expires_at = excluded.expires_at
  where k.expires_at <= ${now}::timestamptz`

interface OneClaim {
  /** The claim is made only if these parts of the select, `from` and `where`, give a row. */
  readonly from: Part
  readonly where?: Part
  /** The uuid of the customer whose identifiers the answer may hold. */
  readonly customer: string | null
  readonly nowMs: number
}

/** Claims the key and stores the answer. The body may use columns of `from`. */
export const claimKey = (
  claim: KeyClaim,
  { status, shouldRetry, body }: Omit<NewAnswer, 'body'> & { body: string | RawBuilder<string> },
  one: OneClaim,
): Part =>
  claimOne(
    claim,
    sql`${status}::smallint as answer_status, ${shouldRetry}::boolean as answer_retry, ${body}::text as answer_body`,
    one,
  )

export const holdKey = (
  claim: KeyClaim,
  { resource, untilMs }: { resource: string; untilMs: number },
  one: OneClaim,
): Part => claimOne(claim, sql`${instant(untilMs)}::timestamptz as held_until`, one, sql`${resource}::uuid`)

function claimOne(
  claim: KeyClaim,
  fields: Part,
  { from, where, customer, nowMs }: OneClaim,
  resource?: Part,
) {
  const { scope, key, fingerprint, key_expires_at: expiresAt } = fieldsOf(claim, nowMs)
  const row = sql`
    select ${claim.merchantId}::text as merchant_id, ${scope}::text as scope, ${key}::text as key,
      ${fingerprint}::text as fingerprint, ${expiresAt}::timestamptz as key_expires_at, ${fields}`
  return claimKeys({
    from: sql`${from}, lateral (${row}) c ${where === undefined ? sql`` : sql`where ${where}`}`,
    customer: sql`${customer}::uuid`,
    now: sql.val(instant(nowMs)),
    ...(resource === undefined ? {} : { resource }),
  })
}

/**
 * Takes a released key for the same request, which runs again. The fencing number lets one of several through. The
 * key's 24 hours begin again with the new resource. Rows `c` are as in `claimKeys`.
 */
export const retakeKeys = (
  released: Part,
  { from, customer, resource }: Required<Omit<Claims, 'now'>>,
): Part => sql`
  update idempotency_keys k set fence = k.fence + 1, resource_id = ${resource}, held_until = c.held_until,
    customer_id = ${customer}, expires_at = c.key_expires_at
  from ${from}
  where k.merchant_id = c.merchant_id and k.scope = c.scope and k.key = c.key
    and k.fence = ${released} and k.status is null
  returning k.merchant_id, k.scope, k.key, k.resource_id, k.fence, k.body`
