import type { FastifyInstance } from 'fastify'

/** Which methods each routed path has: what tells a 405 from a 404. */
export interface PathTable {
  /** The methods of the path's route; null where nothing is routed. */
  readonly methodsOf: (path: string) => readonly string[] | null
}

/** A collection's word, never an id: decided before `/:id` (spec 4.2, no search is routed). */
export const RESERVED_SEGMENT = 'search'

/** As `Allow` lists them. */
const methodOrder = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

interface RoutedPath {
  readonly shape: RegExp
  readonly methods: Set<string>
}

/**
 * Writes down every route that is registered from now on, whoever registers it: a surface, a page or a library's plugin.
 * No route can miss its 405, because no list has to be kept beside the router's.
 */
export function tableOfRoutes(app: FastifyInstance): PathTable {
  const routed = new Map<string, RoutedPath>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = routed.get(url) ?? { shape: shapeOf(url), methods: new Set() }
    for (const one of [method].flat()) known.methods.add(one)
    routed.set(url, known)
  })
  return {
    methodsOf: (path) => {
      const text = decoded(path)
      const fitting = [...routed.values()].filter(({ shape }) => shape.test(text))
      const methods = new Set(fitting.flatMap((route) => [...route.methods]))
      return methods.size === 0 ? null : [...methods].toSorted(byMethodOrder)
    },
  }
}

const byMethodOrder = (one: string, other: string): number =>
  methodOrder.indexOf(one) - methodOrder.indexOf(other)

/** Of a route's address as the router takes it: with `:name` for a parameter, and `*` for anything. */
const shapeOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('*', '.*')
      .replaceAll(/:\w+/g, `(?!${RESERVED_SEGMENT}(?:/|$))[^/]+`)}$`,
  )

/** As the router reads it: `%73earch` is `search`. */
function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** The path of a request's target, without its query; a target in absolute form (RFC 9112 3.2.2) has a path too. */
export function pathOf(url: string): string {
  const at = url.indexOf('?')
  const path = at < 0 ? url : url.slice(0, at)
  return path.startsWith('/') ? path : (URL.parse(path)?.pathname ?? path)
}

export function queryOf(url: string): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at + 1)
}
