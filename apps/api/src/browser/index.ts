import { type Answer, nothingThere } from '@merchant-payments/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Surfaces } from '../admission/surfaces.ts'
import {
  type ErrorHeaders,
  noteRefusal,
  refusalOf,
  sendAnswer,
  sendRefusal,
  unknownRoute,
} from '../http/errors.ts'
import { noteCaller } from '../http/caller.ts'
import { setFallback } from '../http/fallback.ts'
import { requireIds } from '../http/params.ts'
import type { PathTable } from '../http/path-table.ts'
import { answerAnyOrigin } from './cors.ts'
import { type BrowserDeps, type BrowserRoute, browserRoutes, credentialsOf } from './routes.ts'

const PREFIX = '/v1/browser'
/** Whose requests are with a key that no merchant has. */
const NOBODY = ''

/** The payers' surface (spec 1.6): no second way into /v1, but routes, a fallback and cross-origin rules of its own. */
export function registerBrowser(
  app: FastifyInstance,
  deps: BrowserDeps & { errorHeaders: ErrorHeaders; surfaces: Surfaces },
  table: PathTable,
): void {
  const { errorHeaders } = deps
  const routes = browserRoutes(deps)

  function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    const refusal = refusalOf(error)
    // A client disabled meanwhile, or an intent that is gone, is told no more than a wrong secret is.
    const isNothing = refusal.kind.status === 401 || refusal.kind.status === 404
    const shown = isNothing && refusal.code !== 'unknown_route' ? nothingThere() : refusal
    noteRefusal(request, shown)
    return sendRefusal(reply, errorHeaders, shown)
  }

  async function handle(
    serve: BrowserRoute['serve'],
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const credentials = credentialsOf(request)
    const merchantId = deps.deployment.merchants.findByKey(credentials.publishableKey)?.id
    noteCaller(request, merchantId)
    let answer: Answer
    try {
      requireIds(request.params)
      answer = await deps.surfaces.admit('browser', merchantId ?? NOBODY, reply, () =>
        serve(request, credentials),
      )
    } catch (error) {
      return refuse(request, reply, error)
    }
    return sendAnswer(reply, errorHeaders, answer)
  }

  void app.register(
    (surface, _options, done) => {
      surface.addHook('onRequest', answerAnyOrigin(errorHeaders))
      for (const { operation, serve } of routes) {
        surface.route({
          method: operation.method,
          url: operation.path.slice(PREFIX.length).replaceAll(/\{(\w+)\}/g, ':$1'),
          handler: (request, reply) => handle(serve, request, reply),
        })
      }
      setFallback(surface, table, (request, reply) => refuse(request, reply, unknownRoute()))
      done()
    },
    { prefix: PREFIX },
  )
}
