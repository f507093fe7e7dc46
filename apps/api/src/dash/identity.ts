import { Refusal } from '@merchant-payments/contract'
import type { Identity } from '@merchant-payments/core'

/** docs/spec-gaps.md, staff: what is kept of an ID token is short. */
const SUBJECT_CHARS_MAX = 200
const NAME_CHARS_MAX = 200
const CLAIMS_MAX = 64
const CLAIM_CHARS_MAX = 255

type Claims = Readonly<Record<string, unknown>>

/**
 * Who an ID token is of.
 *
 * @throws Refusal invalid_request of a token without a usable subject
 */
export function identityOf(claims: Claims, roleClaim: string): Identity {
  const subject = claims['sub']
  if (typeof subject !== 'string' || subject === '' || subject.length > SUBJECT_CHARS_MAX) {
    throw new Refusal('invalid_request', 'The identity provider names no usable subject.')
  }
  const names = [claims['name'], claims['preferred_username'], subject]
  const name = names.find((text) => typeof text === 'string' && text.trim() !== '') as string
  return { subject, name: name.slice(0, NAME_CHARS_MAX), claims: textsOf(claims[roleClaim]) }
}

function textsOf(claim: unknown): string[] {
  const values: unknown[] = Array.isArray(claim) ? claim : [claim]
  return values
    .filter((value) => typeof value === 'string')
    .filter((value) => value.length <= CLAIM_CHARS_MAX)
    .slice(0, CLAIMS_MAX)
}
