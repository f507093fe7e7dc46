import { Refusal } from '@merchant-payments/contract'
import {
  type Answer,
  clientDisabled,
  type Deps,
  isClientDisabled,
  type MerchantId,
  settleRefusal,
} from '@merchant-payments/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorHeaders, noteRefusal, refusalOf, sendAnswer, sendRefusal } from '../http/errors.ts'
import { decodeBody, parseForm } from '../http/form-body.ts'
import { queryOf, RESERVED_SEGMENT } from '../http/path-table.ts'
import type { Principal, VerifyAccessToken } from '../oauth/access-token.ts'
import { authenticate, requireAnyScope, requireScope } from './auth.ts'
import { checkoutSessionRoutes } from './checkout-sessions.ts'
import { eventRoutes } from './events.ts'
import { parseParams, type Route } from './handle.ts'
import { claimOf } from './idempotency-key.ts'
import { paymentIntentRoutes } from './payment-intents.ts'

export interface V1Deps extends Deps {
  readonly verifyToken: VerifyAccessToken
  readonly errorHeaders: ErrorHeaders
}

export const v1Routes = (deps: Deps): Route[] => [
  ...paymentIntentRoutes(deps),
  ...checkoutSessionRoutes(deps),
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
      method: route.operation.method,
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
    requireAnyScope(principal)
    const params = request.params as Record<string, string>
    if (!Object.values(params).every(isIdSegment)) throw unknownRoute()
    requireScope(principal, request.method)
    answer = await answerOf(deps, route, request, principal.merchantId, params)
  } catch (error) {
    return refuse(deps, request, reply, error)
  }
  return sendAnswer(reply, deps.errorHeaders, answer)
}

/** The router also takes nothing for a parameter: `/v1/payment_intents/` is no intent's path. */
const isIdSegment = (segment: string): boolean => segment !== '' && segment !== RESERVED_SEGMENT

async function answerOf(
  deps: V1Deps,
  route: Route,
  request: FastifyRequest,
  merchantId: MerchantId,
  params: unknown,
): Promise<Answer> {
  if (route.kind === 'command') return runCommand(deps, route, request, merchantId, params)
  const body = await route.run({ merchantId, params, query: parseQuery(route, request) })
  return { status: route.operation.ok.status, body, shouldRetry: null, replayed: false }
}

async function runCommand(
  deps: V1Deps,
  route: Route & { kind: 'command' },
  request: FastifyRequest,
  merchantId: MerchantId,
  params: unknown,
): Promise<Answer> {
  const bytes = request.body instanceof Uint8Array ? request.body : noBody
  requireForm(request, bytes)
  const claim = claimOf(request, merchantId, bytes)
  const body = parseBody(route, bytes)
  // A stored answer is replayed before any parameter is judged, so a refused parameter is settled under its key.
  if (body instanceof Refusal) return settleRefusal(deps.db, claim, body, deps.clock())
  return route.run({ merchantId, claim, params, body } as never)
}

const noBody = new Uint8Array()
const formType = /^application\/x-www-form-urlencoded\s*(?:;\s*charset="?utf-8"?\s*)?$/i

/** Spec 7.2: a JSON body is a 400. A body that is not there needs no type. */
function requireForm({ headers }: FastifyRequest, bytes: Uint8Array): void {
  if (bytes.length === 0 || formType.test(headers['content-type'] ?? '')) return
  throw new Refusal('invalid_request', 'The body must be application/x-www-form-urlencoded.')
}

function parseBody({ operation }: Route, bytes: Uint8Array): unknown {
  try {
    const form = parseForm(decodeBody(bytes))
    return operation.body === undefined ? undefined : parseParams(operation.body, form)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function parseQuery({ operation }: Route, { url }: FastifyRequest): unknown {
  if (operation.query === undefined) return undefined
  return parseParams(operation.query, parseForm(queryOf(url)))
}

export const unknownRoute = () => new Refusal('unknown_route', 'No such route.')

/** An unrouted path of /v1: known only to those who may call at all (spec 4). */
export async function refuseUnknownV1(
  deps: V1Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    const principal = await authenticate(request, deps.verifyToken)
    request[principalOf] = principal
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

/** For the log line: the merchant whose token was shown. */
export const merchantOf = (request: FastifyRequest): string | null => request[principalOf]?.merchantId ?? null
