import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { CheckoutPage } from './page.ts'

/** One document for every session: which one it is for stands in the path, and its secret in the fragment. */
const PAGE = '/c/{session}'
const SCRIPTS = '/c/assets/'

export const checkoutPageRoutes = ({ scripts }: CheckoutPage) =>
  [PAGE, ...scripts.map((name) => `${SCRIPTS}${name}`)].map((path) => ({ method: 'GET', path }))

/** Serves the payers' page beside the API: same origin, so that a slow network pays for no preflight. */
export function registerCheckoutPage(app: FastifyInstance, { folder, headers }: CheckoutPage): void {
  void app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: SCRIPTS,
    // Each script has a route of its own, so that anything else is an unknown route.
    wildcard: false,
    globIgnore: ['**/*.br', '**/*.gz'],
    index: false,
    preCompressed: true,
    // A script's name carries the hash of its content.
    immutable: true,
    maxAge: '365d',
    setHeaders: (reply) => {
      void reply.header('x-content-type-options', 'nosniff').header('vary', 'accept-encoding')
    },
  })
  app.get('/c/:session', (_request, reply) =>
    reply
      .headers(headers)
      .header('vary', 'accept-encoding')
      .sendFile('index.html', folder, { cacheControl: false }),
  )
}
