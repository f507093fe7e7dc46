import type { KeyObject } from 'node:crypto'
import { isSignedBy, type JsonObject, readCompact } from './compact-jws.ts'

/** Clients add claims of their own. The required ones need some 700 characters, with a key of 2048 bits. */
const ASSERTION_CHARS_MAX = 8 * 1024

const LIFETIME_SEC_MAX = 300
const LEEWAY_SEC = 60

/** Logged only. The response does not say which check failed (spec 5.7). */
export type AssertionProblem =
  | 'unreadable'
  | 'header'
  | 'type'
  | 'issuer_or_subject'
  | 'audience'
  | 'jti'
  | 'expiry'
  | 'not_yet_valid'
  | 'unknown_client'
  | 'unknown_kid'
  | 'signature'

export interface Expected {
  readonly clientId: string
  /** Keys by kid; null if the client is unknown. */
  readonly keys: ReadonlyMap<string, KeyObject> | null
  /** The token endpoint and the issuer, from the deployment's public base URL. */
  readonly audiences: readonly string[]
  readonly nowSec: number
  /** Any key. An unknown client also costs a verification, so that response times do not reveal it. */
  readonly decoyKey: KeyObject
}

export type Verdict =
  | { readonly fault: AssertionProblem }
  | {
      readonly fault: null
      readonly jti: string
      /** The second at which the assertion becomes too old, leeway included. */
      readonly refusedFromSec: number
    }

/**
 * Verifies a client assertion (spec 5.2, RFC 7523). The caller checks in the database whether its jti was used
 * before.
 */
export async function verifyAssertion(
  assertion: string,
  expected: Expected,
  isSigned: typeof isSignedBy = isSignedBy,
): Promise<Verdict> {
  const jws = readCompact(assertion, ASSERTION_CHARS_MAX)
  if (jws === null) return { fault: 'unreadable' }
  const { header, claims } = jws
  const fault = headerFault(header) ?? claimsFault(claims, expected)
  if (fault !== null) return { fault }
  const key = keyFor(expected.keys, header['kid'])
  const signed = await isSigned(key ?? expected.decoyKey, assertion)
  if (key === null) return { fault: expected.keys === null ? 'unknown_client' : 'unknown_kid' }
  if (!signed) return { fault: 'signature' }
  return { fault: null, jti: String(claims['jti']), refusedFromSec: Number(claims['exp']) + LEEWAY_SEC }
}

/** Headers that change the signing input or supply the sender's own key. */
const refusedHeaders = ['crit', 'b64', 'jwk', 'jku', 'x5c', 'x5u']

/** An access token is also a signed JWT. Its type prevents its use as an assertion. */
const types = ['jwt', 'client-authentication+jwt']

function headerFault(header: JsonObject): AssertionProblem | null {
  const { typ, kid } = header
  if (refusedHeaders.some((name) => Object.hasOwn(header, name))) return 'header'
  if (typ !== undefined && !(typeof typ === 'string' && types.includes(typ.toLowerCase()))) return 'type'
  return kid === undefined || typeof kid === 'string' ? null : 'unknown_kid'
}

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

function claimsFault(claims: JsonObject, { clientId, audiences, nowSec }: Expected): AssertionProblem | null {
  const { iss, sub, aud, jti, exp, nbf, iat } = claims
  if (iss !== clientId || sub !== clientId) return 'issuer_or_subject'
  // Only a single string: with several audiences, one recipient could replay the assertion at another.
  if (typeof aud !== 'string' || !audiences.includes(aud)) return 'audience'
  if (typeof jti !== 'string' || !uuidV4.test(jti)) return 'jti'
  if (!isWithinLifetime(exp, nowSec)) return 'expiry'
  return [nbf, iat].every((instant) => instant === undefined || isReached(instant, nowSec))
    ? null
    : 'not_yet_valid'
}

// The leeway allows for slow and fast clocks: `exp` is accepted from now - 59 to now + 360.
const isWithinLifetime = (exp: unknown, nowSec: number): boolean =>
  typeof exp === 'number' &&
  Number.isSafeInteger(exp) &&
  exp > nowSec - LEEWAY_SEC &&
  exp <= nowSec + LIFETIME_SEC_MAX + LEEWAY_SEC

const isReached = (instant: unknown, nowSec: number): boolean =>
  typeof instant === 'number' && instant <= nowSec + LEEWAY_SEC

/** `kid` is optional for a client with one key, and required for one with several (spec 5.2). */
function keyFor(keys: ReadonlyMap<string, KeyObject> | null, kid: unknown): KeyObject | null {
  if (keys === null) return null
  if (typeof kid === 'string') return keys.get(kid) ?? null
  const [only, ...others] = keys.values()
  return only !== undefined && others.length === 0 ? only : null
}
