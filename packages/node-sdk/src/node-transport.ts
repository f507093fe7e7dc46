import type * as nodeHttp from 'node:http'
import { createRequire } from 'node:module'
import type { HttpAgent } from './settings.ts'
import type { Transport, TransportRequest, TransportResponse } from './transport.ts'

/** Drops idle connections before a load balancer silently closes them. */
const agentOptions = { keepAlive: true, maxSockets: 256, maxFreeSockets: 64, timeout: 15_000 }

/**
 * Node 24.5 and later give only their global agent the proxy of the environment (NODE_USE_ENV_PROXY), so it is taken over
 * from there.
 */
function withProxy(globalAgent: object): object {
  const { options = {} } = globalAgent as { readonly options?: { readonly proxyEnv?: object } }
  return { ...agentOptions, ...(options.proxyEnv === undefined ? {} : { proxyEnv: options.proxyEnv }) }
}

/** The part that node:http and node:https share. */
type Http = Pick<typeof nodeHttp, 'Agent' | 'globalAgent' | 'request'>

interface Connections {
  readonly agent: nodeHttp.Agent
  /** The module itself, because tools that observe or intercept requests replace its `request`. */
  readonly http: Http
}

/**
 * Loads a module of Node at the first call, and not while the package is imported. An ESM import of node:http takes
 * longer than the rest of the package, because it also loads Node's WebSocket.
 */
function connectionsOf(name: 'node:http' | 'node:https'): () => Connections {
  let made: Connections | undefined
  const make = () => {
    const http = (process.getBuiltinModule?.(name) ?? createRequire('/')(name)) as Http
    return { agent: new http.Agent(withProxy(http.globalAgent)), http }
  }
  return () => (made ??= make())
}

const plain = connectionsOf('node:http')
const secure = connectionsOf('node:https')

/**
 * The default transport in Node: `node:http` with keep-alive, about 2.5 times the rate of the global `fetch` per core.
 * All clients share their connections, unless a client has an agent of its own.
 */
export const nodeTransport =
  (agent?: HttpAgent): Transport =>
  (call) => {
    const shared = call.url.startsWith('https:') ? secure() : plain()
    return exchange(agent === undefined ? shared : { ...shared, agent: agent as nodeHttp.Agent }, call)
  }

const exchange = ({ agent, http }: Connections, call: TransportRequest) =>
  new Promise<TransportResponse>((resolve, reject) => {
    const { method, headers, signal } = call
    const outgoing = http.request({ ...addressOf(call.url), agent, method, headers })
    signal.addEventListener('abort', () => {
      reject(signal.reason)
      outgoing.destroy()
    })
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      const answer = { status: incoming.statusCode ?? 0, headers: singleHeaders(incoming.headers) }
      const chunks: Buffer[] = []
      let bytes = 0
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes <= call.maxResponseBytes) {
          chunks.push(chunk)
        } else {
          resolve({ ...answer, body: null })
          outgoing.destroy()
        }
      })
      incoming.on('error', reject)
      incoming.on('end', () => resolve({ ...answer, body: Buffer.concat(chunks).toString() }))
    })
    outgoing.end(call.body)
  })

/** Nearly all calls of a process have one origin. Parsing it for each costs a tenth of the time of a call. */
let last = { origin: '', hostname: '', port: '' }

/** Passes the address in parts: Node would copy a URL into its options at several times the cost. */
function addressOf(url: string) {
  const pathAt = url.indexOf('/', 8)
  const origin = url.slice(0, pathAt)
  if (origin !== last.origin) {
    const { hostname, port } = new URL(url)
    last = { origin, hostname: hostname.replace(/[[\]]/g, ''), port }
  }
  // URL can change any other character, and a path with dots.
  let path = url.slice(pathAt)
  if (/[^\w/?=&%[\]-]/.test(path)) {
    const { pathname, search } = new URL(url)
    path = pathname + search
  }
  return { hostname: last.hostname, port: last.port, path }
}

/** Node gives only `set-cookie` as a list. */
function singleHeaders(headers: nodeHttp.IncomingHttpHeaders): Record<string, string> {
  const single: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === 'string') single[name] = value
  }
  return single
}
