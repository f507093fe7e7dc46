import type { FastifyInstance } from 'fastify'
import { registerAssets, sendDocument } from '../http/built-page.ts'
import { openPaths, routerPathOf } from '../http/paths.ts'
import type { DashboardPage } from './page.ts'

const ASSETS = '/dash/assets/'

/** Serves the staff's page on the API's host, to which the session cookie is bound. The page holds no secrets. */
export function registerDashboardPage(app: FastifyInstance, page: DashboardPage): void {
  openPaths(app, '', (scope) => {
    registerAssets(scope, page, ASSETS)
    for (const path of page.paths) {
      scope.get(routerPathOf(path), (_request, reply) => sendDocument(reply, page))
    }
  })
}
