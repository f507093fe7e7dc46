import { Refusal } from '@merchant-payments/contract'
import type { Identity } from '@merchant-payments/core'

/** docs/spec-gaps.md, staff: what is kept of an ID token is short. */
const SUBJECT_CHARS_MAX = 200
const NAME_CHARS_MAX = 200
/** The year 9999: what the database and the code agree on. */
const AUTH_TIME_MAX_SEC = 253_402_300_799
/** docs/spec-gaps.md, staff: a provider's own name of a sign-in. */
const SESSION_ID_CHARS_MAX = 255
const CLAIMS_MAX = 64
const CLAIM_CHARS_MAX = 255

type Claims = Readonly<Record<string, unknown>>

/**
 * Who an ID token is of.
 *
 * @throws Refusal invalid_request of a token without a usable subject
 */
export function identityOf(
  claims: Claims,
  { roleClaim, acrValues }: { roleClaim: string; acrValues: readonly string[] },
): Identity {
  const subject = subjectOf(claims)
  if (subject === null) {
    throw new Refusal('invalid_request', 'The identity provider names no usable subject.')
  }
  const names = [claims['name'], claims['preferred_username'], subject]
  const name = names.find((text) => typeof text === 'string' && text.trim() !== '') as string
  return {
    subject,
    name: name.slice(0, NAME_CHARS_MAX),
    claims: textsOf(claims[roleClaim]),
    authTimeMs: authTimeOf(claims, acrValues),
    providerSessionId: sessionIdOf(claims),
  }
}

export const subjectOf = ({ sub }: Claims): string | null => shortText(sub, SUBJECT_CHARS_MAX)

export const sessionIdOf = ({ sid }: Claims): string | null => shortText(sid, SESSION_ID_CHARS_MAX)

/** The database takes no NUL. */
const shortText = (value: unknown, charsMax: number): string | null =>
  typeof value === 'string' && value !== '' && value.length <= charsMax && !value.includes('\0')
    ? value
    : null

/** OpenID Connect Core 2: seconds. A weaker sign-in than is asked for is none. */
function authTimeOf({ auth_time: atSec, acr }: Claims, acrValues: readonly string[]): number | null {
  if (typeof atSec !== 'number' || !Number.isSafeInteger(atSec) || atSec <= 0) return null
  const isStrong = acrValues.length === 0 || (typeof acr === 'string' && acrValues.includes(acr))
  return isStrong && atSec <= AUTH_TIME_MAX_SEC ? atSec * 1_000 : null
}

function textsOf(claim: unknown): string[] {
  const values: unknown[] = Array.isArray(claim) ? claim : [claim]
  return values
    .filter((value) => typeof value === 'string')
    .filter((value) => value.length <= CLAIM_CHARS_MAX)
    .slice(0, CLAIMS_MAX)
}
