import { Refusal } from '@merchant-payments/contract'
import { instant, type Reader, type Session, statement, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import { isOfPayer, PAYER_KEYS_MAX } from '../base/attempts.ts'
import { clientDisabled, clientStatus, isOpenFor } from '../base/client-status.ts'
import { redactBody } from '../base/redact.ts'
import { claimKey } from './claim-keys.ts'
import { readTogether } from './read-together.ts'
import { type Answer, type KeyClaim, type NewAnswer, refusalAnswer } from './key.ts'

export type UsedKey =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /**
   * Released by a 5xx, or abandoned by a process that died. The same request may run again and continues
   * `resourceUuid`.
   */
  | { readonly kind: 'released'; readonly resourceUuid: string | null; readonly fence: number }

/**
 * @returns undefined if the key is gone or past its life, so that it can be claimed after all
 * @throws Refusal idempotency_key_in_use, idempotency_key_in_flight
 */
export async function findUsedKey(
  reader: Reader,
  claim: KeyClaim,
  nowMs: number,
): Promise<UsedKey | undefined> {
  const row = await reader
    .selectFrom('idempotency_keys')
    .select([
      'fingerprint',
      'status',
      'should_retry',
      'body',
      'resource_id',
      'fence',
      'held_until',
      'expires_at',
    ])
    .where('merchant_id', '=', claim.merchantId)
    .where('scope', '=', claim.scope)
    .where('key', '=', claim.key)
    .executeTakeFirst()
  if (row === undefined || row.expires_at <= nowMs) return undefined
  if (!row.fingerprint.equals(claim.fingerprint)) throw keyInUse()
  if (row.status !== null && row.body !== null) {
    const { status, body, should_retry: shouldRetry } = row
    return { kind: 'answered', answer: { status, body, shouldRetry, replayed: true } }
  }
  if (row.held_until !== null && row.held_until > nowMs) {
    throw keyInFlight()
  }
  return { kind: 'released', resourceUuid: row.resource_id, fence: row.fence }
}

export async function findAnswer(reader: Reader, claim: KeyClaim, nowMs: number): Promise<Answer | null> {
  const used = await findUsedKey(reader, claim, nowMs)
  return used?.kind === 'answered' ? used.answer : null
}

interface KeyLookup {
  readonly claim: KeyClaim
  readonly nowMs: number
}

type KeyColumns = Readonly<
  Record<'merchants' | 'scopes' | 'keys' | 'fingerprints' | 'times', readonly string[]>
>

interface StoredAnswer {
  readonly n: number
  readonly status: number
  readonly should_retry: boolean | null
  readonly body: string
}

const readStored = statement<KeyColumns, StoredAnswer>(
  (value) => sql`
    select c.n::integer, k.status, k.should_retry, k.body
    from unnest(${value('merchants')}::text[], ${value('scopes')}::text[], ${value('keys')}::text[],
        ${value('fingerprints')}::text[], ${value('times')}::timestamptz[])
      with ordinality as c (merchant_id, scope, key, fingerprint, now, n)
    cross join lateral (
      select k.status, k.should_retry, k.body from idempotency_keys k
      where k.merchant_id = c.merchant_id and k.scope = c.scope and k.key = c.key
        and k.fingerprint = decode(c.fingerprint, 'hex') and k.status is not null and k.expires_at > c.now
      offset 0) k
    where ${isOpenFor(sql`c.merchant_id`)}`,
)

/**
 * Reads the answer that is stored under a key for the same request, in a statement that concurrent reads share.
 * @returns null for any other state of the key or its client, which a claim then finds
 */
export const findReplay = readTogether<KeyLookup, Answer | null>({
  ownerOf: ({ claim }) => claim.merchantId,
  together: async (reader, asked) => {
    const claims = asked.map(({ claim }) => claim)
    const rows = await readStored(reader, {
      merchants: claims.map(({ merchantId }) => merchantId),
      scopes: claims.map(({ scope }) => scope),
      keys: claims.map(({ key }) => key),
      fingerprints: claims.map(({ fingerprint }) => fingerprint.toString('hex')),
      times: asked.map(({ nowMs }) => instant(nowMs)),
    })
    const found = new Map(rows.map((row) => [row.n, row]))
    return asked.map((_, at) => {
      const row = found.get(at + 1)
      if (row === undefined) return null
      const { status, should_retry: shouldRetry, body } = row
      return { status, body, shouldRetry, replayed: true }
    })
  },
})

const tooManyKeys = () =>
  new Refusal(
    'too_many_attempts',
    'Payers have used all Idempotency-Keys that this payment intent takes within 24 hours. Retry later.',
  )

export const keyInUse = () =>
  new Refusal('idempotency_key_in_use', 'This Idempotency-Key was used with another request.', {
    param: 'idempotency_key',
  })

export const keyInFlight = () =>
  new Refusal('idempotency_key_in_flight', 'The first request with this Idempotency-Key is still running.', {
    param: 'idempotency_key',
  })

const CLAIM_TRIES_MAX = 3

/**
 * Repeats the claim of a key until it gives a result. The claim gives null if the key was taken and has no
 * answer when it is read, because a key can expire in between. The next claim then succeeds.
 */
export async function untilClaimed<T>(claim: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < CLAIM_TRIES_MAX; tries += 1) {
    const end = await claim()
    if (end !== null) return end
  }
  throw new Error('an idempotency key was taken and then gone on every try')
}

/**
 * Ends a request that changed nothing: stores its refusal under the key, or replays the key's answer. A disabled
 * client stores nothing.
 *
 * @throws Refusal authentication_error, idempotency_key_in_use, idempotency_key_in_flight, too_many_attempts if a
 * payer's link may leave no more keys, and `refusal` itself unless the key has an answer
 */
export async function settleRefusal(
  db: Session,
  claim: KeyClaim,
  refusal: Refusal,
  nowMs: number,
): Promise<Answer> {
  const answer = refusalAnswer(refusal)
  return untilClaimed(async () => {
    const { open, claimed, room } = await claimAnswered(db.writer, claim, answer, refusal.kind.stored, nowMs)
    if (!open) throw clientDisabled()
    if (claimed) throw refusal
    const used = await findUsedKey(db.reader, claim, nowMs)
    if (used?.kind === 'answered') return used.answer
    // An earlier try of this request passed this check before a 5xx released its key. The new refusal is the answer.
    if (used?.kind === 'released' || !refusal.kind.stored) throw refusal
    // The limit refuses every new key, whatever its request, until older keys expire.
    if (!room) throw tooManyKeys()
    return null
  })
}

/**
 * Ends a request that has nothing to change: stores its answer, or replays the key's answer.
 * @throws Refusal authentication_error, idempotency_key_in_use, idempotency_key_in_flight
 */
export async function settleAnswer(
  db: Session,
  claim: KeyClaim,
  answer: NewAnswer,
  nowMs: number,
): Promise<Answer> {
  return untilClaimed(async () => {
    const { open, claimed } = await claimAnswered(db.writer, claim, answer, true, nowMs)
    if (!open) throw clientDisabled()
    return claimed ? { ...answer, replayed: false } : findAnswer(db.reader, claim, nowMs)
  })
}

async function claimAnswered(
  writer: Writer,
  claim: KeyClaim,
  answer: NewAnswer,
  stored: boolean,
  nowMs: number,
) {
  const when = { from: sql`client`, where: sql`client.open and client.room and ${stored}::boolean` }
  const result = await sql<{ open: boolean; claimed: boolean; room: boolean }>`
    with client as materialized (select client.open, ${hasRoom(claim, nowMs)} as room from (${clientStatus(claim.merchantId)}) client),
    k as (${claimKey(claim, answer, { ...when, customer: null, nowMs })})
    select client.open, client.room, exists (select 1 from k) as claimed from client`.execute(writer)
  const row = result.rows[0]
  return { open: row?.open ?? false, claimed: row?.claimed ?? false, room: row?.room ?? true }
}

/**
 * Whether one more key may be stored. A payer's link stores at most PAYER_KEYS_MAX keys. Concurrent requests can
 * exceed this, because each counts before it writes.
 */
const hasRoom = ({ merchantId, scope }: KeyClaim, nowMs: number) =>
  isOfPayer(scope)
    ? sql`(select count(*) from (
        select from idempotency_keys
        where merchant_id = ${merchantId} and scope = ${scope} and expires_at > ${instant(nowMs)}::timestamptz
        limit ${PAYER_KEYS_MAX}) kept) < ${PAYER_KEYS_MAX}`
    : sql`true`

/**
 * Ends a held key when only the answer is left. Depends on nothing but the fencing number: an intent that changes
 * meanwhile must not leave the key in flight.
 *
 * @returns the answer, or the one that another request with the same key has stored
 * @throws Refusal idempotency_key_in_flight if another request holds the key now
 */
export async function finishKey(
  db: Session,
  claim: KeyClaim,
  fence: number,
  answer: NewAnswer,
  nowMs: number,
): Promise<Answer> {
  const { status, shouldRetry, body } = answer
  const result = await sql<{ done: boolean }>`
    with payer as materialized (
      select c.erased_at is not null as erased from idempotency_keys k, lateral (
        select erased_at from customers where merchant_id = k.merchant_id and id = k.customer_id for key share) c
      where k.merchant_id = ${claim.merchantId} and k.scope = ${claim.scope} and k.key = ${claim.key}
    )
    update idempotency_keys set status = ${status}::smallint, should_retry = ${shouldRetry}::boolean,
      body = case when (select erased from payer) then ${redactBody(body)} else ${body} end, held_until = null
    where merchant_id = ${claim.merchantId} and scope = ${claim.scope} and key = ${claim.key}
      and fence = ${fence} and status is null
    returning true as done`.execute(db.writer)
  if (result.rows.length > 0) return { ...answer, replayed: false }
  const used = await findUsedKey(db.reader, claim, nowMs)
  if (used?.kind === 'answered') return used.answer
  throw keyInFlight()
}

/**
 * Runs the part of a request that holds its key. Every error releases the key, including a Refusal. If the release
 * fails too, the key's hold ends by itself.
 */
export async function orRelease<T>(
  writer: Writer,
  claim: KeyClaim,
  fence: number,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    await releaseKey(writer, claim, fence)
    throw error
  }
}

/**
 * Releases the key without an answer, so that the request can run again (spec 3.1.3). The key stays linked to its
 * charge or refund.
 */
export async function releaseKey(writer: Writer, claim: KeyClaim, fence: number): Promise<void> {
  await sql`
    update idempotency_keys set held_until = null
    where merchant_id = ${claim.merchantId} and scope = ${claim.scope} and key = ${claim.key}
      and fence = ${fence} and status is null`.execute(writer)
}
