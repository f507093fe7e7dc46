/** Which methods each path of a surface has: what tells a 405 from a 404. */
export interface PathTable {
  /** The methods of the path's route; null where nothing is routed. */
  readonly methodsOf: (path: string) => readonly string[] | null
}

interface Route {
  readonly method: string
  /** With `{name}` for a parameter. */
  readonly path: string
}

/** A collection's word, never an id: decided before `/{id}` (spec 4.2, no search is routed). */
export const RESERVED_SEGMENT = 'search'

export function pathTable(routes: readonly Route[]): PathTable {
  const methods = new Map<string, string[]>()
  for (const { method, path } of routes) {
    const known = methods.get(path) ?? []
    known.push(...(method === 'GET' ? ['GET', 'HEAD'] : [method]))
    methods.set(path, known)
  }
  const shapes = [...methods].map(([path, allowed]) => ({ shape: shapeOf(path), allowed }))
  return {
    methodsOf: (path) => {
      const text = decoded(path)
      return shapes.find(({ shape }) => shape.test(text))?.allowed ?? null
    },
  }
}

const shapeOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, `(?!${RESERVED_SEGMENT}(?:/|$))[^/]+`)}$`)

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
