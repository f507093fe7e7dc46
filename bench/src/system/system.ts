import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@merchant-payments/ports'
import { bundledProgram } from '@merchant-payments/testing/bundled-program'
import type { Movement } from '@merchant-payments/testing/invariants'
import { serverFlags } from '@merchant-payments/config'
import type { Received } from '../world/receiver.ts'
import type { Closers } from './closers.ts'
import { type BenchDatabase, startDatabase, temporaryFolder } from './database.ts'
import { type Deployment, writeDeployment } from './deployment.ts'
import { type ServerProcess, startServer } from './process.ts'

interface Evidence {
  readonly debits: readonly Movement[]
  readonly credits: readonly Movement[]
  readonly received: readonly Received[]
}

/** The real processes with their own PostgreSQL, and the simulated rail and endpoint. */
export interface System {
  readonly baseUrl: string
  readonly apiPort: number
  /** One for each api. The first is that of `apiPort`. */
  readonly apiPorts: readonly number[]
  readonly deployment: Deployment
  readonly database: BenchDatabase
  /** The first one. */
  readonly api: ServerProcess
  /** The first one. */
  readonly worker: ServerProcess
  evidence(): Promise<Evidence>
  receivedSoFar(): Promise<{ readonly count: number; readonly lastAtMs: number }>
  receivedSince(count: number): Promise<readonly Received[]>
  readonly folder: string
}

const DECIDE_AFTER_MS = 50

const world = fileURLToPath(new URL('../world/main.ts', import.meta.url))

interface SystemOptions {
  /** The folder for V8's profiles of all processes; null for none. */
  readonly cpuProfiles: string | null
  /** The number of apis, and of workers. */
  readonly replicas: number
  /** With them, the api serves staff. */
  readonly otherMerchants?: readonly string[]
}

export async function startSystem(
  closers: Closers,
  { cpuProfiles, replicas: count, otherMerchants = [] }: SystemOptions,
): Promise<System> {
  const folder = await temporaryFolder(closers)
  const database = await startDatabase(folder, closers)
  const worldPort = await freePort()
  const replicas = await Promise.all(Array.from({ length: count }, replicaPorts))
  const worldUrl = `http://127.0.0.1:${worldPort}`
  const deployment = await writeDeployment(folder, {
    databaseUrl: database.appUrl,
    worldUrl,
    replicas,
    otherMerchants,
  })
  const start = async (name: string, command: string[], readyUrl: string) => {
    const server = await startServer({
      name,
      command,
      env: deployment.env,
      logFile: join(folder, `${name}.log`),
      readyUrl,
    })
    closers.add(() => server.stop())
    return server
  }
  const startApp = (name: 'api' | 'worker', configFile: string, port: number) => {
    const main = bundledProgram(`apps/${name}/src/main.ts`)
    const profiling = cpuProfiles === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${join(cpuProfiles, name)}`]
    return start(name, [...serverFlags, ...profiling, main, configFile], `http://127.0.0.1:${port}/readyz`)
  }
  await start('world', [world, String(worldPort), String(DECIDE_AFTER_MS)], `${worldUrl}/ready`)
  const started = await Promise.all(
    replicas.map(async ({ apiInternalPort, workerInternalPort }, n) => {
      const configFile = deployment.configFiles[n] ?? ''
      return {
        api: await startApp('api', configFile, apiInternalPort),
        worker: await startApp('worker', configFile, workerInternalPort),
      }
    }),
  )
  const [first] = started
  const apiPorts = replicas.map(({ apiPort }) => apiPort)
  const [apiPort] = apiPorts
  if (first === undefined || apiPort === undefined) throw new Error('a system has one replica or more')
  const ask = async <T>(path: string): Promise<T> => (await (await fetch(worldUrl + path)).json()) as T
  return {
    baseUrl: `http://127.0.0.1:${apiPort}`,
    apiPort,
    apiPorts,
    deployment,
    database,
    ...first,
    evidence: () => ask('/evidence'),
    receivedSoFar: () => ask('/received-so-far'),
    receivedSince: (count) => ask(`/received-since/${count}`),
    folder,
  }
}

const replicaPorts = async () => ({
  apiPort: await freePort(),
  apiInternalPort: await freePort(),
  workerInternalPort: await freePort(),
})
