import { freePort } from '@merchant-payments/ports'

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

/** The asked ports, and a free one for each other name. All differ. */
export async function completePorts(asked: Partial<Ports>): Promise<Ports> {
  const ports: Partial<Record<PortName, number>> = { ...asked }
  for (const name of portNames) ports[name] ??= await freePortBeside(Object.values(ports))
  return ports as Ports
}

async function freePortBeside(taken: readonly number[]): Promise<number> {
  const port = await freePort()
  return taken.includes(port) ? freePortBeside(taken) : port
}
