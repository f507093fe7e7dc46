import type { FastifyInstance } from 'fastify'
import { registerAssets, registerDocument } from '../http/built-page.ts'
import { openPaths } from '../http/paths.ts'
import type { CheckoutPage } from './page.ts'

const ASSETS = '/c/assets/'

/** Serves the payers' page on the API's origin, so a slow network does not pay for preflights. */
export function registerCheckoutPage(app: FastifyInstance, page: CheckoutPage): void {
  openPaths(app, '', (scope) => {
    registerAssets(scope, page, ASSETS)
    // One document serves every session. The path holds the session's id, and the fragment its secret.
    registerDocument(scope, page, '/c/:session')
  })
}
