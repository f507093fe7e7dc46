import { leadingWordOf } from '@merchant-payments/contract'
import type { FastifyInstance } from 'fastify'
import { onAnswered } from './http/answered.ts'
import { callerOf, staffCallOf } from './http/caller.ts'
import { refusedWith } from './http/errors.ts'
import { methodLabelOf, routeOf } from './http/paths.ts'
import type { Log, Metrics } from '@merchant-payments/telemetry'

/** Writes one line per request with its route, caller and result. Never logs a header, a query or a body. */
export function logRequests(app: FastifyInstance, log: Log, metrics: Metrics): void {
  const observe = metrics.durations(
    'http_server_request_duration_seconds',
    'Requests, by route and status.',
    ['method', 'route', 'status'],
  )
  const countRefusal = metrics.counter('http_refusals_total', 'Refused requests, by error code.', ['code'])
  const countReplay = metrics.counter(
    'idempotent_replays_total',
    'Answers replayed under their idempotency key.',
  )
  onAnswered(app, (request, reply) => {
    const refusal = request[refusedWith]
    const facts = {
      request_id: request.id,
      method: request.method,
      route: routeOf(request),
      status: reply.statusCode,
      merchant: callerOf(request),
      // Set on the staff's surface only.
      ...staffCallOf(request),
      code: refusal?.code ?? null,
      // The rest of a name may be of metadata, whose keys are free text.
      param: leadingWordOf(refusal?.param ?? '') ?? null,
      replayed: reply.hasHeader('idempotent-replayed'),
      duration_ms: Math.round(reply.elapsedTime * 100) / 100,
    }
    const { route, code, status } = facts
    observe(reply.elapsedTime / 1_000, {
      method: methodLabelOf(request),
      route: route ?? 'none',
      status: String(status),
    })
    if (code !== null) countRefusal({ code })
    if (facts.replayed) countReplay({})
    // A shed request is not a fault, and a flood must not fill the log with errors. requests_shed_total counts it.
    const isFault =
      reply.statusCode >= 500 && !(code === 'service_unavailable' && refusal?.cause === undefined)
    if (isFault) log.error({ ...facts, err: refusal?.cause }, 'request')
    else log.info(facts, 'request')
  })
}
