import { setTimeout as delay } from 'node:timers/promises'
import type { CallbackReference, Clock, RailCode, Rails } from '@merchant-payments/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Surfaces } from '../admission/surfaces.ts'
import { openPaths, queryOf } from '../http/paths.ts'
import { coalesce, type PullForward } from './coalesce.ts'
import { paceOf } from './pace.ts'

/**
 * docs/spec-gaps.md, load. Far more than a machine's payments call back, and far less than its processor can answer:
 * whoever finds the address can send what he likes.
 */
const PACE = { perSecond: 1_000, burst: 100, waitMsMax: 1_000 }

/** All that a callback can reach. It holds no transaction, and a reference has no room for a status (spec 1.6). */
export interface CallbackDeps {
  readonly rails: Rails
  /** Whether a charge of the rail has the reference. */
  readonly isKnown: (rail: RailCode, reference: CallbackReference) => Promise<boolean>
  readonly pullForward: PullForward
  readonly clock: Clock
  readonly surfaces: Surfaces
}

/**
 * The rails' surface. Untrusted, unauthenticated, and answered alike whatever it says: an unknown rail, an unknown
 * reference and garbage cannot be told from a good call. Calls are spread over time, whatever they say, so that a flood
 * takes little of it; what names no charge is read once and writes nothing. Beyond its share a call is a 503: the worker
 * asks the rail anyway, and a rail that calls again makes it ask sooner.
 */
export function registerCallbacks(app: FastifyInstance, deps: CallbackDeps): void {
  const pullForward = coalesce(deps.pullForward, deps.clock)
  const pace = paceOf(PACE, deps.clock)
  const receive = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const waitMs = pace()
    // A refusal is late too: a flood would otherwise be refused again at once.
    if (waitMs !== 0) await delay(waitMs ?? PACE.waitMsMax)
    if (waitMs === null) throw deps.surfaces.shed('callback')
    const { code } = request.params as { code: RailCode }
    const rail = deps.rails.get(code)
    const reference = rail?.parseCallbackReference(callbackOf(request)) ?? null
    if (rail !== undefined && reference !== null && (await deps.isKnown(rail.code, reference))) {
      await pullForward(rail.code, reference, (statement) =>
        deps.surfaces.admit('callback', rail.code, reply, statement),
      )
    }
    return reply.code(200).send()
  }
  openPaths(app, '', (scope) => {
    // Operators call back with either verb, whatever they document.
    scope.route({ method: ['POST', 'PUT'], url: '/provider/:code/callback', handler: receive })
  })
}

function callbackOf({ url, body }: FastifyRequest) {
  return {
    query: new URLSearchParams(queryOf(url)),
    body: body instanceof Uint8Array ? body : new Uint8Array(),
  }
}
