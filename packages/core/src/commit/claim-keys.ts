import { instant } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { KEY_LIFE_MS, type KeyClaim, type NewAnswer } from './key.ts'

type Part = RawBuilder<unknown>

const requestColumns = 'scope text, key text, fingerprint text, request_id text, key_expires_at timestamptz'

/** A claim as a statement reads it from its JSON parameter, with the answer that the key stores. */
export const claimColumns = `${requestColumns}, answer_status smallint, answer_retry boolean, answer_body text`

/** The claim of a key that its request holds while a rail is called. */
export const holdColumns = `${requestColumns}, held_until timestamptz`

/** The values of `claimColumns`. */
export const claimFields = (claim: KeyClaim, answer: NewAnswer, nowMs: number) => ({
  ...fieldsOf(claim, nowMs),
  answer_status: answer.status,
  answer_retry: answer.shouldRetry,
  answer_body: answer.body,
})

/** The values of `holdColumns`. */
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
  /** What follows `from`: rows `c` with a merchant_id, and `claimColumns` or `holdColumns`. */
  readonly from: Part
  /** Of a row `c`: the customer whose identifiers the answer may hold. */
  readonly customer: Part
  /** Of a row `c`: what the request makes and links its key to before it can answer. */
  readonly resource?: Part
  readonly nowMs: number
}

/**
 * A part of a statement: claims keys, each with its answer or in flight. The other parts depend on its rows. Two requests
 * with one key meet here, and PostgreSQL lets one of them through.
 */
export const claimKeys = ({ from, customer, resource, nowMs }: Claims): Part => sql`
  insert into idempotency_keys as k
    (merchant_id, scope, key, fingerprint, ${resource === undefined ? sql`status, should_retry, body` : sql`resource_id, held_until`},
     customer_id, expires_at)
  select c.merchant_id, c.scope, c.key, decode(c.fingerprint, 'hex'),
    ${resource === undefined ? sql`c.answer_status, c.answer_retry, c.answer_body` : sql`${resource}, c.held_until`},
    ${customer}, c.key_expires_at
  from ${from} order by c.merchant_id, c.scope, c.key
  ${onExpired(nowMs)}
  returning k.merchant_id, k.scope, k.key, k.resource_id, k.fence, k.body`

/** A key past its 24 hours is as good as absent: the insert takes its row over, in place. */
const onExpired = (nowMs: number) => sql`
  on conflict (merchant_id, scope, key) do update set
    fingerprint = excluded.fingerprint, status = excluded.status, should_retry = excluded.should_retry,
    body = excluded.body, resource_id = excluded.resource_id, fence = k.fence + 1,
    held_until = excluded.held_until, customer_id = excluded.customer_id, expires_at = excluded.expires_at
  where k.expires_at <= ${instant(nowMs)}::timestamptz`

interface OneClaim {
  /** The claim is made if this has a row: what follows `from`, and what follows `where`. */
  readonly from: Part
  readonly where?: Part
  /** The uuid of the customer whose identifiers the answer may hold. */
  readonly customer: string | null
  readonly nowMs: number
}

/** Claims the key of a request that its statement answers. The body may use columns of `from`. */
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

/** Claims the key of a request in flight, with a link to what it makes. */
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
    nowMs,
    ...(resource === undefined ? {} : { resource }),
  })
}

/**
 * Takes a key that was released, for the same request, which runs again. The fencing number lets one of several through.
 * The key's 24 hours begin again with what the request makes now. Rows `c` are as `claimKeys` has them.
 */
export const retakeKeys = (
  released: number,
  { from, customer, resource }: Required<Omit<Claims, 'nowMs'>>,
): Part => sql`
  update idempotency_keys k set fence = k.fence + 1, resource_id = ${resource}, held_until = c.held_until,
    customer_id = ${customer}, expires_at = c.key_expires_at
  from ${from}
  where k.merchant_id = c.merchant_id and k.scope = c.scope and k.key = c.key
    and k.fence = ${released} and k.status is null
  returning k.merchant_id, k.scope, k.key, k.resource_id, k.fence, k.body`
