import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorHeaders } from '../http/errors.ts'

/** As long as browsers keep a preflight at most. */
const PREFLIGHT_KEPT_SEC = 7_200

/**
 * Spec 1.6: any page may call, with a key and a secret of its own and no cookies. No answer is kept: it depends on
 * headers that caches do not look at.
 */
export function answerAnyOrigin({ shouldRetryAlias }: ErrorHeaders) {
  const exposed = [
    'request-id',
    'x-request-id',
    'compat-should-retry',
    'idempotent-replayed',
    // By which a page counts down: the payer's own clock may be wrong.
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
      // Also for a path without a route, so that the call itself is answered where the page can read it.
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
