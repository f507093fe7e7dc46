import type { FastifyInstance } from 'fastify'
import { registerAssets, sendDocument } from '../http/built-page.ts'
import { openPaths } from '../http/paths.ts'
import type { CheckoutPage } from './page.ts'

const ASSETS = '/c/assets/'

/** Serves the payers' page beside the API: same origin, so that a slow network pays for no preflight. */
export function registerCheckoutPage(app: FastifyInstance, page: CheckoutPage): void {
  openPaths(app, '', (scope) => {
    registerAssets(scope, page, ASSETS)
    // One document for every session: which one it is for stands in the path, and its secret in the fragment.
    scope.get('/c/:session', (_request, reply) => sendDocument(reply, page))
  })
}
