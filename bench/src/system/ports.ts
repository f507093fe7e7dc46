import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * Apart from the ports that operating systems give to outgoing connections, and from those of the tests' `freePort`:
 * another process could take one of these between its choice here and the start of its server.
 */
const PORT_MIN = 16_000
const PORTS = 4_000
const TRIES_MAX = 100

/** Free TCP ports. All are held until the last is found, so they differ. @throws if too many are taken */
export async function freePorts(count: number): Promise<number[]> {
  const held = new Map<number, Server>()
  try {
    for (let tries = 0; held.size < count; tries += 1) {
      if (tries === TRIES_MAX) throw new Error(`no ${count} free TCP ports from ${PORT_MIN} were found`)
      const port = PORT_MIN + randomInt(PORTS)
      const probe = createServer().listen(port, '127.0.0.1')
      const isFree = await once(probe, 'listening').then(
        () => true,
        () => false,
      )
      if (isFree) held.set(port, probe)
    }
    return [...held.keys()]
  } finally {
    await Promise.all([...held.values()].map((probe) => once(probe.close(), 'close')))
  }
}
