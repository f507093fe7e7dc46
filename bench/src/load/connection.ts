import { once } from 'node:events'
import { connect } from 'node:net'

interface Reply {
  readonly status: number
  readonly body: string
}

export interface Connection {
  /** Sends one request at a time. Rejects if the connection ends before the answer. */
  exchange(request: string): Promise<Reply>
  close(): void
}

/**
 * A keep-alive connection over a raw socket. Client, server and database share the cores, so the client's own
 * time lowers what it measures. A raw socket takes a third of the time of Node's leanest HTTP client.
 */
async function openConnection(port: number): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1')
  await once(socket, 'connect')
  let received = ''
  let waiting: PromiseWithResolvers<Reply> | null = null

  socket.on('data', (chunk: string) => {
    received += chunk
    const reply = parseReply(received)
    if (reply === null) return
    received = ''
    waiting?.resolve(reply)
  })
  const fail = (error?: Error | boolean) =>
    waiting?.reject(error instanceof Error ? error : new Error('the server closed the connection'))
  socket.on('error', fail).on('close', fail)

  return {
    exchange: (request) => {
      waiting = Promise.withResolvers<Reply>()
      if (!socket.writable) fail()
      socket.write(request, 'latin1')
      return waiting.promise
    },
    close: () => socket.destroy(),
  }
}

/** Spreads the connections over the ports, as a proxy would. */
export const openConnections = (ports: readonly number[], count: number): Promise<Connection[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => openConnection(ports[n % ports.length] ?? 0)))

/** Returns null until the answer is complete. */
function parseReply(text: string): Reply | null {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
  const bodyAt = headEnd + 4
  if (length === undefined) return parseChunked(text, bodyAt)
  if (text.length < bodyAt + Number(length)) return null
  return { status: statusOf(text), body: text.slice(bodyAt) }
}

const statusOf = (text: string): number => Number(text.slice(9, 12))

/** Returns null until the last chunk is complete. Only emulate sends chunks. */
function parseChunked(text: string, bodyAt: number): Reply | null {
  if (!/\r\ntransfer-encoding: chunked/i.test(text.slice(0, bodyAt)))
    throw new Error('an answer without a length')
  let body = ''
  for (let at = bodyAt; ; ) {
    const sizeEnd = text.indexOf('\r\n', at)
    if (sizeEnd < 0) return null
    const chunkAt = sizeEnd + 2
    const chunkEnd = chunkAt + Number.parseInt(text.slice(at, sizeEnd), 16)
    at = chunkEnd + 2
    if (text.length < at) return null
    if (chunkEnd === chunkAt) return { status: statusOf(text), body }
    body += text.slice(chunkAt, chunkEnd)
  }
}

export function requestOf(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = method === 'POST' ? `Content-Length: ${body.length}\r\n` : ''
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}${length}\r\n${body}`
}
