import { Refusal } from '@merchant-payments/contract'
import type { Identity } from '@merchant-payments/core'

/** Limits of what is stored of an ID token. docs/spec-gaps.md, staff. */
const SUBJECT_CHARS_MAX = 200
const NAME_CHARS_MAX = 200
/** The year 9999, the limit in the database too. */
const AUTH_TIME_MAX_SEC = 253_402_300_799
/** Length of a provider's session id. docs/spec-gaps.md, staff. */
const SESSION_ID_CHARS_MAX = 255
const CLAIMS_MAX = 64
const CLAIM_CHARS_MAX = 255

/** PostgreSQL text holds none. */
const NUL = '\0'

type Claims = Readonly<Record<string, unknown>>

/**
 * Reads the staff member from an ID token.
 *
 * @throws Refusal invalid_request if the subject is missing or too long
 */
export function identityOf(
  claims: Claims,
  { roleClaim, acrValues }: { roleClaim: string; acrValues: readonly string[] },
): Identity {
  const subject = subjectOf(claims)
  if (subject === null) {
    throw new Refusal('invalid_request', 'The identity provider names no usable subject.')
  }
  const names = textsIn([claims['name'], claims['preferred_username']]).map((name) =>
    name.replaceAll(NUL, ''),
  )
  const name = names.find((text) => text.trim() !== '') ?? subject
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

const shortText = (value: unknown, charsMax: number): string | null =>
  typeof value === 'string' && value !== '' && value.length <= charsMax && !value.includes(NUL) ? value : null

/** `auth_time` is in seconds (OpenID Connect Core 2). Null if the sign-in is weaker than requested. */
function authTimeOf({ auth_time: atSec, acr }: Claims, acrValues: readonly string[]): number | null {
  if (typeof atSec !== 'number' || !Number.isSafeInteger(atSec) || atSec <= 0) return null
  const isStrong = acrValues.length === 0 || (typeof acr === 'string' && acrValues.includes(acr))
  return isStrong && atSec <= AUTH_TIME_MAX_SEC ? atSec * 1_000 : null
}

function textsOf(claim: unknown): string[] {
  const values: unknown[] = Array.isArray(claim) ? claim : [claim]
  return textsIn(values)
    .filter((value) => value.length <= CLAIM_CHARS_MAX && !value.includes(NUL))
    .slice(0, CLAIMS_MAX)
}

const textsIn = (values: readonly unknown[]): string[] => values.filter((value) => typeof value === 'string')
