import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy between a service and its database, which counts the service's round trips. */
export interface CountedDatabase {
  readonly url: string
  /** Messages for whose answer the service waits, since the proxy was opened. */
  readonly roundTrips: () => number
  readonly close: () => Promise<void>
}

export async function countRoundTrips(databaseUrl: string): Promise<CountedDatabase> {
  const url = new URL(databaseUrl)
  const target = { host: url.hostname, port: Number(url.port) }
  const sockets = new Set<Socket>()
  let roundTrips = 0
  const server = createServer((service) => {
    const database = connect(target)
    const awaited = awaitedMessages()
    for (const [one, other] of [
      [service, database],
      [database, service],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
    service.on('data', (bytes) => {
      roundTrips += awaited(bytes)
    })
    service.pipe(database)
    database.pipe(service)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    roundTrips: () => roundTrips,
    close: async () => {
      const closed = once(server.close(), 'close')
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** The end of a prepared statement's messages, or a statement sent as text. */
const AWAITED = new Set(['S', 'Q'])
const LENGTH_BYTES = 4

/** PostgreSQL's frontend protocol: a type byte, except in the first message, and a length that includes itself. */
function awaitedMessages(): (bytes: Buffer) => number {
  let rest: Buffer = Buffer.alloc(0)
  let typeBytes = 0
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    let count = 0
    for (;;) {
      if (rest.length < typeBytes + LENGTH_BYTES) return count
      const end = typeBytes + rest.readInt32BE(typeBytes)
      if (rest.length < end) return count
      if (typeBytes > 0 && AWAITED.has(String.fromCharCode(rest[0] ?? 0))) count += 1
      typeBytes = 1
      rest = rest.subarray(end)
    }
  }
}
