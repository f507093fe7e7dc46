import { parseArgs } from 'node:util'
import { type Config, ConfigError, type Environment, loadConfig } from '@merchant-payments/config'
import { requireNode } from './start-problem.ts'

/** What the arguments of a server say. */
interface CommandLine {
  readonly configPath: string
  readonly ports: PortOptions
}

/** Ports of one process, instead of those of the file. */
interface PortOptions {
  readonly clients: number | undefined
  readonly internal: number | undefined
  readonly metrics: number | undefined
}

export type App = 'api' | 'worker'

const PORT_MAX = 65_535

const options = {
  help: { type: 'boolean', default: false },
  check: { type: 'boolean', default: false },
  port: { type: 'string' },
  'internal-port': { type: 'string' },
  'metrics-port': { type: 'string' },
} as const

/**
 * The configuration that the arguments name, with the ports that they replace. `--help` and `--check` print and end the
 * process.
 *
 * @throws {ConfigError} with every fault of the file, or of the arguments
 * @throws if this Node is too old
 */
export function readConfig(app: App, args: readonly string[], env: Environment): Config {
  requireNode()
  const { configPath, ports } = readCommandLine(app, args, env)
  return withPorts(app, loadConfig(configPath, env), ports)
}

function readCommandLine(app: App, args: readonly string[], env: Environment): CommandLine {
  const { values, positionals } = parsed(args)
  if (values.help) end(usageOf(app))
  const [file, ...others] = positionals
  if (others.length > 0) refuse(`${others.join(' ')}: there is one configuration file`)
  const configPath = file ?? env['MERCHANT_PAYMENTS_CONFIG'] ?? 'merchant-payments.yaml'
  if (values.check) {
    loadConfig(configPath, env)
    end(`${configPath} has no faults.\n`)
  }
  if (app === 'worker' && values.port !== undefined)
    refuse('--port: the worker has no clients; its ports are --internal-port and --metrics-port')
  return {
    configPath,
    ports: {
      clients: portOf('port', values.port),
      internal: portOf('internal-port', values['internal-port']),
      metrics: portOf('metrics-port', values['metrics-port']),
    },
  }
}

/** The configuration with the ports of this process, so that replicas on one host can share a file. */
function withPorts(app: App, config: Config, { clients, internal, metrics }: PortOptions): Config {
  const ownerOf = (of: Pick<Config, 'internalListen' | 'metrics'>) => ({
    ...(internal !== undefined && { internalListen: at(of.internalListen, internal) }),
    ...(metrics !== undefined && { metrics: at(of.metrics, metrics) }),
  })
  if (app === 'worker') return { ...config, worker: { ...config.worker, ...ownerOf(config.worker) } }
  const listen = clients === undefined ? config.listen : { ...config.listen, port: clients }
  return { ...config, ...ownerOf(config), listen }
}

const LOOPBACK = '127.0.0.1'

const at = (listener: { readonly host: string } | undefined, port: number) => ({
  host: listener?.host ?? LOOPBACK,
  port,
})

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    // The parser's message names the argument and the way to write it.
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

function portOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  return port <= PORT_MAX ? port : refuse(`--${name}: must be a port from 0 to ${PORT_MAX}`)
}

function refuse(message: string): never {
  throw new ConfigError([{ path: 'arguments', message: `${message} (--help lists the options)` }])
}

function end(text: string): never {
  process.stdout.write(text)
  process.exit(0)
}

const usageOf = (app: App): string => `Usage: node apps/${app}/start.mjs [options] [file]

Runs the ${app} with the configuration in the file, until SIGTERM or SIGINT. Without a file, it reads the one that
MERCHANT_PAYMENTS_CONFIG names, or else merchant-payments.yaml. docs/configuration.md describes the file.

${app === 'api' ? '  --port N           listens for clients at this port, instead of listen.port\n' : ''}\
  --internal-port N  answers probes at this port, instead of ${settingOf(app, 'internal_listen')}.port
  --metrics-port N   serves /metrics at this port, instead of ${settingOf(app, 'metrics')}.port
  --check            checks the file, prints each fault, and ends; nothing is opened
  --help             prints this, and ends

Exit codes:
   0  stopped by a signal, or nothing was found by --check
   1  crashed, or ended by a second signal
  69  cannot start now: a database that is down or behind, a port in use. Start it again.
  78  cannot start like this: a faulty configuration, an old Node or PostgreSQL. Do not start it again.
`

const settingOf = (app: App, name: string): string => (app === 'api' ? name : `worker.${name}`)
