import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * Below the ports that operating systems give to outgoing connections. One of those could take a port before its server
 * starts, or while it restarts.
 */
const PORT_MIN = 20_000
const RANGES = 50
/** Each process has a range, so that it takes no port that another one starts or restarts a server at. */
const RANGE_PORTS = 200
/** The last port of a range is held for as long as its process runs. */
const PORTS_TO_GIVE = RANGE_PORTS - 1

interface Range {
  readonly first: number
  /** How far the next port is from the first. */
  next: number
}

/**
 * A free TCP port of 127.0.0.1, for a server whose port has to be known before it starts. No other process is given it,
 * and this one not again until it was given the other 198 ports of its range.
 *
 * @throws if each port of the range has a listener
 * @example
 * const port = await freePort()
 * spawn('next', ['start', '--port', String(port)])
 */
export async function freePort(): Promise<number> {
  const range = await ownRange()
  for (let tries = 0; tries < PORTS_TO_GIVE; tries += 1) {
    const port = range.first + range.next
    range.next = (range.next + 1) % PORTS_TO_GIVE
    const probe = await listenAt(port)
    if (probe === null) continue
    await once(probe.close(), 'close')
    return port
  }
  throw new Error(`each of the ${PORTS_TO_GIVE} TCP ports from ${range.first} has a listener`)
}

const rangeOfProcess = Symbol.for('merchant-payments.ports.range')
const processWide = globalThis as { [rangeOfProcess]?: Promise<Range> }

/** The range of this process, also for another copy of this module. */
const ownRange = (): Promise<Range> => (processWide[rangeOfProcess] ??= takeRange())

/**
 * Takes a range by listening at its last port until this process ends: the operating system lets one process do so.
 *
 * @throws if every range is taken
 */
export async function takeRange(): Promise<Range> {
  for (let tries = 0; tries < RANGES; tries += 1) {
    const first = PORT_MIN + ((process.pid + tries) % RANGES) * RANGE_PORTS
    const guard = await listenAt(first + RANGE_PORTS - 1)
    if (guard === null) continue
    guard.unref()
    return { first, next: 0 }
  }
  throw new Error(`each of the ${RANGES} ranges of TCP ports from ${PORT_MIN} is taken`)
}

/** A server at the port, or null if it cannot listen there. */
async function listenAt(port: number): Promise<Server | null> {
  const server = createServer().listen(port, '127.0.0.1')
  return once(server, 'listening').then(
    () => server,
    () => null,
  )
}
