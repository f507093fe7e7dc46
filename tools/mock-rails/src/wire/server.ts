import { fastify } from 'fastify'
import type { FastifyInstance } from 'fastify'
import { registerMtn } from '../mtn/routes.ts'
import { orangeError } from '../orange/answers.ts'
import { registerPaymentPage } from '../orange/page/routes.ts'
import { registerOrange } from '../orange/routes.ts'
import type { Rails } from '../rails.ts'
import { deliver } from './answer.ts'
import type { Answer } from './answer.ts'
import { record } from './mount.ts'

const MAX_BODY_BYTES = 64 * 1024

/** The port for the rails' clients. Bodies stay text, because each rail decides what it accepts. */
export function buildWireServer(rails: Rails): FastifyInstance {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  registerMtn(app, rails)
  registerOrange(app, rails)
  registerPaymentPage(app, rails)
  app.setNotFoundHandler(async (request, reply) => {
    const answer = notFound(request.url)
    record(rails, request, unrouted, answer)
    await deliver(reply, answer, rails.hanging)
    return reply
  })
  app.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
    const status = error.statusCode ?? 500
    const answer = { status, body: { statusCode: status, message: error.message }, why: error.message }
    record(rails, request, unrouted, answer)
    await deliver(reply, answer, rails.hanging)
    return reply
  })
  return app
}

const unrouted = { operation: 'unrouted' } as const

function notFound(path: string): Answer {
  if (/^\/(oauth|orange-money-webpay)\//.test(path)) return orangeError('NOT_FOUND', 'no such path or method')
  return path.includes('//') ? doubledSlash : unknownPath
}

// The gateway's 404 says that the URL is wrong, and unlike the wallet's says nothing about a charge.
const unknownPath: Answer = {
  status: 404,
  body: { statusCode: 404, message: 'Resource not found' },
  why: 'no such path or method',
}

const doubledSlash: Answer = { status: 400, why: 'doubled slash in the path' }
