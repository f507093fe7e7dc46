import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendMethodNotAllowed } from './errors.ts'
import { type PathTable, pathOf } from './path-table.ts'

type RefuseUnknown = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>

/** What a surface answers where it has no route: 405 for a path that has one of another method, else its own 404. */
export function setFallback(scope: FastifyInstance, table: PathTable, refuseUnknown: RefuseUnknown): void {
  scope.setNotFoundHandler((request, reply) => {
    const allowed = table.methodsOf(pathOf(request.url))
    return allowed === null ? refuseUnknown(request, reply) : sendMethodNotAllowed(reply, allowed)
  })
}
