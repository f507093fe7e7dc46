import { Refusal, type SignedOut, type StaffMember } from '@merchant-payments/contract'
import {
  endStaffSession,
  openStaffSession,
  roleOf,
  secondsOf,
  STAFF_SESSION_MS,
} from '@merchant-payments/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseForm } from '../http/form-body.ts'
import { queryOf } from '../http/paths.ts'
import { clearCookie, cookieOf, SESSION_COOKIE, setCookie, SIGN_IN_COOKIE } from './cookies.ts'
import type { IdentityProvider } from './identity-provider.ts'
import { DASHBOARD_PATH, parseReturnPath } from './return-path.ts'
import { csrfTokenOf, noRole, type SessionDeps, type SignedIn } from './session.ts'
import { ATTEMPT_MS, type SignInAttempt, type SignInAttempts } from './sign-in-attempt.ts'

export interface SignInDeps extends SessionDeps {
  readonly identityProvider: IdentityProvider
  readonly signInAttempts: SignInAttempts
  /** Origin of the dashboard. */
  readonly origin: string
}

/** Redirects the browser to the identity provider. */
export async function signIn(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { return_to: returnTo = null, step_up: stepUp } = parseForm(queryOf(request.url))
  if (typeof returnTo !== 'string' && returnTo !== null) {
    throw new Refusal('invalid_request', 'must be a single path', { param: 'return_to' })
  }
  const attempt = deps.signInAttempts.begin(parseReturnPath(returnTo, deps.origin), deps.clock())
  const { href } = await deps.identityProvider.authorizationUrl(attempt, stepUp === 'true')
  setCookie(reply, SIGN_IN_COOKIE, attempt.cookie, ATTEMPT_MS / 1_000).redirect(href, 303)
}

/**
 * Takes the attempt that a redirect back belongs to, without a statement and without the provider.
 *
 * @throws Refusal invalid_request
 */
export function takeAttempt(
  { signInAttempts, clock }: Pick<SignInDeps, 'signInAttempts' | 'clock'>,
  request: FastifyRequest,
  reply: FastifyReply,
): SignInAttempt {
  const state = new URLSearchParams(queryOf(request.url)).get('state')
  const attempt = signInAttempts.take(cookieOf(request, SIGN_IN_COOKIE), state, clock())
  if (attempt !== null) return attempt
  clearCookie(reply, SIGN_IN_COOKIE)
  throw notBegunHere()
}

/** Completes a sign-in after the redirect back. Each sign-in creates a session with a new secret. */
export async function finishSignIn(
  deps: SignInDeps,
  attempt: SignInAttempt,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { db, clock, roles, identityProvider, sessionSecrets } = deps
  // Each attempt is used once, also if it fails.
  clearCookie(reply, SIGN_IN_COOKIE)
  const query = queryOf(request.url)
  if (new URLSearchParams(query).has('error'))
    throw new Refusal('forbidden', 'The identity provider refused the sign-in.')
  const identity = await identityProvider.redeem(query, attempt)
  if (roleOf(identity.claims, roles) === null) throw noRole()
  const secret = sessionSecrets.mint()
  const replaced = cookieOf(request, SESSION_COOKIE)
  await openStaffSession(db.writer, identity, { secret, replaced }, clock())
  setCookie(reply, SESSION_COOKIE, secret, STAFF_SESSION_MS / 1_000).redirect(attempt.returnTo, 303)
}

const notBegunHere = () =>
  new Refusal('invalid_request', 'This sign-in was not started in this browser, or has expired. Start again.')

/** Ends our session even if the provider fails. The page follows the returned address to end the provider's session. */
export async function finishSignOut(
  { db, identityProvider, origin }: SignInDeps,
  { secret }: SignedIn,
): Promise<SignedOut> {
  await endStaffSession(db.writer, secret)
  const redirectTo = await identityProvider.endSessionUrl(`${origin}${DASHBOARD_PATH}`)
  return { object: 'signed_out', redirect_to: redirectTo }
}

export const renderMember = (
  { staff, secret, expiresAtMs }: SignedIn,
  { livemode }: { readonly livemode: boolean },
): StaffMember => ({
  object: 'staff_member',
  subject: staff.subject,
  name: staff.name,
  role: staff.role,
  livemode,
  csrf_token: csrfTokenOf(secret),
  expires_at: secondsOf(expiresAtMs),
})
