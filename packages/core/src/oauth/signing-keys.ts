import { type Database, instant, type Reader } from '@merchant-payments/db'
import { sql } from 'kysely'
import { DAY_MS } from '../base/clock.ts'

/** Spec 5.5: a retired key stays published for this long. */
const RETIRED_PUBLISHED_MS = DAY_MS

export interface SigningJwk {
  readonly kty: 'RSA'
  readonly use: 'sig'
  readonly alg: 'RS256'
  readonly kid: string
  readonly n: string
  readonly e: string
}

/** Only `active` may boot. `retired_key`: an older key came back, under any kid. `revoked_key`: revoked under any kid. */
export type Adoption = 'active' | 'retired_key' | 'kid_taken' | 'revoked_key'

/** The first use of a key retires the previous one. */
export function adoptSigningKey(
  db: Pick<Database, 'transact'>,
  { jwk, nowMs }: { jwk: SigningJwk; nowMs: number },
): Promise<Adoption> {
  return db.transact(async (tx) => {
    // Replicas boot together: the second waits here, then finds the key. Readers do not wait.
    await sql`lock table signing_keys in share row exclusive mode`.execute(tx)
    const known = await tx
      .selectFrom('signing_keys')
      .select(['kid', 'public_jwk', 'retired_at', 'revoked_at'])
      .where((row) => row.or([row('kid', '=', jwk.kid), row(sql`public_jwk ->> 'n'`, '=', jwk.n)]))
      .execute()
    const ofKey = known.filter(({ public_jwk }) => public_jwk['n'] === jwk.n)
    if (ofKey.some(({ revoked_at }) => revoked_at !== null)) return 'revoked_key'
    if (ofKey.length < known.length) return 'kid_taken'
    const ofKid = ofKey.find(({ kid }) => kid === jwk.kid)
    if (ofKid !== undefined) return ofKid.retired_at === null ? 'active' : 'retired_key'
    // Only the active key may change its kid.
    if (ofKey.length > 0 && ofKey.every(({ retired_at }) => retired_at !== null)) return 'retired_key'
    const now = instant(nowMs)
    await tx.updateTable('signing_keys').set({ retired_at: now }).where('retired_at', 'is', null).execute()
    await tx
      .insertInto('signing_keys')
      .values({ kid: jwk.kid, public_jwk: JSON.stringify(jwk), first_used_at: now })
      .execute()
    return 'active'
  })
}

export interface PublishableKey {
  readonly jwk: SigningJwk
  /** From this instant the key verifies nothing. Null for the active key. */
  readonly untilMs: number | null
}

/** Spec 4.1: the active key, and those retired less than 24 hours ago, without revoked ones. */
export async function listPublishableKeys(reader: Reader, nowMs: number): Promise<readonly PublishableKey[]> {
  const rows = await reader
    .selectFrom('signing_keys')
    .select(['public_jwk', 'retired_at'])
    .where('revoked_at', 'is', null)
    .where(
      sql<boolean>`(retired_at is null or retired_at > ${instant(nowMs - RETIRED_PUBLISHED_MS)}::timestamptz)`,
    )
    .orderBy('first_used_at', 'desc')
    .execute()
  return rows.map(({ public_jwk, retired_at }) => ({
    jwk: public_jwk as unknown as SigningJwk,
    untilMs: retired_at === null ? null : retired_at + RETIRED_PUBLISHED_MS,
  }))
}
