import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Bounds a server's connections so that idle and slow ones do not keep others out. When all places but one are taken, it
 * closes the connection that has been quiet longest. A connection is quiet between requests, and while the headers or
 * body of a request are incomplete. If none is quiet, it closes the oldest one whose client does not take its answer.
 *
 * @param connectionsMax a connection above it, while none of these can be closed, is closed at once
 */
export function boundConnections(server: Server, connectionsMax: number): void {
  // In the order in which they became quiet.
  const quiet = new Set<Socket>()
  // Counts the running requests of each open connection, because a client may pipeline them.
  const running = new Map<Socket, number>()
  server.maxConnections = connectionsMax

  server.on('connection', (socket: Socket) => {
    running.set(socket, 0)
    quiet.add(socket)
    socket.once('close', () => {
      running.delete(socket)
      quiet.delete(socket)
    })
    if (running.size < connectionsMax) return
    const [longest] = quiet
    const closed = longest === undefined || longest === socket ? findUnread(running.keys()) : longest
    if (closed === undefined) return
    quiet.delete(closed)
    closed.destroy()
  })
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const count = (by: 1 | -1): void => {
      const before = running.get(socket)
      if (before === undefined) return
      running.set(socket, before + by)
      if (before + by > 0) quiet.delete(socket)
      else if (!socket.destroyed) quiet.add(socket)
    }
    let counted = false
    const begin = (): void => {
      counted = true
      count(1)
    }
    if (hasBody(request)) request.once('end', begin)
    else begin()
    response.once('close', () => {
      request.off('end', begin)
      if (counted) count(-1)
    })
  })
}

/** The first connection whose client has not taken all that was sent to it. */
function findUnread(sockets: Iterable<Socket>): Socket | undefined {
  for (const socket of sockets) if (!socket.destroyed && socket.writableLength > 0) return socket
  return undefined
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
