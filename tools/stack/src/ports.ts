import { randomInt } from 'node:crypto'
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
 * one is restarting.
 */
const RANGE_PORTS = 100

const TRIES_MAX = 100

export async function completePorts(asked: Partial<Ports>): Promise<Ports> {
  const ports: Partial<Record<PortName, number>> = { ...asked }
  const ranges = (RANDOM_PORT_MAX - RANDOM_PORT_MIN) / RANGE_PORTS
  const first = RANDOM_PORT_MIN + (process.pid % ranges) * RANGE_PORTS
  for (const name of portNames) {
    ports[name] ??= await freePortFrom(first + randomInt(RANGE_PORTS / 2), Object.values(ports))
  }
  return ports as Ports
}

/** The first free one at or above `port` that is not among `taken`, and was not given to this process moments ago. */
export async function freePortFrom(port: number, taken: readonly number[]): Promise<number> {
  const last = port + TRIES_MAX - 1
  const free = await getPort({ host: '127.0.0.1', port: portNumbers(port, last), exclude: taken })
  // The library takes any port of the system where none of these is free.
  if (free >= port && free <= last) return free
  throw new Error(`none of the ${TRIES_MAX} TCP ports from ${port} is free`)
}
