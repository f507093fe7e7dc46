import type { Clock, RailCode } from '@merchant-payments/core'
import type { Span, Tracer } from '@merchant-payments/telemetry'
import type { FastifyInstance } from 'fastify'
import { onAnswered } from './http/answered.ts'
import { routeOf } from './http/paths.ts'

const spanOf = Symbol('spanOf')

declare module 'fastify' {
  interface FastifyRequest {
    [spanOf]?: Span
  }
}

/** Records a span per request. The spans of its rail calls, and of what the worker does for it later, are its children. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers
    request[spanOf] = tracer.startRequest(
      request.id,
      typeof traceparent === 'string' ? traceparent : undefined,
    )
    done()
  })
  // The events of the body run in another context, so the request's context starts after them.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = request[spanOf]
    if (span === undefined) done()
    else tracer.within(span, done)
  })
  onAnswered(app, (request, reply) => {
    const facts = {
      'http.request.method': request.method,
      'http.route': routeOf(request) ?? 'none',
      'http.response.status_code': reply.statusCode,
      'request.id': request.id,
    }
    request[spanOf]?.end(facts, reply.statusCode >= 500)
  })
}

/** Records a span of a callback that begins now, in the trace of the confirm whose charge it brings forward. */
export function traceCallback(
  { tracer, clock }: { readonly tracer: Tracer; readonly clock: Clock },
  rail: RailCode,
): (requestId: string | null) => void {
  const startedAtMs = clock()
  return (requestId) =>
    tracer.forRequest(requestId, () => {
      tracer.start('rail callback', 'internal', startedAtMs).end({ rail }, false)
    })
}
