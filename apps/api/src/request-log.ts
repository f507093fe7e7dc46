import type { FastifyInstance } from 'fastify'
import { callerOf, staffCallOf } from './http/caller.ts'
import { refusedWith } from './http/errors.ts'
import { routeOf } from './http/paths.ts'
import type { Log, Metrics } from '@merchant-payments/telemetry'

/** One canonical line for each request: what it was, whose, and how it ended. Never a header, a query or a body. */
export function logRequests(app: FastifyInstance, log: Log, metrics: Metrics): void {
  const observe = metrics.durations(
    'http_server_request_duration_seconds',
    'Requests, by route and status.',
    ['method', 'route', 'status'],
  )
  const countRefusal = metrics.counter(
    'http_refusals_total',
    'Refused requests, by the code of the refusal.',
    ['code'],
  )
  const countReplay = metrics.counter('idempotent_replays_total', 'Answers given again under their key.')
  // Its facts are words and numbers of ours: nothing to look through on every request.
  const lines = log.child({}, { redact: [] })
  app.addHook('onResponse', (request, reply, done) => {
    const refusal = request[refusedWith]
    const facts = {
      request_id: request.id,
      method: request.method,
      route: routeOf(request),
      status: reply.statusCode,
      merchant: callerOf(request),
      // On the staff's surface alone.
      ...staffCallOf(request),
      code: refusal?.code ?? null,
      param: wordOf(refusal?.param),
      replayed: reply.hasHeader('idempotent-replayed'),
      duration_ms: Math.round(reply.elapsedTime * 100) / 100,
    }
    const { method, route, code } = facts
    observe(reply.elapsedTime / 1_000, { method, route: route ?? 'none', status: String(facts.status) })
    if (code !== null) countRefusal({ code })
    if (facts.replayed) countReplay({})
    // A request that was shed is no fault, and a flood must not fill the log with errors: requests_shed_total counts it.
    const isFault =
      reply.statusCode >= 500 && !(code === 'service_unavailable' && refusal?.cause === undefined)
    if (isFault) log.error({ ...facts, err: refusal?.cause }, 'request')
    else lines.info(facts, 'request')
    done()
  })
}

/**
 * The parameter without its brackets, if it is a word: a name in a request is the sender's own text. One who sends JSON
 * as a form has all of it for a name, and keys of metadata may be anything.
 */
const wordOf = (param: string | undefined): string | null =>
  /^([a-z_]{1,40})(?:\[|$)/.exec(param ?? '')?.[1] ?? null
