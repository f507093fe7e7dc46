import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { freePort } from '@merchant-payments/testing/listen'

/** A proxy between the service and a rail. A test can hold its traffic or cut it. */
export interface Wire {
  readonly url: string
  /** Holds what the service sends until `release`. */
  readonly hold: () => void
  readonly release: () => void
  /** Resolves when data is held. */
  readonly held: () => Promise<void>
  /** Closes the listener at the rail's address. */
  readonly cut: () => Promise<void>
  readonly mend: () => Promise<void>
}

export async function openWire(railUrl: string): Promise<Wire> {
  const { hostname, port: railPort } = new URL(railUrl)
  const sockets = new Set<Socket>()
  let isHolding = false
  let waiting: (() => void)[] = []
  let held = Promise.withResolvers<void>()

  const server = createServer((client) => {
    const rail = connect(Number(railPort), hostname)
    for (const [one, other] of [
      [client, rail],
      [rail, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    rail.pipe(client)
    client.on('data', (bytes) => {
      if (!isHolding) return void rail.write(bytes)
      waiting.push(() => rail.write(bytes))
      held.resolve()
    })
  })
  const listen = async (port: number) => {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(await freePort())

  return {
    url: `http://127.0.0.1:${port}`,
    hold: () => {
      isHolding = true
      held = Promise.withResolvers()
    },
    release: () => {
      isHolding = false
      for (const send of waiting) send()
      waiting = []
    },
    held: () => held.promise,
    cut: async () => {
      if (!server.listening) return
      const closed = once(server.close(), 'close')
      for (const socket of sockets) socket.destroy()
      await closed
    },
    mend: async () => {
      await listen(port)
    },
  }
}
