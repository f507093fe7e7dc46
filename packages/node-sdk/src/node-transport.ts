import http, { type Agent, type IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
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

interface Connections {
  readonly agent: Agent
  /** The module itself, because tools that observe or intercept requests replace its `request`. */
  readonly http: { readonly request: typeof http.request }
}

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined
  return () => (made ??= make())
}

const plain = once<Connections>(() => ({
  agent: new http.Agent(withProxy(http.globalAgent)),
  http,
}))

const secure = once<Connections>(() => ({
  agent: new https.Agent(withProxy(https.globalAgent)),
  http: https,
}))

/**
 * The default transport in Node: `node:http` with keep-alive, about 2.5 times the rate of the global `fetch` per core.
 * All clients share their connections, unless a client has an agent of its own.
 */
export const nodeTransport =
  (agent?: HttpAgent): Transport =>
  (call) => {
    const shared = call.url.startsWith('https:') ? secure() : plain()
    return exchange(agent === undefined ? shared : { ...shared, agent: agent as Agent }, call)
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

/** Passes the address in parts: Node would copy a URL into its options at several times the cost. */
function addressOf(url: string) {
  const { hostname, port, pathname, search } = new URL(url)
  return { hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port, path: pathname + search }
}

/** Node gives only `set-cookie` as a list. */
function singleHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const single: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === 'string') single[name] = value
  }
  return single
}
