import { AsyncResource } from 'node:async_hooks'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Requests of one connection that may wait for the answers before them. Node parses at once what one read of a connection
 * returned: up to 64 KiB, which are about a hundred requests with an access token, or thousands without.
 */
export const AHEAD_MAX = 128
/** Such requests of all connections. Each keeps up to 5 kB, and a begun block of its body. */
const AHEAD_OF_ALL_MAX = 4_096

/**
 * Serves the requests of a connection one after the other: each begins when the answer before it has left the process.
 * Otherwise Node starts all that a client has pipelined, and keeps their answers until the client reads them. Node reads no
 * more from a client that leaves answers unread, but starts what it has already read.
 *
 * A request above one of the bounds closes its connection.
 */
export function serveInTurn(app: FastifyInstance, aheadOfAllMax = AHEAD_OF_ALL_MAX): void {
  // Only connections that have pipelined.
  const lines = new WeakMap<Socket, Line>()
  let waitingOfAll = 0

  function openLine(socket: Socket): Line {
    const line = { waiting: 0 }
    lines.set(socket, line)
    // Node resumes the connection after each request that it has parsed, and when a body is read.
    socket.on('resume', () => {
      if (line.waiting > 0) socket.pause()
    })
    socket.once('close', () => {
      waitingOfAll -= line.waiting
    })
    return line
  }

  app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, done) => {
    // Node gives a response its connection when the responses before it have left.
    if (response.socket !== null) {
      done()
      return
    }
    const line = lines.get(socket) ?? openLine(socket)
    line.waiting += 1
    waitingOfAll += 1
    if (line.waiting > AHEAD_MAX || waitingOfAll > aheadOfAllMax) socket.destroy()
    socket.pause()
    // The event belongs to the answer before, in whose slot and span this request must not run.
    const begin = AsyncResource.bind(() => {
      line.waiting -= 1
      waitingOfAll -= 1
      if (line.waiting === 0) socket.resume()
      done()
    })
    response.once('socket', begin)
  })
}

interface Line {
  waiting: number
}
