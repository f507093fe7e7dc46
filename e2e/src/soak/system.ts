import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startPostgres } from '@merchant-payments/postgres'
import { type Stack, startStack } from '@merchant-payments/stack'
import getPort, { portNumbers } from 'get-port'
import { Client } from 'pg'
import { startBalancer } from './balancer.ts'

export interface System {
  readonly stack: Stack
  /** PostgreSQL itself, not through the balancer. */
  readonly databaseUrl: string
  stop(): Promise<void>
}

/** A rail that answers at once would leave no confirm for a kill to interrupt. */
const SUBMIT_MS = 300
const SUBMITS_MAX = 1_000_000

/** Below the range of outgoing connections, so that the port of a killed process stays free for its restart. */
const PORTS = portNumbers(21_000, 29_000)
const FIND_DATABASE_MS = 30_000

type OnWebhook = (webhook: { readonly body: string }) => void

/** Two apis and two workers behind haproxy, which also chooses the database. */
export async function startSystem(onWebhook: OnWebhook): Promise<System> {
  const folder = await mkdtemp(join(tmpdir(), 'merchant-payments-soak-'))
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  const stop = async () => {
    for (const close of closers.toReversed()) await close().catch((error: unknown) => console.error(error))
  }
  try {
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres') })
    closers.push(async () => {
      await postgres.stop()
      await rm(postgres.dataDir, { recursive: true, force: true })
    })
    // The role of haproxy's check.
    await run(postgres.url, 'create role haproxy login connection limit 4')
    const ports = [await replicaPorts(), await replicaPorts()] as const
    const database = await port()
    const balancer = await startBalancer(folder, {
      plain: await port(),
      tls: await port(),
      database,
      apis: ports,
      postgres: postgres.port,
      standby: await port(),
    })
    closers.push(() => balancer.stop())
    const databaseUrl = `postgres://postgres@127.0.0.1:${database}/postgres`
    await untilFound(databaseUrl)
    const stack = await startStack({
      databaseUrl,
      publicUrl: balancer.url,
      ports: ports[0],
      replicas: [ports[1]],
      mockRailsInOwnProcess: true,
      mockRailsSettings: { mtn: { autoApproveAfterMs: 200 } },
      onWebhook,
    })
    closers.push(() => stack.stop())
    await stack.mockRails.control.addFault({
      operation: 'submit',
      kind: 'delay',
      when: 'after',
      delayMs: SUBMIT_MS,
      times: SUBMITS_MAX,
    })
    return { stack, databaseUrl: postgres.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const port = () => getPort({ host: '127.0.0.1', port: PORTS })

const replicaPorts = async () => ({
  api: await port(),
  apiInternal: await port(),
  apiMetrics: await port(),
  workerInternal: await port(),
  workerMetrics: await port(),
})

async function run(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** haproxy counts both servers until its first checks have ended. */
async function untilFound(url: string): Promise<void> {
  const deadlineMs = performance.now() + FIND_DATABASE_MS
  for (let inARow = 0; inARow < 10; ) {
    const isFound = await run(url, 'select 1').then(
      () => true,
      () => false,
    )
    inARow = isFound ? inARow + 1 : 0
    if (performance.now() > deadlineMs) throw new Error('haproxy did not find the database')
    if (!isFound) await delay(100)
  }
}

/** Replaces the signing key in the file that each start reads. */
export async function writeNewKey({ signingKeyFile }: Stack, makeKey: () => Promise<object>): Promise<void> {
  const before = await readFile(signingKeyFile, 'utf8')
  const after = JSON.stringify(await makeKey())
  if (before === after) throw new Error('the new key is the old one')
  await writeFile(signingKeyFile, after, { mode: 0o600 })
}
