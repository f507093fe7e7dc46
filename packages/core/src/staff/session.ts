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
}

export interface StaffSession extends Identity {
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
