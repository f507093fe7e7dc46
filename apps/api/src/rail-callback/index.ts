import type { CallbackReference, RailCode, Rails } from '@merchant-payments/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { queryOf } from '../http/path-table.ts'

/** All that a callback can reach. It holds no transaction, and a reference has no room for a status (spec 1.6). */
export interface CallbackDeps {
  readonly rails: Rails
  readonly pullForward: (rail: RailCode, reference: CallbackReference) => Promise<void>
}

/** Operators call back with either verb, whatever they document. */
export const callbackRoutes = [
  { method: 'POST', path: '/provider/{code}/callback' },
  { method: 'PUT', path: '/provider/{code}/callback' },
] as const

/**
 * The rails' surface. Untrusted, unauthenticated, and answered alike whatever it says: an unknown rail, an unknown
 * reference and garbage cannot be told from a good call.
 */
export function registerCallbacks(app: FastifyInstance, deps: CallbackDeps): void {
  app.route<{ Params: { code: string } }>({
    method: ['POST', 'PUT'],
    url: '/provider/:code/callback',
    handler: async (request, reply) => {
      const rail = deps.rails.get(request.params.code as RailCode)
      const reference = rail?.parseCallbackReference(callbackOf(request)) ?? null
      if (rail !== undefined && reference !== null) await deps.pullForward(rail.code, reference)
      return reply.code(200).send()
    },
  })
}

function callbackOf({ url, body }: FastifyRequest) {
  return {
    query: new URLSearchParams(queryOf(url)),
    body: body instanceof Uint8Array ? body : new Uint8Array(),
  }
}
