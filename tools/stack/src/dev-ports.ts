import { freePortFrom, type PortName, type Ports } from './ports.ts'

const usual = {
  api: { port: 8080, title: 'the API' },
  apiInternal: { port: 9080, title: "the API's probes" },
  workerInternal: { port: 9081, title: "the worker's probes" },
  postgres: { port: 5433, title: 'PostgreSQL' },
  mockWire: { port: 4010, title: "the mock rails' wire" },
  mockControl: { port: 4011, title: 'the handset' },
  receiver: { port: 4012, title: 'the webhook receiver' },
  identityProvider: { port: 4013, title: 'the identity provider of the staff' },
  apiMetrics: { port: 9464, title: "the API's metrics" },
  workerMetrics: { port: 9465, title: "the worker's metrics" },
} satisfies Record<PortName, { port: number; title: string }>

/** Each start that fails rules out one port. Another system that starts at the same time takes no more than these. */
const STARTS_MAX = 2 * Object.keys(usual).length

/**
 * Starts the system on the usual ports, or on the next ones if others have them. A port is certain only once a process
 * listens there, so a start that finds one in use is repeated without it.
 */
export async function startOnDevPorts<T>(
  start: (ports: Partial<Ports>) => Promise<T>,
  { tell, ownPostgres }: { readonly tell: (line: string) => void; readonly ownPostgres: boolean },
): Promise<T> {
  const inUse: number[] = []
  const told = new Set<string>()
  const tellOnce = (line: string) => {
    if (!told.has(line)) tell(line)
    told.add(line)
  }
  for (let starts = 1; ; starts += 1) {
    const ports = await choosePorts(tellOnce, ownPostgres, inUse)
    try {
      return await start(ports)
    } catch (error) {
      const port = portInUse(error, ports)
      if (port === null || starts >= STARTS_MAX) throw error
      inUse.push(port)
      tell(`another process took port ${port}: starting again`)
    }
  }
}

/** The usual ports, or the next that seem free. Reports each change to `tell`. */
async function choosePorts(
  tell: (line: string) => void,
  ownPostgres: boolean,
  inUse: readonly number[],
): Promise<Partial<Ports>> {
  const chosen: Partial<Record<PortName, number>> = {}
  for (const [name, { port, title }] of Object.entries(usual)) {
    if (name === 'postgres' && !ownPostgres) continue
    const free = await freePortFrom(port, [...inUse, ...Object.values(chosen)])
    if (free !== port) tell(`port ${port} is taken: ${title} is on ${free}`)
    chosen[name as PortName] = free
  }
  return chosen
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
