import { type StaffRole, staffRoles } from '@merchant-payments/contract'
import { HOUR_MS, MINUTE_MS } from '../base/clock.ts'

/** docs/spec-gaps.md, staff: the longest life of a session. */
export const STAFF_SESSION_MS = 8 * HOUR_MS
export const STAFF_IDLE_MS = 30 * MINUTE_MS

export interface Identity {
  readonly subject: string
  readonly name: string
  readonly claims: readonly string[]
  /** The last sign-in that is strong enough for grave changes. Null if the provider does not say. */
  readonly authTimeMs: number | null
  readonly providerSessionId: string | null
}

/** A person, or one of their sign-ins, that the provider has signed out. One of the two is always set. */
export type SignedOutBy =
  | { readonly providerSessionId: string; readonly subject: string | null }
  | { readonly providerSessionId: null; readonly subject: string }

export interface StaffSession extends Omit<Identity, 'providerSessionId'> {
  readonly expiresAtMs: number
}

export type RolesByClaim = ReadonlyMap<string, StaffRole>

export function roleOf(claims: readonly string[], roles: RolesByClaim): StaffRole | null {
  const given = new Set(claims.map((claim) => roles.get(claim)))
  return staffRoles.findLast((role) => given.has(role)) ?? null
}

export const reaches = (role: StaffRole, needed: StaffRole): boolean =>
  staffRoles.indexOf(role) >= staffRoles.indexOf(needed)

export interface StepUp {
  readonly maxAgeSec: number
  /** Accepted values of the ID token's `acr`. Empty accepts any. */
  readonly acrValues: readonly string[]
}

export const isFresh = (
  { authTimeMs }: Pick<Identity, 'authTimeMs'>,
  { maxAgeSec }: StepUp,
  nowMs: number,
): boolean => authTimeMs !== null && nowMs - authTimeMs <= maxAgeSec * 1_000
