import type { IncomingMessage } from 'node:http'

// Fastify refuses what it cannot decode before the surface is known. Each surface has answers of its own for an unknown
// path and for a wrong body. It gives them after it has authenticated the caller (spec 7.1).

/** Escapes a target whose path is not percent-encoded UTF-8, so that it names nothing. */
export function decodableTarget({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const at = url.indexOf('?')
  const path = at < 0 ? url : url.slice(0, at)
  if (!path.includes('%')) return url
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}

const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[\t ]*(?:;|$)/

/** Removes a Content-Type that is no media type (RFC 9110 8.3.1). A body without a type is not a form either. */
export function dropUndecodableType({ headers }: IncomingMessage): void {
  const type = headers['content-type']
  if (type !== undefined && !mediaType.test(type)) delete headers['content-type']
}
