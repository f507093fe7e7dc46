import { fastify } from 'fastify'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { registerPages } from '../pages/routes.ts'
import type { Rails } from '../rails.ts'
import { MockRailsError } from './control.ts'
import { registerControl } from './routes.ts'
import { fromWire, toWire } from './wire-case.ts'

/** The port for tests and people. Adapters never use it. */
export function buildControlServer(rails: Rails): FastifyInstance {
  const app = fastify({ forceCloseConnections: true })
  app.addHook('preHandler', (request, _reply, done) => {
    rails.schedule.runDue()
    request.body = fromWire(request.body)
    done()
  })
  app.addHook('preSerialization', (_request, _reply, payload, done) => done(null, toWire(payload)))
  app.setErrorHandler((error, _request, reply) => {
    const { status, message } = describe(error)
    return reply.code(status).send({ error: { message } })
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: { message: 'no such route' } }))
  registerControl(app, rails)
  registerPages(app)
  return app
}

function describe(error: unknown): { status: number; message: string } {
  if (error instanceof MockRailsError) return { status: error.status, message: error.message }
  if (error instanceof z.ZodError) return { status: 400, message: z.prettifyError(error) }
  if (!(error instanceof Error)) return { status: 500, message: 'unknown error' }
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500
  return { status, message: error.message }
}
