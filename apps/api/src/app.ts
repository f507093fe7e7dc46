import { randomUUID } from 'node:crypto'
import { type Deps, isCallbackKnown, pullForward } from '@merchant-payments/core'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { openSurfaces, type SurfaceLimits } from './admission/surfaces.ts'
import { mountBrowser } from './browser/index.ts'
import { registerCheckoutPage } from './checkout-page/index.ts'
import type { CheckoutPage } from './checkout-page/page.ts'
import { registerDashboardPage } from './dashboard-page/index.ts'
import type { DashboardPage } from './dashboard-page/page.ts'
import { type DashDeps, mountDash } from './dash/index.ts'
import {
  type ErrorHeaders,
  isTooLarge,
  rawBadRequest,
  refusalOf,
  refusing,
  sendJson,
  sendRefusal,
  sendTooLarge,
  unknownRoute,
} from './http/errors.ts'
import { BODY_BYTES_MAX, boundUnreadBodies } from './http/body-limit.ts'
import { boundConnections } from './http/connections.ts'
import { knowAllMethods, openPaths } from './http/paths.ts'
import type { Readiness } from './internal.ts'
import { openLookups } from './lookups.ts'
import type { Pace } from './rail-callback/pace.ts'
import { type Log, type Metrics, noTracer, type Tracer } from '@merchant-payments/telemetry'
import { type OauthDeps, registerOauth } from './oauth/register.ts'
import { registerCallbacks } from './rail-callback/index.ts'
import { registerReference } from './reference.ts'
import { logRequests } from './request-log.ts'
import { traceRequests } from './request-trace.ts'
import { mountV1, type V1Deps } from './v1/index.ts'

export interface ApiDeps extends Deps, Pick<V1Deps, 'verifyToken'> {
  readonly oauth: OauthDeps
  /** Of the payers' surface: connections of its own, and statements that merchants do not share. */
  readonly payers: Pick<Deps, 'db' | 'writes'>
  /** For callbacks, which anybody can make. */
  readonly callbacks: Pick<Deps, 'db'>
  /** In place of the surfaces' own. */
  readonly limits?: SurfaceLimits | undefined
  /** In place of LOOKUPS_PER_MERCHANT. */
  readonly lookupPace?: Pace | undefined
  readonly connectionsMax?: number | undefined
  readonly errorHeaders: ErrorHeaders
  readonly log: Log
  readonly metrics: Metrics
  readonly tracer: Tracer
  readonly readiness: Readiness
  /** Spec 1.6: absent where the deployment has no staff. */
  readonly dash?:
    | Pick<
        DashDeps,
        | 'db'
        | 'roles'
        | 'identityProvider'
        | 'origin'
        | 'payerNumbers'
        | 'registrations'
        | 'staffLimits'
        | 'stepUp'
      >
    | undefined
  /** The page for people who read the API's description. */
  readonly referencePage: boolean
  /** Absent where another host serves the page. */
  readonly checkoutPage?: CheckoutPage | undefined
  /** Absent where the deployment has no staff, or their page is elsewhere. */
  readonly dashboardPage?: DashboardPage | undefined
}

/** A slow sender holds a connection no longer than this, headers and body, and this for the headers alone. */
const REQUEST_TIMEOUT_MS = 30_000
const HEADERS_TIMEOUT_MS = 15_000
/** How often these two are looked at. */
const TIMEOUTS_EVERY_MS = 5_000
/** Nothing was sent or read for so long: longer than any answer takes. */
const SILENCE_TIMEOUT_MS = 120_000
/** docs/spec-gaps.md, load: more than all surfaces run and keep waiting, and so many bodies fit into memory. */
const CONNECTIONS_MAX = 2_048
const HEADERS_MAX = 100
/** Of the request line and all headers. */
const HEADER_BYTES_MAX = 16 * 1024
/** Longer than a balancer's idle time, so that the balancer closes first. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000
/** Ids are judged by their handlers, whatever their length: the router only bounds its work. */
const PARAM_CHARS_MAX = 16_384

/** The HTTP service. Each surface serves its own paths; what is below none of them is refused here. */
export function buildApi(parts: ApiDeps): FastifyInstance {
  const { errorHeaders, checkoutPage, dashboardPage } = parts
  const surfaces = openSurfaces(parts, parts.limits)
  const lookups = openLookups({ ...parts, pace: parts.lookupPace })
  const deps = { ...parts, surfaces, lookups, rails: surfaces.outside(parts.rails) }
  const app = openServer(parts)

  app.addHook('onRequest', (request, reply, done) => {
    answerRequestId(request, reply)
    // A balancer still sends while it learns that we stop: each of its connections ends with an answer, none is broken.
    if (deps.readiness.stopping) reply.header('connection', 'close')
    done()
  })
  logRequests(app, deps.log, deps.metrics)
  if (deps.tracer !== noTracer) traceRequests(app, deps.tracer)

  openPaths(app, '', (scope) => {
    scope.get('/healthz', (_request, reply) => sendJson(reply, 200, '{"status":"ok"}'))
  })
  registerOauth(app, deps.oauth, surfaces)
  mountV1(app, deps)
  mountBrowser(app, { ...deps, ...deps.payers })
  if (deps.dash !== undefined) mountDash(app, { ...deps, ...deps.dash })
  registerReference(app, { page: deps.referencePage, staff: deps.dash !== undefined })
  registerCallbacks(app, {
    rails: deps.rails,
    surfaces,
    clock: deps.clock,
    isKnown: (rail, reference) => isCallbackKnown(deps.callbacks.db.reader, rail, reference),
    pullForward: (rail, reference) => pullForward(deps.callbacks.db.writer, rail, reference, deps.clock()),
  })
  if (checkoutPage !== undefined) registerCheckoutPage(app, checkoutPage)
  if (dashboardPage !== undefined) registerDashboardPage(app, dashboardPage)

  const refuse = refusing((_request, reply, refusal) => sendRefusal(reply, errorHeaders, refusal))
  app.setNotFoundHandler((request, reply) => refuse(request, reply, unknownRoute()))
  app.setErrorHandler((error, request, reply) =>
    isTooLarge(error) ? sendTooLarge(reply) : refuse(request, reply, error),
  )
  return app
}

/** A server within its bounds, which has no route yet. */
function openServer({ errorHeaders, connectionsMax = CONNECTIONS_MAX }: ApiDeps): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: SILENCE_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: mintRequestId,
    routerOptions: { maxParamLength: PARAM_CHARS_MAX, querystringParser: () => ({}) },
    frameworkErrors: (error, request, reply) => {
      answerRequestId(request, reply)
      void sendRefusal(reply, errorHeaders, refusalOf(error))
    },
    clientErrorHandler: (_error, socket) => {
      if (socket.writable) socket.end(rawBadRequest(mintRequestId(), errorHeaders))
      else socket.destroy()
    },
    // A missing Host header and an Expect that we do not know are for the handlers to answer, in the envelope.
    http: {
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUTS_EVERY_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
    },
  })
  app.server.maxHeadersCount = HEADERS_MAX
  boundConnections(app.server, connectionsMax)
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))

  knowAllMethods(app)
  // Bodies stay bytes: their hash is the idempotency fingerprint, and each surface has its own form of them.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  boundUnreadBodies(app)
  return app
}

const mintRequestId = (): string => `req_${randomUUID().replaceAll('-', '')}`

/** Spec 7.2: one value under both names, on every response. */
function answerRequestId(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('request-id', request.id).header('x-request-id', request.id)
}
