import { freePortFrom, type PortName, type Ports } from './ports.ts'

const usual = {
  api: { port: 8080, title: 'the API' },
  postgres: { port: 5433, title: 'PostgreSQL' },
  mockWire: { port: 4010, title: "the mock rails' wire" },
  mockControl: { port: 4011, title: 'the handset' },
  receiver: { port: 4012, title: 'the webhook receiver' },
  identityProvider: { port: 4013, title: 'the identity provider of the staff' },
  apiMetrics: { port: 9464, title: "the API's metrics" },
  workerMetrics: { port: 9465, title: "the worker's metrics" },
} satisfies Partial<Record<PortName, { port: number; title: string }>>

/** The usual ports, or the next free ones. Reports each change to `tell`. */
export async function chooseDevPorts(
  tell: (line: string) => void,
  ownPostgres: boolean,
): Promise<Partial<Ports>> {
  const chosen: Partial<Record<PortName, number>> = {}
  for (const [name, { port, title }] of Object.entries(usual)) {
    if (name === 'postgres' && !ownPostgres) continue
    const free = await freePortFrom(port, Object.values(chosen))
    if (free !== port) tell(`port ${port} is taken: ${title} is on ${free}`)
    chosen[name as PortName] = free
  }
  return chosen
}
