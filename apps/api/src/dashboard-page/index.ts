import accepts from 'accepts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { registerAssets, registerDocument, sendDocument } from '../http/built-page.ts'
import { openPaths, pathOf, routerPathOf } from '../http/paths.ts'
import type { DashboardPage } from './page.ts'

const PREFIX = '/dash'
const ASSETS = '/dash/assets/'

type Answer = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>

/**
 * Serves the staff's page on the API's host, to which the session cookie is bound. The page holds no secrets.
 *
 * @param unknownRoute answers paths without a screen if the client is not a browser that navigates
 */
export function registerDashboardPage(app: FastifyInstance, page: DashboardPage, unknownRoute: Answer): void {
  openPaths(app, '', (scope) => {
    registerAssets(scope, page, ASSETS)
    for (const path of page.paths) registerDocument(scope, page, routerPathOf(path), `${PREFIX}/*`)
    void scope.register(
      (rest, _options, done) => {
        rest.setNotFoundHandler((request, reply) =>
          isNavigation(request) ? sendDocument(reply.code(404), page) : unknownRoute(request, reply),
        )
        done()
      },
      { prefix: PREFIX },
    )
  })
}

/** A person who follows a mistyped or an old link. The document says that there is no such page. */
const isNavigation = (request: FastifyRequest): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') &&
  !pathOf(request.url).startsWith(ASSETS) &&
  accepts(request.raw).type(['json', 'html']) === 'html'
