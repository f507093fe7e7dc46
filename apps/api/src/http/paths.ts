import { METHODS } from 'node:http'
import { SEARCH_SEGMENT } from '@merchant-payments/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sendMethodNotAllowed } from './errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on routes that answer 405. */
    isOtherMethod?: true
    /** Replaces the path in logs and metrics. The files of a page share one, as do its screens. */
    shownAs?: string
  }
}

/** The order of methods in `Allow`. */
const methodOrder = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Every method that node parses. A CONNECT never becomes a request. */
const allMethods = METHODS.filter((method) => method !== 'CONNECT')

/** Registers all methods with the router, so that `openPaths` can add a 405 for each. */
export function knowAllMethods(app: FastifyInstance): void {
  for (const method of allMethods) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  }
  // No path takes a QUERY. Without a content type fastify would answer it before the 405.
  app.addHttpMethod('QUERY', { overrideExisting: true })
}

/**
 * Registers routes in a scope of their own. Each of their paths answers any other method with a bare 405 (spec 7.1).
 * It reads the paths from the router, so those of plugins are covered too.
 */
export function openPaths(
  app: FastifyInstance,
  prefix: string,
  register: (scope: FastifyInstance) => void,
): void {
  void app.register(
    (scope, _options, done) => {
      const methodsOf = new Map<string, Set<string>>()
      scope.addHook('onRoute', ({ url, method, config }) => {
        if (config?.isOtherMethod === true) return
        const methods = methodsOf.get(url) ?? new Set()
        for (const one of [method].flat()) methods.add(one)
        methodsOf.set(url, methods)
      })
      register(scope)
      // Plugins load in order, so the last one sees the routes of all others.
      void scope.register((rest, _options, done) => {
        for (const [url, methods] of methodsOf) refuseOtherMethods(rest, url, methods)
        done()
      })
      done()
    },
    { prefix },
  )
}

function refuseOtherMethods(scope: FastifyInstance, url: string, methods: ReadonlySet<string>): void {
  const allowed = [...methods].toSorted((a, b) => methodOrder.indexOf(a) - methodOrder.indexOf(b)).join(', ')
  scope.route({
    method: allMethods.filter((method) => !methods.has(method)),
    url: url.slice(scope.prefix.length),
    exposeHeadRoute: false,
    config: { isOtherMethod: true },
    handler: (request, reply) => {
      if (hasIds(request.params)) void sendMethodNotAllowed(reply, allowed)
      else reply.callNotFound()
    },
  })
}

/** The router accepts an empty parameter, but `/v1/payment_intents/` is not the path of an intent. */
export const hasIds = (params: unknown): boolean =>
  Object.entries(params as object).every(
    ([name, segment]) => name === '*' || (segment !== '' && segment !== SEARCH_SEGMENT),
  )

/** `{id}` in the router's spelling. */
export const routerPathOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** The matched route's path for logs and metrics; null if no route matched. */
export const routeOf = ({ routeOptions: { config, url } }: FastifyRequest): string | null =>
  config.isOtherMethod === true ? null : (config.shownAs ?? url ?? null)

/** The method as a label. OpenTelemetry's semantic conventions, http.request.method. */
export const methodLabelOf = ({ method }: FastifyRequest): string =>
  methodOrder.includes(method) ? method : '_OTHER'

/** The path of a request target without its query. Also accepts the absolute form (RFC 9112 3.2.2). */
export function pathOf(url: string): string {
  const at = url.indexOf('?')
  const path = at < 0 ? url : url.slice(0, at)
  return path.startsWith('/') ? path : (URL.parse(path)?.pathname ?? path)
}

export function queryOf(url: string): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at + 1)
}
