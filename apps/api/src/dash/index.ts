import { type Operation, retrieveStaffMember, signOut } from '@merchant-payments/contract'
import type { Registration, StaffDeps, StepUp } from '@merchant-payments/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Surfaces } from '../admission/surfaces.ts'
import { noteStaff } from '../http/caller.ts'
import {
  type ErrorHeaders,
  noteRefusal,
  refusalOf,
  sendJson,
  sendRefusal,
  unknownRoute,
} from '../http/errors.ts'
import { setFallback } from '../http/fallback.ts'
import { requireIds } from '../http/params.ts'
import type { PathTable } from '../http/path-table.ts'
import { endSessions, sendLogoutError } from './backchannel-logout.ts'
import { clearCookie, SESSION_COOKIE } from './cookies.ts'
import { sendPageOrRefusal } from './page.ts'
import { dashRoutes } from './routes.ts'
import { serve } from './serve.ts'
import { authenticateStaff, requireFresh, requireOwnPage, requireRole, type SignedIn } from './session.ts'
import { tellEntry, type TellDeps } from './tell-entry.ts'
import { finishSignIn, finishSignOut, renderMember, signIn, type SignInDeps } from './sign-in.ts'

const PREFIX = '/dash/v1'

export interface DashDeps extends StaffDeps, TellDeps, Omit<SignInDeps, 'db' | 'clock'> {
  readonly errorHeaders: ErrorHeaders
  readonly surfaces: Surfaces
  /** Null where a sign-in is good for its whole session. */
  readonly stepUp: StepUp | null
  readonly registrations: readonly Registration[]
}

/** A route whose answer is JSON, for somebody who is signed in. */
interface Answered {
  readonly operation: Operation
  readonly answer: (request: FastifyRequest, reply: FastifyReply, who: SignedIn) => Promise<object>
}

/** What a browser goes to by itself. */
const pages = [
  { method: 'GET', path: `${PREFIX}/sign_in`, goOn: signIn },
  { method: 'GET', path: `${PREFIX}/callback`, goOn: finishSignIn },
] as const

/** Where the provider tells of those who signed out there. */
const LOGOUT_PATH = `${PREFIX}/backchannel_logout`

/** The staff's surface (spec 1.6): routes, a fallback and a session of its own, on connections of its own. */
export function registerDash(app: FastifyInstance, deps: DashDeps, table: PathTable): void {
  const { errorHeaders } = deps
  const tell = tellEntry(deps)
  const routes: readonly Answered[] = [
    { operation: retrieveStaffMember, answer: (_request, _reply, who) => Promise.resolve(renderMember(who)) },
    {
      operation: signOut,
      answer: (_request, reply, who) => {
        clearCookie(reply, SESSION_COOKIE)
        return finishSignOut(deps, who)
      },
    },
    ...dashRoutes(deps, deps.registrations).map(
      (route): Answered => ({
        operation: route.operation,
        answer: (request, reply, { staff }) => serve(route, request, reply, staff, tell),
      }),
    ),
  ]

  function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    const refusal = refusalOf(error)
    noteRefusal(request, refusal)
    return sendRefusal(reply, errorHeaders, refusal)
  }

  /** To a browser that came here by itself, so that a person reads what went wrong. */
  function refuseNavigation(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    const refusal = refusalOf(error)
    noteRefusal(request, refusal)
    return sendPageOrRefusal(request, reply, errorHeaders, refusal)
  }

  /** Who calls, once it is known that they may. */
  async function admit(
    request: FastifyRequest,
    { method, role = 'admin', isGrave = false }: Operation,
  ): Promise<SignedIn> {
    const signedIn = await authenticateStaff(deps, request)
    noteStaff(request, signedIn.staff.subject)
    requireIds(request.params)
    if (method !== 'GET') requireOwnPage(request, signedIn.secret, deps.origin)
    requireRole(signedIn.staff, role)
    if (isGrave) requireFresh(signedIn, deps.stepUp, deps.clock())
    return signedIn
  }

  async function handle(
    { operation, answer }: Answered,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    let body: object
    try {
      body = await deps.surfaces.admit('staff', 'staff', reply, async () =>
        answer(request, reply, await admit(request, operation)),
      )
    } catch (error) {
      return operation === signOut ? refuseNavigation(request, reply, error) : refuse(request, reply, error)
    }
    return sendJson(reply, operation.ok.status, JSON.stringify(body))
  }

  async function handlePage(
    { goOn, path }: (typeof pages)[number],
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    try {
      await deps.surfaces.admit('sign_in', path, reply, () => goOn(deps, request, reply))
    } catch (error) {
      return refuseNavigation(request, reply, error)
    }
    return reply
  }

  async function handleLogout(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    try {
      await deps.surfaces.admit('sign_in', LOGOUT_PATH, reply, () => endSessions(deps, request))
    } catch (error) {
      const refusal = refusalOf(error)
      noteRefusal(request, refusal)
      return sendLogoutError(reply, errorHeaders, refusal)
    }
    return reply.code(200).send()
  }

  void app.register(
    (surface, _options, done) => {
      const at = (path: string) => path.slice(PREFIX.length).replaceAll(/\{(\w+)\}/g, ':$1')
      surface.addHook('onRequest', (_request, reply, next) => {
        reply.headers(closedToOthers)
        next()
      })
      for (const page of pages) {
        const { method, path } = page
        surface.route({
          method,
          url: at(path),
          handler: (request, reply) => handlePage(page, request, reply),
        })
      }
      surface.post(at(LOGOUT_PATH), handleLogout)
      for (const route of routes) {
        const { method, path } = route.operation
        surface.route({ method, url: at(path), handler: (request, reply) => handle(route, request, reply) })
      }
      setFallback(surface, table, (request, reply) => refuse(request, reply, unknownRoute()))
      done()
    },
    { prefix: PREFIX },
  )
}

/** No answer is kept, framed or read by another site. */
const closedToOthers = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}
