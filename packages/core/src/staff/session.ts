import { type StaffRole, staffRoles } from '@merchant-payments/contract'

/** docs/spec-gaps.md, staff: a session ends after so long, whatever is done, and after so long without a request. */
export const STAFF_SESSION_MS = 8 * 60 * 60_000
export const STAFF_IDLE_MS = 30 * 60_000

/** Who the identity provider says that somebody is. */
export interface Identity {
  readonly subject: string
  readonly name: string
  /** The values of the role claim. */
  readonly claims: readonly string[]
  /** When they last proved who they are, as strongly as is asked for grave changes; null where the provider does not say. */
  readonly authTimeMs: number | null
  /** What the provider calls this sign-in (`sid`); null where it does not. */
  readonly providerSessionId: string | null
}

/** A person, or one sign-in of theirs, whom the provider has signed out: never neither. */
export type SignedOutBy =
  | { readonly providerSessionId: string; readonly subject: string | null }
  | { readonly providerSessionId: null; readonly subject: string }

export interface StaffSession extends Omit<Identity, 'providerSessionId'> {
  readonly expiresAtMs: number
}

/** By the values of the role claim: what each of them gives. */
export type RolesByClaim = ReadonlyMap<string, StaffRole>

/** The highest role that the claims give; null when they give none. */
export function roleOf(claims: readonly string[], roles: RolesByClaim): StaffRole | null {
  const given = new Set(claims.map((claim) => roles.get(claim)))
  return staffRoles.findLast((role) => given.has(role)) ?? null
}

export const reaches = (role: StaffRole, needed: StaffRole): boolean =>
  staffRoles.indexOf(role) >= staffRoles.indexOf(needed)

/** What grave changes ask of a session. */
export interface StepUp {
  readonly maxAgeSec: number
  /** Of the ID token's `acr`; empty for any. */
  readonly acrValues: readonly string[]
}

/** Whether somebody has signed in lately enough for a grave change. */
export const isFresh = (
  { authTimeMs }: Pick<Identity, 'authTimeMs'>,
  { maxAgeSec }: StepUp,
  nowMs: number,
): boolean => authTimeMs !== null && nowMs - authTimeMs <= maxAgeSec * 1_000
