import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Calls back for each request that has its answer, also if its client had gone by then. The framework has no hook for
 * the latter, and they are most requests while something hangs.
 */
export function onAnswered(
  app: FastifyInstance,
  report: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  app.addHook('onResponse', (request, reply, done) => {
    report(request, reply)
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.raw.destroyed) report(request, reply)
    done(null, payload)
  })
}
