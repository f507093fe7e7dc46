import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { onTestFinished } from 'vitest'

/** Listens on a free port until the test ends. */
export async function listen(server: Server): Promise<number> {
  const sockets = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

/**
 * Below the ports of the bench and of `tools/stack`, and those that Linux gives to connections and to servers that ask
 * for any. Above 10080, which `fetch` and browsers refuse.
 */
const FREE_PORT_MIN = 10_100
const FREE_PORT_MAX = 16_000

/** A port without a listener. Another process may take it meanwhile, but only one that asks here. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FREE_PORT_MIN, FREE_PORT_MAX)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    await once(server.close(), 'close')
    return port
  }
}
