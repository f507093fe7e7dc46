import { methodsOf, Refusal } from '@merchant-payments/contract'
import {
  type Answer,
  clientDisabled,
  type Deps,
  isClientDisabled,
  type MerchantId,
  settleRefusal,
} from '@merchant-payments/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
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
import { accountHolderRoutes } from './account-holders.ts'
import { authenticate, requireAnyScope, requireScope } from './auth.ts'
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
}

export const v1Routes = (deps: Deps): Route[] => [
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
export function registerV1(app: FastifyInstance, deps: V1Deps, routes: readonly Route[]): void {
  for (const route of routes) {
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
  let answer: Answer
  try {
    const principal = await authenticate(request, deps.verifyToken)
    request[principalOf] = principal
    noteCaller(request, principal.merchantId)
    requireAnyScope(principal)
    const { params } = request
    requireIds(params)
    requireScope(principal, request.method)
    answer = await answerOf(deps, route, request, principal.merchantId, params)
  } catch (error) {
    return refuse(deps, request, reply, error)
  }
  return sendAnswer(reply, deps.errorHeaders, answer)
}

async function answerOf(
  deps: V1Deps,
  route: Route,
  request: FastifyRequest,
  merchantId: MerchantId,
  params: unknown,
): Promise<Answer> {
  if (route.kind === 'command') return runCommand(deps, route, request, merchantId, params)
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
export async function refuseUnknownV1(
  deps: V1Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    const principal = await authenticate(request, deps.verifyToken)
    request[principalOf] = principal
    noteCaller(request, principal.merchantId)
    requireAnyScope(principal)
    throw unknownRoute()
  } catch (error) {
    return refuse(deps, request, reply, error)
  }
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
  return sendRefusal(reply, deps.errorHeaders, shown)
}
