import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import getPort, { portNumbers } from 'get-port'

const portNames = [
  'api',
  'apiInternal',
  'workerInternal',
  'apiMetrics',
  'workerMetrics',
  'postgres',
  'mockWire',
  'mockControl',
  'receiver',
  'identityProvider',
] as const

export type PortName = (typeof portNames)[number]
export type Ports = Readonly<Record<PortName, number>>
/** The ports of the processes that can run several times. */
export type ReplicaPorts = Pick<
  Ports,
  'api' | 'apiInternal' | 'apiMetrics' | 'workerInternal' | 'workerMetrics'
>

/** Below the range of outgoing connections, so that the port of a killed process stays free for its restart. */
const RANDOM_PORT_MIN = 20_000
const RANDOM_PORT_MAX = 30_000
/**
 * Each test process takes ports from its own range, so that it cannot take the port of a process that another
 * one starts or restarts.
 */
const RANGE_PORTS = 100
const RANGES = (RANDOM_PORT_MAX - RANDOM_PORT_MIN) / RANGE_PORTS

const TRIES_MAX = 100

/** How far the ports of a part move if another process has one of them. No part has a port that far from another's. */
const MOVE = 10
/** Bounds the moves of a part. */
const MOVES_MAX = 20

/** Hears which port was taken, and where the part is started next. */
export type OnTaken = (taken: number, moved: Partial<Ports>) => void

/**
 * Starts a part at its ports. If another process has one of them, starts it again with each of them ten higher. A port
 * is certain only once it is bound, so no port is tried before. Without `onTaken` the ports stay as they are.
 *
 * @throws what `start` throws, unless a port of this part is in use
 */
export async function startAt<P extends Partial<Ports>, T>(
  ports: P,
  start: (ports: P) => Promise<T>,
  onTaken: OnTaken | undefined,
): Promise<T> {
  let at = ports
  for (let moves = 0; ; moves += 1) {
    try {
      return await start(at)
    } catch (error) {
      const taken = portInUse(error, at)
      if (taken === null || onTaken === undefined || moves === MOVES_MAX) throw error
      at = Object.fromEntries(Object.entries(at).map(([name, port]) => [name, port + MOVE])) as P
      onTaken(taken, at)
    }
  }
}

/** The port because of which a start failed: of a server of this process, of a child or of PostgreSQL. */
function portInUse(error: unknown, ports: Partial<Ports>): number | null {
  if (!(error instanceof Error)) return null
  if ('code' in error && error.code === 'EADDRINUSE' && 'port' in error) return Number(error.port)
  // As the api and the worker say it in their last line.
  const [, ofChild] = /another process listens at [^,]+, port (\d+)/.exec(error.message) ?? []
  if (ofChild !== undefined) return Number(ofChild)
  return error.message.includes('Address already in use') ? (ports.postgres ?? null) : null
}

export async function completePorts(asked: Partial<Ports>): Promise<Ports> {
  const ports: Partial<Record<PortName, number>> = { ...asked }
  const first = await ownRange()
  for (const name of portNames) {
    ports[name] ??= await freePortFrom(first + randomInt(RANGE_PORTS / 2), Object.values(ports))
  }
  return ports as Ports
}

const rangeOfProcess = Symbol.for('merchant-payments.stack.range')
const processWide = globalThis as { [rangeOfProcess]?: Promise<number> }

/** The first port of the range of this process, also for another copy of this module. */
const ownRange = (): Promise<number> => (processWide[rangeOfProcess] ??= takeRange())

/**
 * Takes a range by listening at its last port until this process ends: the operating system lets one process do so.
 *
 * @returns the first port of the range
 * @throws if every range is taken
 */
export async function takeRange(): Promise<number> {
  for (let tries = 0; tries < RANGES; tries += 1) {
    const first = RANDOM_PORT_MIN + ((process.pid + tries) % RANGES) * RANGE_PORTS
    const guard = createServer().listen(first + RANGE_PORTS - 1, '127.0.0.1')
    const taken = await once(guard, 'listening').then(
      () => true,
      () => false,
    )
    if (!taken) continue
    guard.unref()
    return first
  }
  throw new Error(`each of the ${RANGES} ranges of TCP ports from ${RANDOM_PORT_MIN} is taken`)
}

/** The first free one at or above `port` that is not among `taken`, and was not given to this process moments ago. */
export async function freePortFrom(port: number, taken: readonly number[]): Promise<number> {
  const last = port + TRIES_MAX - 1
  const free = await getPort({ host: '127.0.0.1', port: portNumbers(port, last), exclude: taken })
  // Where none of these is free, the library returns any port of the system, which can be one of `taken`.
  if (free >= port && free <= last && !taken.includes(free)) return free
  throw new Error(`none of the ${TRIES_MAX} TCP ports from ${port} is free`)
}
