import type { OnTaken, PortName, Ports } from './ports.ts'

/** In the order in which a line about moved ports names them. */
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

const names = Object.keys(usual) as PortName[]

/** The ports of the development system, as long as no other process has them. */
export const devPorts = Object.fromEntries(names.map((name) => [name, usual[name].port])) as Ports

/** Says which port is taken, and where the part that wanted it is instead. */
export const sayMoved =
  (say: (line: string) => void): OnTaken =>
  (taken, moved) => {
    const places = names.flatMap((name) => {
      const port = moved[name]
      return port === undefined ? [] : [`${usual[name].title} is on ${port}`]
    })
    say(`port ${taken} is taken: ${places.join(', ')}`)
  }
