import {
  confirmPaymentIntent,
  createCustomer,
  createPaymentIntent,
  methodsOf,
  type Operation,
  Refusal,
  retrieveInvoice,
} from '@merchant-payments/contract'
import {
  type Answer,
  clientDisabled,
  type Deps,
  isClientDisabled,
  type MerchantId,
  settleRefusal,
} from '@merchant-payments/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Surfaces } from '../admission/surfaces.ts'
import { noteCaller } from '../http/caller.ts'
import {
  type ErrorHeaders,
  noteRefusal,
  refusalOf,
  sendAnswer,
  sendRefusal,
  unknownRoute,
} from '../http/errors.ts'
import { parseForm } from '../http/form-body.ts'
import { claimOf } from '../http/idempotency-key.ts'
import { formOf, parseBody, parseParams, requireIds } from '../http/params.ts'
import { queryOf } from '../http/path-table.ts'
import type { Principal, VerifyAccessToken } from '../oauth/access-token.ts'
import type { Lookups } from '../lookups.ts'
import { accountHolderRoutes } from './account-holders.ts'
import { authenticate, challengeOf, requireAnyScope, requireScope } from './auth.ts'
import { checkoutSessionRoutes } from './checkout-sessions.ts'
import { customerRoutes } from './customers.ts'
import { eventRoutes } from './events.ts'
import type { Route } from './handle.ts'
import { invoiceItemRoutes } from './invoice-items.ts'
import { invoiceRoutes } from './invoices.ts'
import { paymentIntentRoutes } from './payment-intents.ts'
import { refundRoutes } from './refunds.ts'

export interface V1Deps extends Deps {
  readonly verifyToken: VerifyAccessToken
  readonly errorHeaders: ErrorHeaders
  readonly surfaces: Surfaces
  readonly lookups: Lookups
}

const v1Routes = (deps: V1Deps): Route[] => [
  ...paymentIntentRoutes(deps),
  ...checkoutSessionRoutes(deps),
  ...customerRoutes(deps),
  ...refundRoutes(deps),
  ...accountHolderRoutes(deps),
  ...invoiceRoutes(deps),
  ...invoiceItemRoutes(deps),
  ...eventRoutes(deps),
]

const principalOf = Symbol('principal')

declare module 'fastify' {
  interface FastifyRequest {
    [principalOf]?: Principal
  }
}

/** The merchant's surface. The order of checks is docs/spec-gaps.md's, "check order". */
export function registerV1(app: FastifyInstance, deps: V1Deps): void {
  for (const route of v1Routes(deps)) {
    app.route({
      method: methodsOf(route.operation),
      url: route.operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      handler: (request, reply) => serve(deps, route, request, reply),
    })
  }
}

async function serve(
  deps: V1Deps,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const surface = surfaceOf(route)
  return admit(deps, surface, request, reply, async (principal) => {
    requireAnyScope(principal)
    const { params } = request
    requireIds(params)
    requireScope(principal, request.method)
    const answer = await answerOf(deps, route, request, principal.merchantId, params)
    if (surface === 'v1_pages') deps.surfaces.restAfter(answer.body.length)
    return sendAnswer(reply, deps.errorHeaders, answer)
  })
}

const sharing: ReadonlySet<string> = new Set(
  [createCustomer, createPaymentIntent, confirmPaymentIntent].map(({ id }) => id),
)

/** Reads of an invoice bring up to 256 KiB of lines, as a page does of its rows. */
const isPage = ({ id }: Operation) => id.endsWith('.list') || id === retrieveInvoice.id

/** A write that shares no statement holds a connection, also where it waits for a row: fewer run than the pool has. */
function surfaceOf({ operation }: Route) {
  if (operation.method === 'GET') return isPage(operation) ? 'v1_pages' : 'v1'
  return sharing.has(operation.id) ? 'v1' : 'v1_writes'
}

/** Answers carry client secrets and payers' data: nothing between here and the merchant keeps or reinterprets them. */
const answerHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** What a verified bearer asks for, within the share of the merchant: nothing before that costs a statement. */
async function admit(
  deps: V1Deps,
  surface: ReturnType<typeof surfaceOf>,
  request: FastifyRequest,
  reply: FastifyReply,
  run: (principal: Principal) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  reply.headers(answerHeaders)
  try {
    const principal = await authenticate(request, deps.verifyToken)
    request[principalOf] = principal
    noteCaller(request, principal.merchantId)
    return await deps.surfaces.admit(surface, principal.merchantId, reply, async () => {
      try {
        return await run(principal)
      } catch (error) {
        return await refuse(deps, request, reply, error)
      }
    })
  } catch (error) {
    return refuse(deps, request, reply, error)
  }
}

async function answerOf(
  deps: V1Deps,
  route: Route,
  request: FastifyRequest,
  merchantId: MerchantId,
  params: unknown,
): Promise<Answer> {
  if (route.kind === 'command') {
    const answer = await runCommand(deps, route, request, merchantId, params)
    if (!answer.replayed) return answer
    return { ...answer, body: deps.deployment.clientSecrets.fill(answer.body) }
  }
  const body = await route.run({
    merchantId,
    requestId: request.id,
    params,
    query: parseQuery(route, request),
  })
  return { status: route.operation.ok.status, body, shouldRetry: null, replayed: false }
}

async function runCommand(
  deps: V1Deps,
  route: Route & { kind: 'command' },
  request: FastifyRequest,
  merchantId: MerchantId,
  params: unknown,
): Promise<Answer> {
  const bytes = formOf(request)
  const claim = claimOf(request, { merchantId, scope: 'v1' }, bytes)
  const body = parseBody(route.operation.body, bytes)
  // A stored answer is replayed before any parameter is judged, so a refused parameter is settled under its key.
  if (body instanceof Refusal) return settleRefusal(deps.db, claim, body, deps.clock())
  return route.run({ merchantId, requestId: request.id, claim, params, body } as never)
}

function parseQuery({ operation }: Route, { url }: FastifyRequest): unknown {
  if (operation.query === undefined) return undefined
  return parseParams(operation.query, parseForm(queryOf(url)))
}

/** An unrouted path of /v1: known only to those who may call at all (spec 4). */
export function refuseUnknownV1(
  deps: V1Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return admit(deps, 'v1', request, reply, (principal) => {
    requireAnyScope(principal)
    throw unknownRoute()
  })
}

/** Every refusal of /v1 passes here, also one that no statement has looked at: a disabled client is told 401 first. */
async function refuse(
  deps: V1Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): Promise<FastifyReply> {
  const refusal = refusalOf(error)
  const principal = request[principalOf]
  const knowsClient = principal !== undefined && refusal.kind.status < 500
  const disabled = knowsClient && (await isClientDisabled(deps.db.reader, principal.merchantId))
  const shown = disabled ? clientDisabled() : refusal
  noteRefusal(request, shown)
  const challenge = challengeOf(request, shown)
  if (challenge !== null) reply.header('www-authenticate', challenge)
  return sendRefusal(reply, deps.errorHeaders, shown)
}
