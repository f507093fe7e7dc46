import type { FastifyInstance } from 'fastify'
import { callerOf } from './http/caller.ts'
import { refusedWith } from './http/errors.ts'
import type { Log } from '@merchant-payments/log'

/** One canonical line for each request: what it was, whose, and how it ended. Never a header, a query or a body. */
export function logRequests(app: FastifyInstance, log: Log): void {
  // Its facts are words and numbers of ours: nothing to look through on every request.
  const lines = log.child({}, { redact: [] })
  app.addHook('onResponse', (request, reply, done) => {
    const refusal = request[refusedWith]
    const facts = {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      merchant: callerOf(request),
      code: refusal?.code ?? null,
      param: refusal?.param ?? null,
      replayed: reply.hasHeader('idempotent-replayed'),
      duration_ms: Math.round(reply.elapsedTime * 100) / 100,
    }
    if (reply.statusCode >= 500) log.error({ ...facts, err: refusal?.cause }, 'request')
    else lines.info(facts, 'request')
    done()
  })
}
