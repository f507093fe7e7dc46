import type { Currency } from '@merchant-payments/contract'
import { instant, type Tx, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import { hashSecret } from '../secrets.ts'
import type { Spent } from './limits.ts'
import { type Identity, STAFF_IDLE_MS, STAFF_SESSION_MS, type StaffSession } from './session.ts'

/** Ended sessions that one sign-in removes: more than it adds. */
const REMOVED_MAX = 100

/**
 * Begins a session under a secret of its own, in place of the one that the browser had, and removes some that are over.
 */
export async function openStaffSession(
  writer: Writer,
  { subject, name, claims, authTimeMs }: Identity,
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
    insert into staff_sessions (secret_hash, subject, name, claims, auth_time, last_seen_at, expires_at)
    values (${hashSecret(secret)}, ${subject}, ${name}, ${claims}::text[],
      ${authTimeMs === null ? null : instant(authTimeMs)}::timestamptz, ${instant(nowMs)}::timestamptz,
      ${instant(nowMs + STAFF_SESSION_MS)}::timestamptz)`.execute(writer)
}

interface SessionRow {
  readonly subject: string
  readonly name: string
  readonly claims: string[]
  readonly auth_time: number | null
  readonly expires_at: number
}

/** The session of a secret, if it is neither over nor idle; it is seen at this instant. */
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

/** Adds to what somebody has asked for on this day. @returns the day's sums, this included */
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
  if (sums === undefined) throw new Error('a day was not written')
  return sums
}
