import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  confirmPaymentIntent,
  createCheckoutSession,
  createCustomer,
  createInvoice,
  createInvoiceItem,
  createPaymentIntent,
  type Operation,
  retrieveInvoice,
} from '@merchant-payments/contract'
import { type Answer, type Deps, whyClosed } from '@merchant-payments/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Surfaces } from '../admission/surfaces.ts'
import { noteCaller } from '../http/caller.ts'
import { type ErrorHeaders, noteRefusal, refusalOf, sendRefusal } from '../http/errors.ts'
import { answerOf, mount, type Served } from '../http/mount.ts'
import { withHandlers } from '../http/operations.ts'
import { parseQuery, requireIds } from '../http/params.ts'
import { runOnce } from '../http/run-once.ts'
import type { Lookups } from '../lookups.ts'
import type { Principal, VerifyAccessToken } from '../oauth/access-token.ts'
import { accountHolders } from './account-holders.ts'
import { authenticate, challengeOf, requireAnyScope, requireScope } from './auth.ts'
import { checkoutSessions } from './checkout-sessions.ts'
import { customers } from './customers.ts'
import { events } from './events.ts'
import type { Read, V1Handlers, Write } from './handlers.ts'
import { invoiceItems } from './invoice-items.ts'
import { invoices } from './invoices.ts'
import { paymentIntents } from './payment-intents.ts'
import { refunds } from './refunds.ts'

export interface V1Deps extends Deps {
  readonly verifyToken: VerifyAccessToken
  readonly errorHeaders: ErrorHeaders
  readonly surfaces: Surfaces
  readonly lookups: Lookups
}

const handlersOf = (deps: V1Deps): V1Handlers => ({
  ...paymentIntents(deps),
  ...checkoutSessions(deps),
  ...customers(deps),
  ...refunds(deps),
  ...accountHolders(deps),
  ...invoices(deps),
  ...invoiceItems(deps),
  ...events(deps),
})

const principalOf = Symbol('principal')

declare module 'fastify' {
  interface FastifyRequest {
    [principalOf]?: Principal
  }
}

/** Answers hold client secrets and payers' data, so nothing on the way may cache or reinterpret them. */
const answerHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** Mounts the merchant's surface. docs/spec-gaps.md, "check order", gives the order of checks. */
export function mountV1(app: FastifyInstance, deps: V1Deps): void {
  mount(app, {
    prefix: '/v1/',
    surfaces: deps.surfaces,
    errorHeaders: deps.errorHeaders,
    operations: withHandlers('v1', handlersOf(deps)).map(({ operation, handler }) =>
      operation.method === 'GET' || operation.method === 'DELETE'
        ? reading(deps, operation, handler as Read)
        : writing(deps, operation, handler as Write),
    ),
    identify: async (request) => {
      const principal = await authenticate(request, deps.verifyToken)
      request[principalOf] = principal
      noteCaller(request, principal.merchantId)
      return { owner: principal.merchantId, principal }
    },
    authorize: ({ principal }, request) => {
      requireAnyScope(principal)
      requireIds(request)
      requireScope(principal, request.method)
      return principal
    },
    refuse: (request, reply, error) => refuse(deps, request, reply, error),
    // Only a token with a scope learns that a route does not exist (spec 4).
    unknown: { slotClass: 'v1', allow: ({ principal }) => requireAnyScope(principal) },
    headers: answerHeaders,
  })
}

function reading({ surfaces }: V1Deps, operation: Operation, run: Read): Served<Principal> {
  const slotClass = operation.method === 'DELETE' ? 'v1_writes' : isPage(operation) ? 'v1_pages' : 'v1'
  return {
    operation,
    slotClass,
    run: async ({ merchantId }, request, reply) => {
      const { id: requestId, params } = request
      const query = parseQuery(operation.query, request)
      const found = await run({ merchantId, requestId, params, query })
      if (slotClass === 'v1_pages') {
        await nextTurn()
        return afterOthers(surfaces, answerOf(operation.ok.status, found))
      }
      const answer = answerOf(operation.ok.status, found)
      if (!isLarge(answer)) return answer
      // A removal is committed by now, so it is never refused. The size of an object is not known before it is read.
      return operation.method === 'DELETE'
        ? afterOthers(surfaces, answer)
        : surfaces.admit('v1_large', merchantId, reply, () => afterOthers(surfaces, answer))
    },
  }
}

/** UTF-16 units above which an answer is large. */
const LARGE_ANSWER_LENGTH = 8 * 1_024

const isLarge = ({ body }: Answer): boolean => body.length > LARGE_ANSWER_LENGTH

/** Reading, rendering and sending 256 KiB take about a millisecond each. Other requests run in between. */
async function afterOthers(surfaces: Surfaces, answer: Answer): Promise<Answer> {
  surfaces.restAfter(answer.body.length)
  await nextTurn()
  return answer
}

/** Reading an invoice returns up to 256 KiB of lines, as much as a page of rows. */
const isPage = ({ id }: Operation) => id.endsWith('.list') || id === retrieveInvoice.id

const idsOf = (...operations: readonly Operation[]): ReadonlySet<string> =>
  new Set(operations.map(({ id }) => id))

const sharing = idsOf(
  createCustomer,
  createPaymentIntent,
  confirmPaymentIntent,
  createCheckoutSession,
  createInvoice,
  createInvoiceItem,
)

/** Their answers have a client secret, which is not stored with them. Other answers may hold text that looks like its place. */
const showingSecrets = idsOf(createPaymentIntent, createCheckoutSession)

/**
 * A write outside shared statements holds a connection, also while it waits for a row. So fewer run than the pool has
 * connections.
 */
function writing(deps: V1Deps, operation: Operation, run: Write): Served<Principal> {
  const { surfaces } = deps
  const { clientSecrets } = deps.deployment
  const showsSecret = showingSecrets.has(operation.id)
  return {
    operation,
    slotClass: sharing.has(operation.id) ? 'v1' : 'v1_writes',
    run: async ({ merchantId }, request): Promise<Answer> => {
      const { id: requestId, params } = request
      const answer = await runOnce(deps, operation, request, { merchantId, scope: 'v1' }, (claim, body) =>
        run({ merchantId, requestId, claim, params, body }),
      )
      const shown =
        answer.replayed && showsSecret ? { ...answer, body: clientSecrets.fill(answer.body) } : answer
      return isLarge(shown) ? afterOthers(surfaces, shown) : shown
    },
  }
}

/**
 * Handles every /v1 error, also before any SQL has run. A disabled client gets a 401 before any other error, and one that
 * lives in another cell a 503.
 */
async function refuse(
  deps: V1Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): Promise<FastifyReply> {
  const refusal = refusalOf(error)
  const principal = request[principalOf]
  const knowsClient = principal !== undefined && refusal.kind.status < 500
  const shown = knowsClient ? await whyClosed(deps.db.reader, principal.merchantId, refusal) : refusal
  noteRefusal(request, shown)
  const challenge = challengeOf(request, shown)
  if (challenge !== null) reply.header('www-authenticate', challenge)
  return sendRefusal(reply, deps.errorHeaders, shown)
}
