import { methodsOf, type Operation } from '@merchant-payments/contract'
import type { Answer } from '@merchant-payments/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Place, Surfaces } from '../admission/surfaces.ts'
import { type ErrorHeaders, type Refuse, sendAnswer, unknownRoute } from './errors.ts'
import { openPaths, routerPathOf } from './paths.ts'

/** Whose share of a surface's places a request takes. */
interface Owner {
  readonly owner: string
}

/** An operation of the contract and what runs behind it. */
export interface Served<Caller> {
  readonly operation: Operation
  readonly place: Place
  readonly run: (caller: Caller, request: FastifyRequest, reply: FastifyReply) => Promise<Answer>
  /** In place of the surface's own. */
  readonly refuse?: Refuse
}

/** One surface of the API: its operations, who may call them, and how it refuses. */
export interface Mount<Who extends Owner, Caller> {
  /** Below which the surface answers every path, also those without a route. */
  readonly prefix: `/${string}`
  readonly operations: readonly Served<Caller>[]
  readonly surfaces: Surfaces
  readonly errorHeaders: ErrorHeaders
  /** Who calls, as far as that costs no statement. Runs before the request has a place. */
  readonly identify: (request: FastifyRequest) => Who | Promise<Who>
  /**
   * Whether they may. Runs in the place.
   *
   * @throws Refusal
   */
  readonly authorize: (who: Who, request: FastifyRequest, operation: Operation) => Caller | Promise<Caller>
  readonly refuse: Refuse
  /** A request keeps its place until its answer is sent, not only until it is known. */
  readonly keepsPlace?: boolean
  /** Where there is one, a path without a route is told only to those whom `allow` lets pass. */
  readonly unknown?: { readonly place: Place; readonly allow: (who: Who) => void }
  /** Of every answer below the prefix. */
  readonly headers?: Readonly<Record<string, string>>
  /** The surface's hooks, and its routes that are no operations of the contract. */
  readonly open?: (scope: FastifyInstance) => void
}

/** Serves a surface. What a request needs of its operation is worked out here, once. */
export function mount<Who extends Owner, Caller>(app: FastifyInstance, surface: Mount<Who, Caller>): void {
  const { prefix, operations, refuse, unknown, headers = {}, open } = surface
  openPaths(app, prefix, (scope) => {
    scope.addHook('onRequest', (_request, reply, done) => {
      reply.headers(headers)
      done()
    })
    open?.(scope)
    for (const served of operations) {
      scope.route({
        method: methodsOf(served.operation),
        url: routerPathOf(served.operation.path).slice(prefix.length),
        handler: handlerOf(surface, served),
      })
    }
    scope.setNotFoundHandler(
      unknown === undefined
        ? (request, reply) => refuse(request, reply, unknownRoute())
        : inPlace(surface, unknown.place, refuse, {
            work: async (who) => {
              unknown.allow(who)
              throw unknownRoute()
            },
            send: (reply) => reply,
          }),
    )
  })
}

function handlerOf<Who extends Owner, Caller>(
  surface: Mount<Who, Caller>,
  { operation, place, run, refuse = surface.refuse }: Served<Caller>,
) {
  const { authorize, errorHeaders } = surface
  return inPlace(surface, place, refuse, {
    work: async (who, request, reply) => run(await authorize(who, request, operation), request, reply),
    send: (reply, answer) => sendAnswer(reply, errorHeaders, answer),
  })
}

interface Work<Who, Result> {
  readonly work: (who: Who, request: FastifyRequest, reply: FastifyReply) => Promise<Result>
  readonly send: (reply: FastifyReply, result: Result) => FastifyReply
}

/** Does the work in a place, and sends what comes of it. A reply is a promise that it was sent: awaiting one waits for that. */
export function inPlace<Who extends Owner, Result>(
  {
    identify,
    surfaces,
    keepsPlace = false,
  }: Pick<Mount<Who, unknown>, 'identify' | 'surfaces' | 'keepsPlace'>,
  place: Place,
  refuse: Refuse,
  { work, send }: Work<Who, Result>,
) {
  async function answer(who: Who, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    try {
      return await send(reply, await work(who, request, reply))
    } catch (error) {
      return await refuse(request, reply, error)
    }
  }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    let result: Result
    try {
      const who = await identify(request)
      if (keepsPlace) {
        return await surfaces.admit(place, who.owner, reply, () => answer(who, request, reply))
      }
      result = await surfaces.admit(place, who.owner, reply, () => work(who, request, reply))
    } catch (error) {
      return refuse(request, reply, error)
    }
    return send(reply, result)
  }
}

/** An answer that is stored under no key. A string is JSON already. */
export const answerOf = (status: number, body: object | string): Answer => ({
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  shouldRetry: null,
  replayed: false,
})
