import { createHash } from 'node:crypto'
import type { Currency } from '@merchant-payments/contract'
import { instant, instantOrNull, type Tx, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import { hashSecret } from '../base/secrets.ts'
import type { Spent } from './limits.ts'
import {
  type Identity,
  type SignedOutBy,
  STAFF_IDLE_MS,
  STAFF_SESSION_MS,
  type StaffSession,
} from './session.ts'

/** Ended sessions that one sign-in removes: more than it adds. */
const REMOVED_MAX = 100

/** Also ends the session that the browser had, and removes some that are over. */
export async function openStaffSession(
  writer: Writer,
  { subject, name, claims, authTimeMs, providerSessionId }: Identity,
  { secret, replaced }: { secret: string; replaced: string | null },
  nowMs: number,
): Promise<void> {
  await sql`
    with gone as (
      delete from staff_sessions where secret_hash = ${replaced === null ? null : hashSecret(replaced)}::bytea
    ),
    over as (
      delete from staff_sessions where secret_hash in (
        select secret_hash from staff_sessions where expires_at <= ${instant(nowMs)}::timestamptz limit ${REMOVED_MAX})
    )
    insert into staff_sessions (secret_hash, subject, name, claims, auth_time, provider_session_id, last_seen_at, expires_at)
    values (${hashSecret(secret)}, ${subject}, ${name}, ${claims}::text[],
      ${instantOrNull(authTimeMs)}::timestamptz, ${providerSessionId},
      ${instant(nowMs)}::timestamptz,
      ${instant(nowMs + STAFF_SESSION_MS)}::timestamptz)`.execute(writer)
}

interface SessionRow {
  readonly subject: string
  readonly name: string
  readonly claims: string[]
  readonly auth_time: number | null
  readonly expires_at: number
}

export async function seeStaffSession(
  writer: Writer,
  secret: string,
  nowMs: number,
): Promise<StaffSession | undefined> {
  const { rows } = await sql<SessionRow>`
    update staff_sessions set last_seen_at = greatest(last_seen_at, ${instant(nowMs)}::timestamptz)
    where secret_hash = ${hashSecret(secret)} and expires_at > ${instant(nowMs)}::timestamptz
      and last_seen_at > ${instant(nowMs - STAFF_IDLE_MS)}::timestamptz
    returning subject, name, claims, auth_time, expires_at`.execute(writer)
  const [row] = rows
  if (row === undefined) return undefined
  const { auth_time: authTimeMs, expires_at: expiresAtMs, ...identity } = row
  return { ...identity, authTimeMs, expiresAtMs }
}

export async function endStaffSession(writer: Writer, secret: string): Promise<void> {
  await sql`delete from staff_sessions where secret_hash = ${hashSecret(secret)}`.execute(writer)
}

interface LogoutToken {
  readonly issuer: string
  readonly jti: string
  /** From this instant the token is too old, so its jti may be forgotten. */
  readonly refusedFromMs: number
  readonly ends: SignedOutBy
}

/**
 * Spends a logout token and ends the sessions that it names. A session without a `sid` ends with its subject,
 * because it may be the one that is meant.
 *
 * @returns false if the token was spent before, which ends nothing
 */
export async function endProviderSessions(
  writer: Writer,
  { issuer, jti, refusedFromMs, ends: { subject, providerSessionId } }: LogoutToken,
): Promise<boolean> {
  const { rows } = await sql<{ spent: boolean }>`
    with spent as (
      insert into spent_jtis (jti, expires_at)
      values (${jtiOf(issuer, jti)}::uuid, ${instant(refusedFromMs)}::timestamptz)
      on conflict do nothing
      returning jti
    ),
    ended as (
      delete from staff_sessions
      where exists (select from spent)
        and (${subject}::text is null or subject = ${subject})
        and (${providerSessionId}::text is null or provider_session_id = ${providerSessionId}
          or (provider_session_id is null and subject = ${subject}))
    )
    select exists (select from spent) as spent`.execute(writer)
  return rows[0]?.spent === true
}

const UUID_BYTES = 16

/** A provider's jti is any text, but spent_jtis holds UUIDs. A hash serves as one, and equals no merchant's. */
const jtiOf = (issuer: string, jti: string): string =>
  createHash('sha256')
    .update(JSON.stringify([issuer, jti]))
    .digest()
    .toString('hex', 0, UUID_BYTES)

/** @returns the day's sums, this change included */
export async function addToDay(
  tx: Tx,
  subject: string,
  { kind, count, amountMinor, currency }: Spent,
  nowMs: number,
): Promise<Readonly<Record<'count' | Currency, number>>> {
  const amounts = { XAF: 0, EUR: 0, [currency]: amountMinor }
  const { rows } = await sql<Record<'count' | Currency, number>>`
    insert into staff_days as d (subject, day, kind, count, xaf, eur)
    values (${subject}, (${instant(nowMs)}::timestamptz at time zone 'UTC')::date, ${kind}, ${count}::integer,
      ${amounts.XAF}::bigint, ${amounts.EUR}::bigint)
    on conflict (subject, day, kind) do update
    set count = d.count + excluded.count, xaf = d.xaf + excluded.xaf, eur = d.eur + excluded.eur
    returning count, xaf as "XAF", eur as "EUR"`.execute(tx)
  const [sums] = rows
  if (sums === undefined) throw new Error('the sums of a day were not written')
  return sums
}
