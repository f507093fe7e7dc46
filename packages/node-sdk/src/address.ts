/** An address in the parts that a connection needs. */
export interface Address {
  readonly origin: string
  readonly protocol: string
  readonly hostname: string
  readonly port: string
  /** The path with its query. */
  readonly path: string
}

/** Nearly all calls of a process have one origin. Parsing it for each costs a tenth of the time of a call. */
let last = { origin: '', protocol: '', hostname: '', port: '' }

/** Passes the address in parts: Node would copy a URL into its options at several times the cost. */
export function addressOf(url: string): Address {
  const pathAt = url.indexOf('/', 8)
  const origin = url.slice(0, pathAt)
  if (origin !== last.origin) {
    const { protocol, hostname, port } = new URL(url)
    last = { origin, protocol, hostname: hostname.replace(/[[\]]/g, ''), port }
  }
  // URL can change any other character, and a path with dots.
  let path = url.slice(pathAt)
  if (/[^\w/?=&%[\]-]/.test(path)) {
    const { pathname, search } = new URL(url)
    path = pathname + search
  }
  return { ...last, path }
}
