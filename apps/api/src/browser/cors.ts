import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorHeaders } from '../http/errors.ts'

/** The longest time for which browsers cache a preflight. */
const PREFLIGHT_KEPT_SEC = 7_200

/**
 * Spec 1.6: pages of any origin may call, with a key and a secret and without cookies. Nothing is cached, because
 * answers depend on headers that caches do not see.
 */
export function answerAnyOrigin({ shouldRetryAlias }: ErrorHeaders) {
  const exposed = [
    'request-id',
    'x-request-id',
    'compat-should-retry',
    'idempotent-replayed',
    // Pages count down with it, because the payer's clock may be wrong.
    'date',
    shouldRetryAlias,
  ]
  const exposedHeaders = exposed.filter((name) => name !== null).join(', ')
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    reply.headers({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': exposedHeaders,
      'cache-control': 'no-store',
    })
    if (isPreflight(request)) {
      // Also covers paths without a route, so that the page can read the 404.
      void reply
        .headers({
          'access-control-allow-methods': 'GET, HEAD, POST',
          'access-control-allow-headers': 'publishable-key, client-secret, idempotency-key, content-type',
          'access-control-max-age': PREFLIGHT_KEPT_SEC,
        })
        .code(200)
        .send()
    } else done()
  }
}

const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined
