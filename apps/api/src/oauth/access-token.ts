import { hash, randomUUID } from 'node:crypto'
import { type Scope, SERVICE_AUDIENCE } from '@merchant-payments/config'
import { type Clock, type MerchantId, secondsOf } from '@merchant-payments/core'
import type { Reader } from '@merchant-payments/db'
import { LRUCache } from 'lru-cache'
import { isSignedBy, readCompact } from './compact-jws.ts'
import { createKeyRing, type KeyRing } from './key-ring.ts'
import type { Signer } from './signing-key.ts'

/** Spec 5.4: not configurable. */
export const ACCESS_TOKEN_LIFE_SEC = 900

/** How far the clocks of replicas may be apart: each follows the database's. */
const ISSUED_AHEAD_SEC_MAX = 60

/** RFC 9068. */
const TYPE = 'at+jwt'

/** Some 10 MB, and more merchants than mint a token in its life. */
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

/** What a token proves of its bearer. Whether the client was disabled since is for the request's own statement to ask. */
export interface Principal {
  readonly merchantId: MerchantId
  readonly scopes: readonly Scope[]
}

export type VerifyAccessToken = (token: string) => Promise<Principal | null>

/** The scopes of a client that the deployment registers now, which may have been another when a token was minted. */
export type ScopesOf = (clientId: string) => readonly Scope[] | undefined

interface Proven {
  readonly principal: Principal
  readonly kid: string
  readonly expiresAtMs: number
}

/**
 * Verifies bearer tokens of /v1, with no leeway: the clock that judges is of the service that minted. A token's
 * signature is checked once; its expiry, and that its key was not revoked, each time. Failures are not kept: they would
 * push good tokens out. A token gives no more than the registration of its client: none has left, and none has lost a
 * scope.
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
  const jws = readCompact(token)
  if (jws === null) return null
  const { typ, kid } = jws.header
  const { iss, aud, sub, iat, exp, scope } = jws.claims
  if (typ !== TYPE || typeof kid !== 'string') return null
  if (iss !== issuer || aud !== SERVICE_AUDIENCE) return null
  if (typeof sub !== 'string' || typeof scope !== 'string') return null
  const registered = scopesOf(sub)
  if (registered === undefined) return null
  if (!isInteger(iat) || !isInteger(exp)) return null
  // Nothing that this service mints lives longer, or begins later. Whoever steals a key gets no more out of it.
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
