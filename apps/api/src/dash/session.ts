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
import type { SessionSecrets } from './session-secret.ts'

/** A signed-in staff member. */
export interface SignedIn {
  readonly staff: Staff
  /** The value of the session cookie. */
  readonly secret: string
  readonly expiresAtMs: number
  readonly authTimeMs: number | null
}

export interface SessionDeps {
  readonly db: Database
  readonly clock: Clock
  readonly roles: RolesByClaim
  readonly sessionSecrets: SessionSecrets
}

/** A caller who has sent a session cookie. */
export interface CookieHolder {
  /** The session, to whose slots the request counts. */
  readonly owner: string
  readonly secret: string
}

/** The slot owner of all requests with a made-up cookie, so that strangers do not use the slots of staff. */
const NOBODY = ''

/**
 * Identifies the session without a statement. Whether it is open is not known yet.
 *
 * @throws Refusal authentication_error
 */
export function identifyStaff(
  { sessionSecrets }: Pick<SessionDeps, 'sessionSecrets'>,
  request: FastifyRequest,
): CookieHolder {
  const secret = cookieOf(request, SESSION_COOKIE)
  if (secret === null) throw notSignedIn()
  return { owner: sessionSecrets.tagOf(secret) ?? NOBODY, secret }
}

/**
 * @param roleless the role of somebody whose claims no longer give one; null refuses them
 * @throws Refusal authentication_error; forbidden
 */
export async function authenticateStaff(
  { db, clock, roles }: SessionDeps,
  { secret }: CookieHolder,
  roleless: StaffRole | null = null,
): Promise<SignedIn> {
  const session = await seeStaffSession(db.writer, secret, clock())
  if (session === undefined) throw notSignedIn()
  const { subject, name, claims, expiresAtMs, authTimeMs } = session
  const role = roleOf(claims, roles) ?? roleless
  if (role === null) throw noRole()
  return { staff: { subject, name, role }, secret, expiresAtMs, authTimeMs }
}

const notSignedIn = () =>
  new Refusal('authentication_error', 'You are not signed in, or your session has ended. Sign in again.')

export const noRole = () =>
  new Refusal(
    'forbidden',
    `Your account has none of the roles ${staffRoles.join(', ')}. Ask for one of them.`,
  )

/** @throws Refusal forbidden naming the required role */
export function requireRole({ role }: Staff, needed: StaffRole): void {
  if (reaches(role, needed)) return
  throw new Refusal('forbidden', `This needs the role ${needed}; yours is ${role}.`)
}

/** @throws Refusal step_up_required */
export function requireFresh(signedIn: SignedIn, stepUp: StepUp | null, nowMs: number): void {
  if (stepUp === null || isFresh(signedIn, stepUp, nowMs)) return
  throw new Refusal('step_up_required', 'Sign in again: this change requires a recent sign-in.')
}

/** Token that our page sends with each change. Other pages cannot read it. */
export const csrfTokenOf = (secret: string): string => deriveSecret(secret, 'csrf')

/**
 * Checks that a change comes from our page, by its origin and by its CSRF header.
 *
 * @throws Refusal forbidden, with the param `csrf_token` if our page has the token of another session
 */
export function requireOwnPage({ headers }: FastifyRequest, secret: string, origin: string): void {
  const site = headers['sec-fetch-site']
  const token = headers['csrf-token']
  const isOurs = headers.origin === origin && (site === undefined || site === 'same-origin')
  if (!isOurs) throw new Refusal('forbidden', 'This request did not come from the dashboard.')
  if (typeof token === 'string' && isSameSecret(token, csrfTokenOf(secret))) return
  throw new Refusal(
    'forbidden',
    'The csrf-token is not that of this session. Read `me` for it, and send again.',
    {
      param: 'csrf_token',
    },
  )
}

/**
 * Another site can send a browser to an address of ours, and the audit log would name its user as the reader.
 *
 * @throws Refusal forbidden
 */
export function requireNoOtherSite({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  if (site !== 'cross-site' && site !== 'same-site') return
  throw new Refusal('forbidden', 'This request did not come from the dashboard.')
}
