import type { Span, Tracer } from '@merchant-payments/telemetry'
import type { FastifyInstance } from 'fastify'
import { routeOf } from './http/paths.ts'

const spanOf = Symbol('spanOf')

declare module 'fastify' {
  interface FastifyRequest {
    [spanOf]?: Span
  }
}

/** One span for each request, and within it those of the rails that its handler calls. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers
    request[spanOf] = tracer.start(
      'request',
      'server',
      typeof traceparent === 'string' ? traceparent : undefined,
    )
    done()
  })
  // Once the body is read: its events run in a context of their own.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = request[spanOf]
    if (span === undefined) done()
    else tracer.within(span, done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const facts = {
      'http.request.method': request.method,
      'http.route': routeOf(request) ?? 'none',
      'http.response.status_code': reply.statusCode,
      'request.id': request.id,
    }
    request[spanOf]?.end(facts, reply.statusCode >= 500)
    done()
  })
}
