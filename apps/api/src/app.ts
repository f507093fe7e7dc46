import { randomUUID } from 'node:crypto'
import { type Deps, isCallbackKnown, pullForward } from '@merchant-payments/core'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { openSurfaces, type SurfaceLimits } from './admission/surfaces.ts'
import { mountBrowser } from './browser/index.ts'
import { registerCheckoutPage } from './checkout-page/index.ts'
import type { CheckoutPage } from './checkout-page/page.ts'
import { registerDashboardPage } from './dashboard-page/index.ts'
import type { DashboardPage } from './dashboard-page/page.ts'
import { mountDash, type StaffParts } from './dash/index.ts'
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
import { BlockwiseRequest } from './http/blockwise.ts'
import { BODY_BYTES_MAX, boundUnreadBodies } from './http/body-limit.ts'
import { boundConnections } from './http/connections.ts'
import { knowAllMethods, openPaths } from './http/paths.ts'
import { serveInTurn } from './http/turns.ts'
import { decodableTarget, dropUndecodableType } from './http/undecodable.ts'
import type { Readiness } from './internal.ts'
import { openLookups } from './lookups.ts'
import type { Pace } from './rail-callback/pace.ts'
import { type Log, type Metrics, noTracer, type Tracer } from '@merchant-payments/telemetry'
import { type OauthDeps, registerOauth } from './oauth/register.ts'
import { registerCallbacks } from './rail-callback/index.ts'
import { rememberSubmitted } from './rail-callback/submitted.ts'
import { registerReference } from './reference.ts'
import { logRequests } from './request-log.ts'
import { traceCallback, traceRequests } from './request-trace.ts'
import { mountV1, type V1Deps } from './v1/index.ts'

export interface ApiDeps extends Deps, Pick<V1Deps, 'verifyToken'> {
  readonly oauth: OauthDeps
  /** The payers' surface has connections and shared statements separate from those of merchants. */
  readonly payers: Pick<Deps, 'db' | 'writes'>
  /** For callbacks, which need no credential. */
  readonly callbacks: Pick<Deps, 'db'>
  /** Replaces the surfaces' default limits. */
  readonly limits?: SurfaceLimits | undefined
  /** Replaces LOOKUPS_PER_MERCHANT. */
  readonly lookupPace?: Pace | undefined
  readonly connectionsMax?: number | undefined
  /** Replaces UNTAKEN_MAX_MS. */
  readonly untakenMaxMs?: number | undefined
  /** Replaces TIMEOUTS_EVERY_MS. */
  readonly timeoutsEveryMs?: number | undefined
  readonly errorHeaders: ErrorHeaders
  readonly log: Log
  readonly metrics: Metrics
  readonly tracer: Tracer
  readonly readiness: Readiness
  /** Absent if the deployment has no staff (spec 1.6). */
  readonly dash?: StaffParts | undefined
  /** Serves the page for people who read the API's description. */
  readonly referencePage: boolean
  /** Absent if another host serves the page. */
  readonly checkoutPage?: CheckoutPage | undefined
  /** Absent if the deployment has no staff, or another host serves their page. */
  readonly dashboardPage?: DashboardPage | undefined
}

/** Time limit for receiving a request with its body, and below it the limit for its headers. */
const REQUEST_TIMEOUT_MS = 30_000
const HEADERS_TIMEOUT_MS = 15_000
/** Interval at which Node checks these two limits. */
const TIMEOUTS_EVERY_MS = 5_000
/** Closes a connection after this time without traffic. Every answer is faster, but for the files of exports. */
const SILENCE_TIMEOUT_MS = 120_000
/** docs/spec-gaps.md, load. Above the running and waiting requests of all surfaces. Memory holds this many bodies. */
const CONNECTIONS_MAX = 2_048
/**
 * docs/spec-gaps.md, load. With the time for its bytes, the longest answer of /v1 keeps its slot for less than a minute.
 * A phone may lose its network for some seconds.
 */
const UNTAKEN_MAX_MS = 30_000
const HEADERS_MAX = 100
/** Limit for the request line and all headers together. */
const HEADER_BYTES_MAX = 16 * 1024
/** Above a balancer's idle time, so that the balancer closes the connection first. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000
/** The router's own limit, against excessive work. Handlers validate ids of any shorter length. */
const PARAM_CHARS_MAX = 16_384

/** Builds the HTTP service. Each surface serves its own paths. Paths outside every surface are refused here. */
export function buildApi(parts: ApiDeps): FastifyInstance {
  const { errorHeaders, checkoutPage, dashboardPage } = parts
  const surfaces = openSurfaces(parts, parts.limits)
  const lookups = openLookups({ ...parts, pace: parts.lookupPace })
  const submitted = rememberSubmitted()
  const deps = { ...parts, surfaces, lookups, rails: submitted.of(surfaces.outside(parts.rails)) }
  const app = openServer(parts)

  serveInTurn(app)
  app.addHook('onRequest', (request, reply, done) => {
    answerRequestId(request, reply)
    dropUndecodableType(request.raw)
    // A balancer still sends requests until it notices the stop. `Connection: close` ends each connection after its
    // answer.
    if (deps.readiness.stopping) reply.header('connection', 'close')
    if (deps.readiness.starting === undefined) done()
    // The callback form: an async hook would create a promise for each request.
    // oxlint-disable-next-line promise/no-callback-in-promise
    else void deps.readiness.starting.then(() => done())
  })
  logRequests(app, deps.log, deps.metrics)
  if (deps.tracer !== noTracer) traceRequests(app, deps.tracer)

  openPaths(app, '', (scope) => {
    scope.get('/healthz', (_request, reply) => sendJson(reply, 200, '{"status":"ok"}'))
  })
  registerOauth(app, { ...deps.oauth, surfaces, errorHeaders })
  mountV1(app, deps)
  mountBrowser(app, { ...deps, ...deps.payers })
  if (deps.dash !== undefined) mountDash(app, { ...deps, ...deps.dash })
  registerReference(app, {
    page: deps.referencePage,
    staff: deps.dash !== undefined,
    publicBaseUrl: deps.deployment.publicBaseUrl,
    startedMs: deps.clock(),
  })
  registerCallbacks(app, {
    rails: deps.rails,
    submitted,
    surfaces,
    clock: deps.clock,
    isKnown: (rail, reference) => isCallbackKnown(deps.callbacks.db.reader, rail, reference),
    pullForward: (rail, reference) =>
      pullForward(deps.callbacks.db.writer, rail, reference, deps.clock(), traceCallback(deps, rail)),
  })
  if (checkoutPage !== undefined) registerCheckoutPage(app, checkoutPage)
  const refuse = refusing((_request, reply, refusal) => sendRefusal(reply, errorHeaders, refusal))
  const refuseRoute = (request: FastifyRequest, reply: FastifyReply) => refuse(request, reply, unknownRoute())
  if (dashboardPage !== undefined) registerDashboardPage(app, dashboardPage, refuseRoute)
  app.setNotFoundHandler(refuseRoute)
  app.setErrorHandler((error, request, reply) => {
    if (isTooLarge(error)) return sendTooLarge(reply)
    return refuse(request, reply, error)
  })
  return app
}

/** A server with its limits set and without routes. */
function openServer({
  errorHeaders,
  connectionsMax = CONNECTIONS_MAX,
  untakenMaxMs = UNTAKEN_MAX_MS,
  timeoutsEveryMs = TIMEOUTS_EVERY_MS,
}: ApiDeps): FastifyInstance {
  const app: FastifyInstance = fastify({
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
      // Routed again here, because `rewriteUrl` costs every request some microseconds.
      const target = decodableTarget(request.raw)
      if (target !== request.raw.url) {
        request.raw.url = target
        return app.routing(request.raw, reply.raw)
      }
      answerRequestId(request, reply)
      void sendRefusal(reply, errorHeaders, refusalOf(error))
    },
    clientErrorHandler: ({ code }, socket) => {
      // A client takes this for the final answer of a request that has arrived whole and may be done, or of a late one.
      // Node reads on after a time limit, but not after a malformed byte.
      const isFinal = code !== 'ERR_HTTP_REQUEST_TIMEOUT' && !hasWhole(socket)
      if (socket.writable && isFinal) socket.end(rawBadRequest(mintRequestId(), errorHeaders))
      else socket.destroy()
    },
    // Handlers answer a missing Host header and an unknown Expect, so that the response has the error envelope.
    http: {
      IncomingMessage: BlockwiseRequest,
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: timeoutsEveryMs,
      maxHeaderSize: HEADER_BYTES_MAX,
    },
  })
  app.server.maxHeadersCount = HEADERS_MAX
  const hasWhole = boundConnections(app.server, { connectionsMax, untakenMaxMs })
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))

  knowAllMethods(app)
  // Bodies stay bytes: the idempotency fingerprint is a hash of them, and each surface parses them differently.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  boundUnreadBodies(app)
  return app
}

const mintRequestId = (): string => `req_${randomUUID().replaceAll('-', '')}`

/** Sends the same id under both header names on every response (spec 7.2). */
function answerRequestId(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('request-id', request.id).header('x-request-id', request.id)
}
