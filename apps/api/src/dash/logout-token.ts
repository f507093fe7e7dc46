import { Refusal } from '@merchant-payments/contract'
import type { SignedOutBy } from '@merchant-payments/core'
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose'
import { sessionIdOf, subjectOf } from './identity.ts'

/** Back-Channel Logout 2.4 recommends a life of two minutes; clocks may differ by one. */
const AGE_MAX_SEC = 120
const LEEWAY_SEC = 60
const TOKEN_CHARS_MAX = 8_192
const JTI_CHARS_MAX = 255
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** Symmetric algorithms are excluded, because others than the provider hold their keys. */
const asymmetric = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/
/** 2.4 recommends the first. Many providers send the second or none. Access tokens have another type. */
const types: ReadonlySet<string | undefined> = new Set(['logout+jwt', 'jwt', undefined])

/** A valid logout token. The caller checks whether it was used before. */
export interface LogoutToken {
  readonly issuer: string
  readonly jti: string
  readonly refusedFromMs: number
  readonly ends: SignedOutBy
}

/** The provider's verification keys. */
export interface ProviderKeys {
  readonly issuer: string
  readonly algorithms: string[]
  readonly keyOf: JWTVerifyGetKey
}

interface Metadata {
  readonly issuer: string
  readonly jwks_uri?: string
  readonly id_token_signing_alg_values_supported?: string[]
}

/** Fetches keys with the first token, and again, at a limited rate, for an unknown key. */
export function openKeys(metadata: Metadata, timeoutMs: number): ProviderKeys {
  const { issuer, jwks_uri: uri, id_token_signing_alg_values_supported: named = ['RS256'] } = metadata
  const algorithms = named.filter((algorithm) => asymmetric.test(algorithm))
  const url = uri === undefined ? null : URL.parse(uri)
  // Outside livemode the configuration allows a provider without TLS.
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && issuer.startsWith('http:'))
  if (url === null || !isSafe) return { issuer, algorithms, keyOf: () => Promise.reject(unavailable()) }
  return { issuer, algorithms, keyOf: createRemoteJWKSet(url, { timeoutDuration: timeoutMs }) }
}

/**
 * Validates a logout token (OpenID Connect Back-Channel Logout 1.0, 2.6). The caller checks in the database whether
 * it was used before.
 *
 * @throws Refusal invalid_request if the token is not valid; identity_provider_unavailable if its keys cannot be read
 */
export async function judgeLogoutToken(
  token: string,
  { keys, clientId, nowMs }: { keys: ProviderKeys; clientId: string; nowMs: number },
): Promise<LogoutToken> {
  if (token.length > TOKEN_CHARS_MAX) throw notGood()
  const { issuer, algorithms, keyOf } = keys
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keyOf, {
      issuer,
      audience: clientId,
      algorithms,
      maxTokenAge: AGE_MAX_SEC,
      clockTolerance: LEEWAY_SEC,
      currentDate: new Date(nowMs),
    })
    if (!types.has(protectedHeader.typ?.toLowerCase().replace(/^application\//, ''))) throw notGood()
    return logoutOf(payload, issuer)
  } catch (error) {
    throw refused(error)
  }
}

function logoutOf(claims: JWTPayload, issuer: string): LogoutToken {
  const { aud, iat = 0, jti } = claims
  // A second audience would be a party that we do not trust (OpenID Connect Core 3.1.3.7).
  const isForUsAlone = !Array.isArray(aud) || aud.length === 1
  const isJti = typeof jti === 'string' && jti !== '' && jti.length <= JTI_CHARS_MAX
  // A nonce would make it an ID token.
  if (!isForUsAlone || !isJti || !isLogout(claims['events']) || Object.hasOwn(claims, 'nonce'))
    throw notGood()
  // jose accepts an `iat` up to this much older.
  const refusedFromMs = Math.ceil(iat + AGE_MAX_SEC + LEEWAY_SEC + 1) * 1_000
  return { issuer, jti, refusedFromMs, ends: endedBy(claims) }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isLogout = (events: unknown): boolean =>
  isObject(events) && Object.hasOwn(events, LOGOUT_EVENT) && isObject(Reflect.get(events, LOGOUT_EVENT))

function endedBy(claims: JWTPayload): SignedOutBy {
  const subject = subjectOf(claims)
  const providerSessionId = sessionIdOf(claims)
  // A present but unusable claim must not widen what the token ends.
  if (subject === null && Object.hasOwn(claims, 'sub')) throw notGood()
  if (providerSessionId === null && Object.hasOwn(claims, 'sid')) throw notGood()
  if (providerSessionId !== null) return { providerSessionId, subject }
  if (subject === null) throw notGood()
  return { providerSessionId, subject }
}

const notGood = () => new Refusal('invalid_request', 'is not a valid logout token', { param: 'logout_token' })

const unavailable = (cause?: unknown) =>
  new Refusal('identity_provider_unavailable', 'The keys of the identity provider cannot be read.', { cause })

/** Errors that jose throws if it could not fetch keys. Its other errors are about the token. */
function refused(error: unknown): unknown {
  if (error instanceof Refusal) return error
  const isAway =
    !(error instanceof errors.JOSEError) ||
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    error.code === 'ERR_JOSE_GENERIC'
  return isAway ? unavailable(error) : notGood()
}
