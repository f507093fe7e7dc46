import { Refusal, type StaffRole, staffRoles } from '@merchant-payments/contract'
import {
  type Clock,
  deriveSecret,
  isFresh,
  isSameSecret,
  reaches,
  roleOf,
  type RolesByClaim,
  seeStaffSession,
  type Staff,
  type StepUp,
} from '@merchant-payments/core'
import type { Database } from '@merchant-payments/db'
import type { FastifyRequest } from 'fastify'
import { cookieOf, SESSION_COOKIE } from './cookies.ts'

/** Somebody who is signed in. */
export interface SignedIn {
  readonly staff: Staff
  /** Of the cookie. */
  readonly secret: string
  readonly expiresAtMs: number
  readonly authTimeMs: number | null
}

export interface SessionDeps {
  readonly db: Database
  readonly clock: Clock
  readonly roles: RolesByClaim
}

/** @throws Refusal authentication_error; forbidden of claims that give no role any more */
export async function authenticateStaff(
  { db, clock, roles }: SessionDeps,
  request: FastifyRequest,
): Promise<SignedIn> {
  const secret = cookieOf(request, SESSION_COOKIE)
  const session = secret === null ? undefined : await seeStaffSession(db.writer, secret, clock())
  if (secret === null || session === undefined) {
    throw new Refusal('authentication_error', 'Nobody is signed in, or the session is over. Sign in again.')
  }
  const { subject, name, claims, expiresAtMs, authTimeMs } = session
  const role = roleOf(claims, roles)
  if (role === null) throw noRole()
  return { staff: { subject, name, role }, secret, expiresAtMs, authTimeMs }
}

export const noRole = () =>
  new Refusal(
    'forbidden',
    `Your account has none of the roles ${staffRoles.join(', ')}. Ask for one of them.`,
  )

/** @throws Refusal forbidden, which names the role that is needed */
export function requireRole({ role }: Staff, needed: StaffRole): void {
  if (reaches(role, needed)) return
  throw new Refusal('forbidden', `This needs the role ${needed}; yours is ${role}.`)
}

/** @throws Refusal step_up_required */
export function requireFresh(signedIn: SignedIn, stepUp: StepUp | null, nowMs: number): void {
  if (stepUp === null || isFresh(signedIn, stepUp, nowMs)) return
  throw new Refusal('step_up_required', 'Sign in again: this change takes a sign-in of a moment ago.')
}

/** What a page of ours sends with each change, and no other page can know. */
export const csrfTokenOf = (secret: string): string => deriveSecret(secret, 'csrf')

/**
 * A change comes from our own page: its origin says so, and a header that only that page can fill.
 *
 * @throws Refusal forbidden
 */
export function requireOwnPage({ headers }: FastifyRequest, secret: string, origin: string): void {
  const site = headers['sec-fetch-site']
  const token = headers['csrf-token']
  const isOurs = headers.origin === origin && (site === undefined || site === 'same-origin')
  if (isOurs && typeof token === 'string' && isSameSecret(token, csrfTokenOf(secret))) return
  throw new Refusal('forbidden', 'This request did not come from the dashboard, or lacks its csrf-token.')
}
