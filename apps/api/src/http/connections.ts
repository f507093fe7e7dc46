import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface ConnectionBounds {
  /** A connection above it, while none of the others can be closed, is closed at once. */
  readonly connectionsMax: number
  /** Time for a client to take what one write gave it, to which each TAKEN_BYTES_PER_MS add a millisecond. */
  readonly untakenMaxMs: number
}

/** 128 kbit/s, the speed of a phone on EDGE. Only a client that takes a long answer more slowly is cut off. */
const TAKEN_BYTES_PER_MS = 16
/** How often within `untakenMaxMs` the connections are looked at. */
const LOOKS = 6

interface Connection {
  /** Requests that run, because a client may pipeline them. */
  running: number
  /** Requests without their whole answer. All but the newest have arrived whole. */
  unanswered: number
  newest: IncomingMessage | undefined
  /** Bytes that the kernel has taken, of all answers. */
  takenBytes: number
  untakenMs: number
}

/**
 * Bounds a server's connections so that idle and slow ones do not keep others out. When all but one are taken, it closes
 * the connection that has been quiet longest. A connection is quiet between requests, and while the headers or body of a
 * request are incomplete. If none is quiet, it closes the oldest one whose client does not take its answer.
 *
 * At any number, it closes a connection whose client does not take its answer for too long, because that keeps a slot.
 *
 * @returns whether a request of the connection has arrived whole, so that it may run, and has no whole answer
 */
export function boundConnections(
  server: Server,
  { connectionsMax, untakenMaxMs }: ConnectionBounds,
): (socket: Socket) => boolean {
  // In the order in which they became quiet.
  const quiet = new Set<Socket>()
  const connections = new Map<Socket, Connection>()
  server.maxConnections = connectionsMax

  server.on('connection', (socket: Socket) => {
    connections.set(socket, { running: 0, unanswered: 0, newest: undefined, takenBytes: 0, untakenMs: 0 })
    quiet.add(socket)
    socket.once('close', () => {
      connections.delete(socket)
      quiet.delete(socket)
    })
    if (connections.size < connectionsMax) return
    const [longest] = quiet
    const closed = longest === undefined || longest === socket ? findUnread(connections.keys()) : longest
    if (closed === undefined) return
    quiet.delete(closed)
    closed.destroy()
  })
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const connection = connections.get(socket)
    if (connection === undefined) return
    connection.unanswered += 1
    connection.newest = request
    const count = (by: 1 | -1): void => {
      connection.running += by
      if (connection.running > 0) quiet.delete(socket)
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
      connection.unanswered -= 1
      if (connection.unanswered === 0) connection.newest = undefined
    })
  })
  closeUntaken(server, connections, untakenMaxMs)
  return (socket) => {
    const { unanswered = 0, newest } = connections.get(socket) ?? {}
    return unanswered > 1 || newest?.complete === true
  }
}

/**
 * Closes connections whose clients do not take their answers. The time without a byte of ours, such as that of a file
 * whose rows are looked for, does not count. Node reports whole writes only: a pause within one counts until it has left.
 */
function closeUntaken(server: Server, connections: ReadonlyMap<Socket, Connection>, msMax: number): void {
  const everyMs = msMax / LOOKS
  const timer = setInterval(() => {
    for (const [socket, connection] of connections) {
      const { writableLength } = socket
      const takenBytes = socket.bytesWritten - writableLength
      const isUntaken = writableLength > 0 && takenBytes === connection.takenBytes
      connection.untakenMs = isUntaken ? connection.untakenMs + everyMs : 0
      connection.takenBytes = takenBytes
      if (connection.untakenMs >= msMax + writableLength / TAKEN_BYTES_PER_MS) socket.destroy()
    }
  }, everyMs)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

/** The first connection whose client has not taken all that was sent to it. */
function findUnread(sockets: Iterable<Socket>): Socket | undefined {
  for (const socket of sockets) if (!socket.destroyed && socket.writableLength > 0) return socket
  return undefined
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
