import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { boundConnections } from '../../src/http/connections.ts'
import { trackRequests } from '../../src/http/unused-connections.ts'

// A server under load, with the listeners that count its connections and requests.

const CONNECTIONS = 32
const REQUESTS = 40_000
const REQUEST = 'POST / HTTP/1.1\r\nHost: api\r\nContent-Length: 3\r\n\r\na=b'

const server = createServer((request, response) => {
  request.resume()
  request.once('end', () => setImmediate(() => response.end('{}')))
})
boundConnections(server, { connectionsMax: CONNECTIONS * 2, untakenMaxMs: 60_000 })
trackRequests(server)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
let left = REQUESTS
await Promise.all(
  Array.from(
    { length: CONNECTIONS },
    () =>
      new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(REQUEST))
        socket.on('data', () => {
          left -= 1
          if (left > 0) return socket.write(REQUEST)
          socket.end()
          return resolve()
        })
      }),
  ),
)
server.close()
