import type { CallbackReference, Clock, RailCode, Rails } from '@merchant-payments/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Surfaces } from '../admission/surfaces.ts'
import { openPaths, queryOf } from '../http/paths.ts'
import { coalesce, type PullForward } from './coalesce.ts'
import { paceOf } from './pace.ts'
import type { Submitted } from './submitted.ts'
import { turnsOf } from './turns.ts'

/**
 * docs/spec-gaps.md, load. Far above the callbacks of a machine's payments, and far below what its processor can
 * answer, because anybody who finds the address can call it.
 */
const PACE = { perSecond: 1_000, burst: 100, waitMaxMs: 1_000 }

/**
 * docs/spec-gaps.md, load. With the thousand calls that wait for their turn, they keep three quarters of the connections
 * (`CONNECTIONS_MAX`).
 */
const REFUSALS = { delayMs: PACE.waitMaxMs, delayedMax: 512 }

/** docs/spec-gaps.md, load. The query of our addresses has 40 characters, and a rail may add its own. */
const QUERY_CHARS_MAX = 1_024

/** All that a callback can reach: no transaction, and no parameter for a status (spec 1.6). */
export interface CallbackDeps {
  readonly rails: Rails
  /** The charges of this process. Their first callbacks do not wait. */
  readonly submitted: Pick<Submitted, 'take'>
  /** Returns whether a charge of the rail has this reference. */
  readonly isKnown: (rail: RailCode, reference: CallbackReference) => Promise<boolean>
  readonly pullForward: PullForward
  readonly clock: Clock
  readonly surfaces: Surfaces
}

/**
 * Mounts the rails' surface. It is unauthenticated and gives every call the same answer, so an unknown rail, an
 * unknown reference and garbage look like a valid call. Calls are spread over time, so a flood uses little of the
 * processor: before its turn, a call costs only the reading of its address. The first callback of a charge that this
 * process has submitted does not wait behind a flood. A call that names no charge costs one read and no write. A call
 * above the pace is a 503: the worker asks the rail anyway, and a rail that calls again only brings this forward.
 */
export function registerCallbacks(app: FastifyInstance, deps: CallbackDeps): void {
  const pullForward = coalesce(deps.pullForward, deps.clock)
  const waitForTurn = turnsOf(paceOf(PACE, deps.clock), REFUSALS)
  const receive = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { code } = request.params as { code: RailCode }
    const rail = deps.rails.get(code)
    const inAddress = rail?.parseCallbackQuery(queryOfCallback(request)) ?? null
    const isSubmitted = rail !== undefined && inAddress !== null && deps.submitted.take(rail.code, inAddress)
    if (!isSubmitted && !(await waitForTurn())) throw deps.surfaces.shed('callback')
    const reference = inAddress ?? rail?.parseCallbackBody(bodyOf(request)) ?? null
    if (
      rail !== undefined &&
      reference !== null &&
      (isSubmitted || deps.submitted.take(rail.code, reference) || (await deps.isKnown(rail.code, reference)))
    ) {
      await pullForward(rail.code, reference, (statement) =>
        deps.surfaces.admit('callback', rail.code, reply, statement),
      )
    }
    return reply.code(200).send()
  }
  openPaths(app, '', (scope) => {
    // Operators use either method, whatever they document.
    scope.route({ method: ['POST', 'PUT'], url: '/provider/:code/callback', handler: receive })
  })
}

function queryOfCallback({ url }: FastifyRequest): URLSearchParams {
  const query = queryOf(url)
  return new URLSearchParams(query.length > QUERY_CHARS_MAX ? '' : query)
}

const bodyOf = ({ body }: FastifyRequest): Uint8Array =>
  body instanceof Uint8Array ? body : new Uint8Array()
