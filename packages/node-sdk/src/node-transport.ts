import type * as nodeHttp from 'node:http'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { addressOf } from './address.ts'
import type { Deadline } from './deadline.ts'
import type { HttpAgent } from './settings.ts'
import type { Carry, TransportResponse } from './transport.ts'

/** An idle connection is closed after this time, before a load balancer silently closes it. */
const IDLE_MS = 15_000

/** An idle connection is closed this long before the time that the server announces. */
const ANNOUNCED_MARGIN_MS = 1_000

/** node:http keeps the answer of a socket here, and its own agent reads it here. */
type AnsweredSocket = Socket & {
  readonly _httpMessage?: { readonly res?: { readonly headers: { readonly 'keep-alive'?: string } } }
}

/**
 * Takes the place of the agent's method, which does the same with the agent's `timeout`. With that option node:http sets
 * and clears a timer and three listeners for each call: 4 % of the CPU time of a call. This timer stays on the socket.
 */
function keepSocketAlive(socket: AnsweredSocket): boolean {
  socket.unref()
  const announced = /^timeout=(\d+)/.exec(socket._httpMessage?.res?.headers['keep-alive'] ?? '')
  const idleMs = Math.min(IDLE_MS, announced ? Number(announced[1]) * 1_000 - ANNOUNCED_MARGIN_MS : IDLE_MS)
  if (idleMs > 0 && socket.timeout !== idleMs) socket.setTimeout(idleMs)
  return idleMs > 0
}

/**
 * Node 24.5 and later give only their global agent the proxy of the environment (NODE_USE_ENV_PROXY), so it is taken over
 * from there.
 */
function agentOf({ Agent, globalAgent }: Http): nodeHttp.Agent {
  const proxyEnv = (globalAgent as { readonly options?: { readonly proxyEnv?: object } }).options?.proxyEnv
  const options: object = { keepAlive: true, ...(proxyEnv && { proxyEnv }) }
  // These are not options: node:http copies the options for each call, at about 0.2 us for each of them.
  return Object.assign(new Agent(options), { keepSocketAlive, maxSockets: 256, maxFreeSockets: 64 })
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
    return { agent: agentOf(http), http }
  }
  return () => (made ??= make())
}

const plain = connectionsOf('node:http')
const secure = connectionsOf('node:https')

/**
 * The default transport in Node: `node:http` with keep-alive, about 2.5 times the rate of the global `fetch` per core.
 * All clients share their connections, unless a client has an agent of its own.
 */
export const carriedByNode = (agent?: HttpAgent): Carry => {
  const own = agent as nodeHttp.Agent | undefined
  return (call, deadline) => {
    const { agent: shared, http } = call.url.startsWith('https:') ? secure() : plain()
    return carry(http, own ?? shared, call, deadline)
  }
}

const carry = (
  http: Http,
  agent: nodeHttp.Agent,
  { method, url, headers, body, maxResponseBytes }: Parameters<Carry>[0],
  deadline: Deadline,
) =>
  new Promise<TransportResponse>((resolve, reject) => {
    deadline.throwIfOver()
    // node:http itself needs no protocol. The agents of proxies name a connection by it.
    const { protocol, hostname, port, path } = addressOf(url)
    const outgoing = http.request({ protocol, hostname, port, path, agent, method, headers })
    deadline.onEnd((error) => {
      reject(error)
      outgoing.destroy()
    })
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      const answer = { status: incoming.statusCode ?? 0, headers: singleHeaders(incoming.headers) }
      const chunks: Buffer[] = []
      let bytes = 0
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes <= maxResponseBytes) {
          chunks.push(chunk)
        } else {
          resolve({ ...answer, body: null })
          outgoing.destroy()
        }
      })
      incoming.on('error', reject)
      incoming.on('end', () => resolve({ ...answer, body: textOf(chunks) }))
    })
    // A form is ASCII. As Latin-1, Node counts and writes its bytes at a lower cost.
    outgoing.end(body, 'latin1')
  })

/** Most answers are one chunk. */
const textOf = (chunks: readonly Buffer[]): string =>
  (chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)).toString()

/** Node gives only `set-cookie` as a list. */
function singleHeaders(headers: nodeHttp.IncomingHttpHeaders): Record<string, string> {
  const single: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === 'string') single[name] = value
  }
  return single
}
