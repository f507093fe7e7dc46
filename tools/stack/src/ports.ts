import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

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

export async function freePortFrom(port: number, taken: readonly number[]): Promise<number> {
  for (let candidate = port; candidate < port + TRIES_MAX; candidate += 1) {
    if (!taken.includes(candidate) && (await isFree(candidate))) return candidate
  }
  throw new Error(`none of the ${TRIES_MAX} TCP ports from ${port} is free`)
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  try {
    probe.listen(port, '127.0.0.1')
    await once(probe, 'listening')
  } catch {
    return false
  }
  probe.close()
  await once(probe, 'close')
  return true
}
