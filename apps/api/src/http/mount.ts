import { methodsOf, type Operation } from '@merchant-payments/contract'
import type { Answer } from '@merchant-payments/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SlotClass, Surfaces } from '../admission/surfaces.ts'
import { type ErrorHeaders, type Refuse, sendAnswer, unknownRoute } from './errors.ts'
import { openPaths, routerPathOf } from './paths.ts'

/** The owner to whose slots a request counts. */
interface Owner {
  readonly owner: string
}

/** An operation of the contract with its handler. */
export interface Served<Caller> {
  readonly operation: Operation
  readonly slotClass: SlotClass
  readonly run: (caller: Caller, request: FastifyRequest, reply: FastifyReply) => Promise<Answer>
  /** Replaces the surface's own. */
  readonly refuse?: Refuse
}

/** A surface of the API: its operations, its authentication and its error rendering. */
export interface Mount<Who extends Owner, Caller> {
  /** The surface answers every path below this prefix, also those without a route. */
  readonly prefix: `/${string}`
  readonly operations: readonly Served<Caller>[]
  readonly surfaces: Surfaces
  readonly errorHeaders: ErrorHeaders
  /** Identifies the caller without a statement, before the request has a slot. */
  readonly identify: (request: FastifyRequest) => Who | Promise<Who>
  /**
   * Authorizes the caller, within the slot.
   *
   * @throws Refusal
   */
  readonly authorize: (who: Who, request: FastifyRequest, operation: Operation) => Caller | Promise<Caller>
  readonly refuse: Refuse
  /** If present, a path without a route is a 404 only for callers whom `allow` accepts. */
  readonly unknown?: { readonly slotClass: SlotClass; readonly allow: (who: Who) => void }
  /** Set on every answer below the prefix. */
  readonly headers?: Readonly<Record<string, string>>
  /** Adds the surface's hooks and its routes outside the contract. */
  readonly open?: (scope: FastifyInstance) => void
}

/** Serves a surface. Prepares what depends only on the operation once, not per request. */
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
        : inSlot(surface, unknown.slotClass, refuse, {
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
  { operation, slotClass, run, refuse = surface.refuse }: Served<Caller>,
) {
  const { authorize, errorHeaders } = surface
  return inSlot(surface, slotClass, refuse, {
    work: async (who, request, reply) => run(await authorize(who, request, operation), request, reply),
    send: (reply, answer) => sendAnswer(reply, errorHeaders, answer),
  })
}

interface Work<Who, Result> {
  readonly work: (who: Who, request: FastifyRequest, reply: FastifyReply) => Promise<Result>
  readonly send: (reply: FastifyReply, result: Result) => FastifyReply
  /** Releases the slot when the answer has left the process, not when it is ready. Default: true. */
  readonly keepsSlot?: boolean
}

/**
 * Runs the work in a slot and sends its result. The answer counts among the running requests until it has left. So clients
 * that do not read cannot make the process keep more answers than there are slots.
 */
export function inSlot<Who extends Owner, Result>(
  { identify, surfaces }: Pick<Mount<Who, unknown>, 'identify' | 'surfaces'>,
  slotClass: SlotClass,
  refuse: Refuse,
  { work, send, keepsSlot = true }: Work<Who, Result>,
) {
  async function answer(who: Who, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    try {
      await send(reply, await work(who, request, reply))
    } catch (error) {
      await refuse(request, reply, error)
    }
    // The framework's reply settles when its bytes are given to the response. Most have left at that time.
    const { raw } = reply
    if (raw.writableLength > 0 && !raw.closed) await new Promise((left) => raw.once('close', left))
    return reply
  }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    let result: Result
    try {
      const who = await identify(request)
      if (keepsSlot) {
        return await surfaces.admit(slotClass, who.owner, reply, () => answer(who, request, reply))
      }
      result = await surfaces.admit(slotClass, who.owner, reply, () => work(who, request, reply))
    } catch (error) {
      return refuse(request, reply, error)
    }
    return send(reply, result)
  }
}

/** An answer that is stored under no key. A string is already JSON. */
export const answerOf = (status: number, body: object | string): Answer => ({
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  shouldRetry: null,
  replayed: false,
})
