import { hash, randomUUID } from 'node:crypto'
import { type Scope, SERVICE_AUDIENCE } from '@merchant-payments/config'
import { type Clock, type MerchantId, secondsOf } from '@merchant-payments/core'
import type { Reader } from '@merchant-payments/db'
import { LRUCache } from 'lru-cache'
import { isSignedBy, readCompact } from './compact-jws.ts'
import { createKeyRing, type KeyRing } from './key-ring.ts'
import type { Signer } from './signing-key.ts'

/** Not configurable (spec 5.4). */
export const ACCESS_TOKEN_LIFE_SEC = 900

/** Ours have some 700 characters, and less than 3 KiB with the longest names and a key of 8192 bits. */
const TOKEN_CHARS_MAX = 4 * 1024

/** Allowed difference between the clocks of replicas, which follow the database's clock. */
const ISSUED_AHEAD_SEC_MAX = 60

/** RFC 9068. */
const TYPE = 'at+jwt'

/** Some 10 MB. Above the number of merchants that mint a token within its life. */
const PROVEN_TOKENS_MAX = 10_000

interface Grant {
  readonly issuer: string
  readonly clientId: string
  readonly audience: string
  readonly scopes: readonly Scope[]
  readonly nowMs: number
}

export function mintAccessToken(
  signer: Signer,
  { issuer, clientId, audience, scopes, nowMs }: Grant,
): Promise<string> {
  const iat = secondsOf(nowMs)
  return signer.sign(TYPE, {
    iss: issuer,
    sub: clientId,
    client_id: clientId,
    aud: audience,
    scope: scopes.join(' '),
    iat,
    exp: iat + ACCESS_TOKEN_LIFE_SEC,
    jti: randomUUID(),
  })
}

/** What a token proves. The request's own statement checks whether the client was disabled meanwhile. */
export interface Principal {
  readonly merchantId: MerchantId
  readonly scopes: readonly Scope[]
}

export type VerifyAccessToken = (token: string) => Promise<Principal | null>

/** The scopes that a client is registered with now, which may differ from those at minting. */
export type ScopesOf = (clientId: string) => readonly Scope[] | undefined

interface Proven {
  readonly principal: Principal
  readonly kid: string
  readonly expiresAtMs: number
}

/**
 * Verifies bearer tokens of /v1. There is no leeway, because the same service mints and verifies. A token's signature
 * is verified once. Its expiry and the revocation of its key are checked each time. Failures are not cached, because
 * they would evict valid tokens. A token grants at most the scopes that its client is registered with now.
 */
export function createTokenVerifier(deps: {
  issuer: string
  reader: Reader
  clock: Clock
  scopesOf: ScopesOf
}): VerifyAccessToken {
  const { issuer, clock, scopesOf } = deps
  const ring = createKeyRing(deps)
  const provenTokens = new LRUCache<string, Proven>({ max: PROVEN_TOKENS_MAX })

  return async (token) => {
    const digest = hash('sha256', token, 'base64')
    const known = provenTokens.get(digest)
    if (known !== undefined && (await ring.find(known.kid)) === null) {
      provenTokens.delete(digest)
      return null
    }
    const proven = known ?? (await prove(token, { issuer, ring, clock, scopesOf }))
    if (proven === null || clock() >= proven.expiresAtMs) return null
    provenTokens.set(digest, proven)
    return proven.principal
  }
}

async function prove(
  token: string,
  { issuer, ring, clock, scopesOf }: { issuer: string; ring: KeyRing; clock: Clock; scopesOf: ScopesOf },
): Promise<Proven | null> {
  const jws = readCompact(token, TOKEN_CHARS_MAX)
  if (jws === null) return null
  const { typ, kid } = jws.header
  const { iss, aud, sub, iat, exp, scope } = jws.claims
  if (typ !== TYPE || typeof kid !== 'string') return null
  if (iss !== issuer || aud !== SERVICE_AUDIENCE) return null
  if (typeof sub !== 'string' || typeof scope !== 'string') return null
  const registered = scopesOf(sub)
  if (registered === undefined) return null
  if (!isInteger(iat) || !isInteger(exp)) return null
  // This service never mints longer-lived or later ones, so a stolen key cannot either.
  if (exp - iat > ACCESS_TOKEN_LIFE_SEC || iat > secondsOf(clock()) + ISSUED_AHEAD_SEC_MAX) return null
  const key = await ring.find(kid)
  if (key === null || !(await isSignedBy(key, token))) return null
  const granted = scope.split(' ')
  return {
    principal: { merchantId: sub as MerchantId, scopes: registered.filter((name) => granted.includes(name)) },
    kid,
    expiresAtMs: exp * 1_000,
  }
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)
