import { type Operation, type Refusal, retrieveAccountHolderInBrowser } from '@merchant-payments/contract'
import {
  type Credentials,
  type Deps,
  isDerivedSecret,
  nothingThere,
  whyClosed,
} from '@merchant-payments/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Surfaces } from '../admission/surfaces.ts'
import { noteCaller } from '../http/caller.ts'
import { type ErrorHeaders, noteRefusal, refusalOf, sendRefusal } from '../http/errors.ts'
import { answerOf, mount, type Served } from '../http/mount.ts'
import { withHandlers } from '../http/operations.ts'
import { parseQuery, requireIds } from '../http/params.ts'
import { runOnce } from '../http/run-once.ts'
import type { Lookups } from '../lookups.ts'
import { accountHolders } from './account-holders.ts'
import { checkoutSessions } from './checkout-sessions.ts'
import { answerAnyOrigin } from './cors.ts'
import type { BrowserHandlers, Call, Read, Write } from './handlers.ts'
import { type Links, rememberLinks } from './links.ts'
import { paymentIntents } from './payment-intents.ts'

interface BrowserDeps extends Deps {
  readonly errorHeaders: ErrorHeaders
  readonly surfaces: Surfaces
  readonly lookups: Lookups
}

const handlersOf = (deps: BrowserDeps): BrowserHandlers => ({
  ...paymentIntents(deps),
  ...checkoutSessions(deps),
  ...accountHolders(deps),
})

/**
 * The slot owner of requests whose key belongs to no merchant, or whose link is not known to be the merchant's. Publishable
 * keys are public, so a stranger's requests must not use the slots of a merchant's payers.
 */
const NOBODY = ''

/** Mounts the payers' surface (spec 1.6), with its own routes, fallback and cross-origin rules. */
export function mountBrowser(app: FastifyInstance, deps: BrowserDeps): void {
  const { errorHeaders, surfaces, deployment } = deps
  const links = rememberLinks(deps.clock)
  const merchantOf = ({ publishableKey }: Credentials) => deployment.merchants.findByKey(publishableKey)?.id
  // A stranger's guesses push out no link.
  const learnNothing = (credentials: Credentials) => {
    if (merchantOf(credentials) !== undefined && isDerivedSecret(deployment, credentials))
      links.learn(credentials, false)
  }
  const isServed = ({ id }: Operation) =>
    id !== retrieveAccountHolderInBrowser.id || deployment.payersMayLookUp
  mount(app, {
    prefix: '/v1/browser',
    surfaces,
    errorHeaders,
    operations: withHandlers('browser', handlersOf(deps))
      .filter(({ operation }) => isServed(operation))
      .map(({ operation, handler }) => serving({ ...deps, links }, operation, handler as Read | Write)),
    identify: (request) => {
      const credentials = credentialsOf(request)
      const merchantId = merchantOf(credentials)
      noteCaller(request, merchantId)
      const isDerived = merchantId !== undefined && isDerivedSecret(deployment, credentials)
      return { owner: isDerived && links.isPayers(credentials) ? merchantId : NOBODY, credentials }
    },
    authorize: ({ credentials }, request) => {
      requireIds(request)
      return credentials
    },
    refuse: async (request, reply, error) => {
      const refusal = shownOf(await explained(deps, request, refusalOf(error)))
      if (refusal.code === 'resource_missing') learnNothing(credentialsOf(request))
      noteRefusal(request, refusal)
      return sendRefusal(reply, errorHeaders, refusal)
    },
    open: (scope) => scope.addHook('onRequest', answerAnyOrigin(errorHeaders)),
  })
}

/** A closed client may be one that moves to another cell. Only then is the answer worth a retry. */
async function explained(
  { db, deployment }: BrowserDeps,
  request: FastifyRequest,
  refusal: Refusal,
): Promise<Refusal> {
  if (refusal.code !== 'authentication_error') return refusal
  const merchant = deployment.merchants.findByKey(credentialsOf(request).publishableKey)
  return merchant === undefined ? refusal : whyClosed(db.reader, merchant.id, refusal)
}

/** A disabled client and a deleted intent get the same answer as a wrong secret. */
const shownOf = (refusal: Refusal): Refusal =>
  (refusal.kind.status === 401 || refusal.kind.status === 404) && refusal.code !== 'unknown_route'
    ? nothingThere()
    : refusal

function serving(
  deps: BrowserDeps & { readonly links: Links },
  operation: Operation,
  handler: Read | Write,
): Served<Credentials> {
  const callOf = (credentials: Credentials, request: FastifyRequest) =>
    ({
      credentials,
      params: request.params,
      query: () => parseQuery(operation.query, request),
      once: (keys, run) => runOnce(deps, operation, request, keys, run as never),
    }) as Call
  const answer: Served<Credentials>['run'] =
    operation.method === 'GET'
      ? async (who, request) => answerOf(operation.ok.status, await handler(callOf(who, request)))
      : (who, request) => (handler as Write)(callOf(who, request))
  return {
    operation,
    slotClass: 'browser',
    run: async (who, request, reply) => {
      const answered = await answer(who, request, reply)
      deps.links.learn(who, true)
      return answered
    },
  }
}

/** Reads headers only: logs keep query parameters. */
const credentialsOf = ({ headers }: FastifyRequest): Credentials => ({
  publishableKey: textOf(headers['publishable-key']),
  clientSecret: textOf(headers['client-secret']),
})

const textOf = (header: string | string[] | undefined): string => (typeof header === 'string' ? header : '')
