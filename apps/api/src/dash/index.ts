import { type Operation, signOut, STATEMENT_PART_BYTES_MAX, takesKey } from '@merchant-payments/contract'
import type { StepUp } from '@merchant-payments/core'
import type { Database } from '@merchant-payments/db'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Surfaces } from '../admission/surfaces.ts'
import { noteStaff } from '../http/caller.ts'
import { cutBody, type ErrorHeaders, type Refuse, refusing, sendAnswer, sendRefusal } from '../http/errors.ts'
import { inSlot, mount, type Served } from '../http/mount.ts'
import { withHandlers } from '../http/operations.ts'
import { requireIds } from '../http/params.ts'
import { endSessions, sendLogoutError } from './backchannel-logout.ts'
import { useCookies } from './cookies.ts'
import { exportFiles } from './exports/load.ts'
import type { Read, Write } from './handlers.ts'
import { handlersOf } from './nouns/index.ts'
import { sendPageOrRefusal } from './page.ts'
import { reading, writing } from './serve.ts'
import { noteChange, readsOf, type StandbyDeps } from './standby.ts'
import {
  authenticateStaff,
  type CookieHolder,
  identifyStaff,
  requireFresh,
  requireNoOtherSite,
  requireOwnPage,
  requireRole,
  type SignedIn,
} from './session.ts'
import { finishSignIn, signIn, takeAttempt } from './sign-in.ts'
import type { SignInAttempt } from './sign-in-attempt.ts'
import { statementLines } from './statements/lines.ts'
import { logAuditEntry, type AuditLogDeps } from './log-audit-entry.ts'

const PREFIX = '/dash/v1'

export interface DashDeps extends StandbyDeps, AuditLogDeps {
  readonly errorHeaders: ErrorHeaders
  readonly surfaces: Surfaces
  /** The connections of requests that come before a session, separate from those of staff. */
  readonly signInDb: Database
  /** Null if no operation requires a recent sign-in. */
  readonly stepUp: StepUp | null
}

/** What only the staff's surface needs. It shares the rest with the other surfaces. */
export type StaffParts = Pick<
  DashDeps,
  | 'db'
  | 'signInDb'
  | 'roles'
  | 'sessionSecrets'
  | 'signInAttempts'
  | 'identityProvider'
  | 'origin'
  | 'payerNumbers'
  | 'registrations'
  | 'statements'
  | 'staffLimits'
  | 'standby'
  | 'stepUp'
>

/** Mounts the staff's surface (spec 1.6), with its own routes, fallback, session and connections. */
export function mountDash(app: FastifyInstance, deps: DashDeps): void {
  const { errorHeaders, surfaces } = deps
  mount(app, {
    prefix: PREFIX,
    surfaces,
    errorHeaders,
    operations: operationsOf(deps),
    identify: (request) => identifyStaff(deps, request),
    authorize: (who, request, operation) => admitStaff(deps, who, request, operation),
    refuse: refusing((_request, reply, refusal) => sendRefusal(reply, errorHeaders, refusal)),
    headers: closedToOthers,
    open: (scope) => {
      useCookies(scope)
      openSignIn(scope, deps)
      openFiles(scope, deps)
      openParts(scope, deps)
    },
  })
}

/** Answers a browser's navigation with a page that a person can read. */
const refuseNavigation = ({ errorHeaders }: DashDeps): Refuse =>
  refusing((request, reply, refusal) => sendPageOrRefusal(request, reply, errorHeaders, refusal))

function operationsOf(deps: DashDeps): Served<SignedIn>[] {
  const logEntry = logAuditEntry(deps)
  const reads = readsOf(deps)
  return withHandlers('dash', handlersOf(deps)).map(({ operation, handler }) => {
    if (takesKey(operation)) return writing(operation, handler as Write, logEntry, deps.payerNumbers)
    const served = reading(operation, reads.ofOperation(operation, handler as Read), logEntry)
    return operation === signOut ? { ...served, refuse: refuseNavigation(deps) } : served
  })
}

/** Authenticates the caller and checks the role. */
async function admitStaff(
  deps: DashDeps,
  who: CookieHolder,
  request: FastifyRequest,
  operation: Operation,
): Promise<SignedIn> {
  const { method, role = 'admin', isGrave = false } = operation
  // Nobody needs a role to end their session.
  const signedIn = await authenticateStaff(deps, who, operation === signOut ? 'viewer' : null)
  noteStaff(request, signedIn.staff.subject)
  requireIds(request)
  if (method === 'GET') requireNoOtherSite(request)
  else requireOwnPage(request, signedIn.secret, deps.origin)
  requireRole(signedIn.staff, role)
  if (isGrave) requireFresh(signedIn, deps.stepUp, deps.clock())
  return signedIn
}

/** Routes that a browser navigates to, and the provider's back-channel logout. */
function openSignIn(scope: FastifyInstance, deps: DashDeps): void {
  const page = refuseNavigation(deps)
  const signInDeps = { ...deps, db: deps.signInDb }
  const logout = refusing((_request, reply, refusal) => sendLogoutError(reply, deps.errorHeaders, refusal))
  for (const { method, url, refuse, work, send } of [
    { method: 'GET', url: '/sign_in', refuse: page, work: signIn, send: redirected },
    { method: 'POST', url: '/backchannel_logout', refuse: logout, work: endSessions, send: sendNothing },
  ] as const) {
    const access = { identify: () => ({ owner: url }), surfaces: deps.surfaces }
    scope.route({
      method,
      url,
      handler: inSlot(access, 'sign_in', refuse, {
        work: (_who, request, reply) => work(signInDeps, request, reply),
        send,
      }),
    })
  }
  openCallback(scope, signInDeps)
}

/**
 * A stranger's request is refused before it takes a slot. A sign-in whose request got no slot stays open, because the
 * refusal asks to send the request again.
 */
function openCallback(scope: FastifyInstance, deps: DashDeps): void {
  const { surfaces, signInAttempts } = deps
  scope.route({
    method: 'GET',
    url: '/callback',
    handler: async (request, reply) => {
      const unused = new Set<SignInAttempt>()
      const identify = () => {
        const attempt = takeAttempt(deps, request, reply)
        unused.add(attempt)
        return { owner: '/callback', attempt }
      }
      const answer = inSlot({ identify, surfaces }, 'sign_in', refuseNavigation(deps), {
        work: ({ attempt }) => {
          unused.delete(attempt)
          return finishSignIn(deps, attempt, request, reply)
        },
        send: redirected,
      })
      try {
        return await answer(request, reply)
      } finally {
        for (const attempt of unused) signInAttempts.giveBack(attempt)
      }
    },
  })
}

/** Files are streams, so the contract's operations cannot answer with them. `exports.create` names their paths. */
function openFiles(scope: FastifyInstance, deps: DashDeps): void {
  const files = exportFiles({ ...deps, lists: readsOf(deps).listsFor })
  scope.route({
    method: 'GET',
    url: '/exports/:id',
    exposeHeadRoute: false,
    handler: inSlot(
      { identify: (request) => identifyStaff(deps, request), surfaces: deps.surfaces },
      'staff',
      refuseNavigation(deps),
      { work: files.open, send: files.send, keepsSlot: false },
    ),
  })
}

/** Bodies of parts that a process reads at once. Memory holds this many, beside those of CONNECTIONS_MAX requests. */
const PARTS_READ_MAX = 8

/**
 * A part of a statement's file is no form, and larger than any other body. `statements.create` describes it. Its sender
 * is authenticated before a byte is read, so that strangers cannot fill the memory.
 */
function openParts(scope: FastifyInstance, deps: DashDeps): void {
  const { surfaces, errorHeaders } = deps
  const { admitSender, takeLines } = statementLines(deps)
  const refuse = refusing((_request, reply, refusal) => sendRefusal(reply, errorHeaders, refusal))
  let partsRead = 0
  scope.route({
    method: 'POST',
    url: '/statements/:id/lines',
    bodyLimit: STATEMENT_PART_BYTES_MAX,
    onRequest: async (request, reply) => {
      try {
        const who = identifyStaff(deps, request)
        await surfaces.admit('staff', who.owner, reply, () => admitSender(who, request))
        // The event of a close that has happened does not come again, so such a part would count for ever.
        if (reply.raw.closed) throw cutBody(undefined)
        if (partsRead >= PARTS_READ_MAX) throw surfaces.shed('staff')
      } catch (error) {
        return refuse(request, reply, error)
      }
      partsRead += 1
      reply.raw.once('close', () => {
        partsRead -= 1
      })
      return undefined
    },
    handler: inSlot({ identify: (request) => identifyStaff(deps, request), surfaces }, 'staff', refuse, {
      work: (_who, request, reply) => {
        noteChange(reply)
        return takeLines(request)
      },
      send: (reply, answer) => sendAnswer(reply, errorHeaders, answer),
    }),
  })
}

const redirected = (reply: FastifyReply): FastifyReply => reply
const sendNothing = (reply: FastifyReply): FastifyReply => reply.code(200).send()

/** Headers that keep answers from being cached, framed or read by another site. */
const closedToOthers = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}
