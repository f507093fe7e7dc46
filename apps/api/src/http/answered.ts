import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Calls back for each request that has its answer, once that is sent or its client has gone. The framework's own hook does
 * not run if the client goes first, as most clients do while something hangs.
 */
export function onAnswered(
  app: FastifyInstance,
  report: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    // A response closes after its last byte, or with its connection.
    if (reply.raw.destroyed) report(request, reply)
    else reply.raw.once('close', () => report(request, reply))
    done(null, payload)
  })
}
