import { once } from 'node:events'
import { connect } from 'node:net'

interface Reply {
  readonly status: number
  readonly body: string
}

export interface Connection {
  /** One request at a time. Rejects when the connection ends before the answer. */
  exchange(request: string): Promise<Reply>
  close(): void
}

/**
 * One keep-alive connection over a bare socket. Client, server and database share the cores, so what the client spends
 * is taken from what it measures: a third of what the leanest HTTP client of Node needs.
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

export const openConnections = (port: number, count: number): Promise<Connection[]> =>
  Promise.all(Array.from({ length: count }, () => openConnection(port)))

/** Null while the answer is not whole. Every server measured here announces a length. */
function parseReply(text: string): Reply | null {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
  if (length === undefined) throw new Error('an answer without a Content-Length')
  const bodyAt = headEnd + 4
  if (text.length < bodyAt + Number(length)) return null
  return { status: Number(text.slice(9, 12)), body: text.slice(bodyAt) }
}

/** The bytes of a request; ASCII only. */
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
