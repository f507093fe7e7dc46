import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@merchant-payments/ports'
import { postgresBinDir } from './binaries.ts'
import { clusterIn, ensureCluster } from './cluster.ts'
import { claimDataDir, type DataDir } from './data-dir.ts'
import { untilUnused } from './previous-server.ts'
import { launchServer } from './server.ts'

export type PostgresOptions = {
  /** A folder for this server alone. It is created if missing; the next start finds its data. */
  dataDir: string
  port?: number
  /** Server settings as in postgresql.conf, for example `{ fsync: 'off' }`. */
  settings?: Record<string, string>
  /** Receives every line that the server logs, and the location of the data if it is not `dataDir`. */
  log?: (line: string) => void
}

export type Postgres = {
  url: string
  port: number
  /** The folder of the data. It differs from the requested one if root's server cannot reach that. */
  dataDir: string
  stop: () => Promise<void>
  /** Ends the server as a power cut does. Resolves when all of its processes are gone. */
  kill: () => Promise<void>
  /** True once the server has ended, by itself too. */
  hasEnded: () => boolean
}

const MAX_ATTEMPTS = 10
const RETRY_DELAY_MS = 500

/** Runs PostgreSQL on 127.0.0.1 until `stop` is called or this process ends in any way. */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { settings = {}, log = () => {} } = options
  const { dataDir, account } = await claimDataDir(options.dataDir, log)
  const binDir = await postgresBinDir(account)
  await ensureCluster({ dataDir, binDir, account, sync: settings['fsync'] !== 'off' })
  return runCluster({ dataDir, account }, options)
}

/** Runs the server of a folder that has a cluster. */
export async function runCluster(
  { dataDir, account }: DataDir,
  { port: askedPort, settings = {}, log = () => {} }: PostgresOptions,
): Promise<Postgres> {
  const binDir = await postgresBinDir(account)
  const cluster = clusterIn(dataDir)
  for (let attempt = 1; ; attempt += 1) {
    await untilUnused(cluster, log)
    const port = askedPort ?? (await freePort())
    try {
      const server = await launchServer({ binDir, account, cluster, port, settings, log })
      // No password: only this machine reaches the port, and it holds development data only.
      return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, port, dataDir, ...server }
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !mayPass(error, askedPort)) throw error
      await delay(RETRY_DELAY_MS)
    }
  }
}

/** Backends of a killed server take a moment to die, and another process may take a free port first. */
function mayPass(error: unknown, portAsked: number | undefined): boolean {
  const reason = String(error)
  if (reason.includes('pre-existing shared memory block')) return true
  return portAsked === undefined && reason.includes('Address already in use')
}
