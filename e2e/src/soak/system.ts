import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Stack, startStack } from '@merchant-payments/stack'
import { type Replicas, startReplicas } from '@merchant-payments/testing/replicas'
import getPort, { portNumbers } from 'get-port'
import { packedReleases, unpackRelease } from '../releases.ts'
import { startBalancer } from './balancer.ts'

export interface System {
  /** The release whose servers run first. */
  readonly release: string
  readonly stack: Stack
  /** The servers of PostgreSQL. The processes know the addresses of both. */
  readonly replicas: Replicas
  stop(): Promise<void>
}

/** A rail that answers at once would leave no confirm for a kill to interrupt. */
const SUBMIT_MS = 300
const SUBMITS_MAX = 1_000_000

/** Below the range of outgoing connections, so that the port of a killed process stays free for its restart. */
const PORTS = portNumbers(21_000, 29_000)

/** The servers write to the disk as in a deployment, because the run measures times. */
const SETTINGS = { fsync: 'on', full_page_writes: 'on' }

type OnWebhook = (webhook: { readonly body: string }) => void

/** Two apis and two workers of the previous release behind haproxy, and a primary with its synchronous standby. */
export async function startSystem(onWebhook: OnWebhook): Promise<System> {
  const folder = await mkdtemp(join(tmpdir(), 'merchant-payments-soak-'))
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  const stop = async () => {
    for (const close of closers.toReversed()) await close().catch((error: unknown) => console.error(error))
  }
  try {
    const release = packedReleases.at(-1)
    if (release === undefined) throw new Error('no release is packed: run release:servers')
    const servers = await unpackRelease(release, join(folder, 'release'))
    const replicas = await startReplicas({ ports: [await port(), await port()], settings: SETTINGS })
    closers.push(() => replicas.stop())
    const ports = [await replicaPorts(), await replicaPorts()] as const
    const balancer = await startBalancer(folder, {
      plain: await port(),
      tls: await port(),
      database: await port(),
      apis: ports,
      postgres: [replicas.primary().port, replicas.standby().port],
    })
    closers.push(() => balancer.stop())
    const stack = await startStack({
      databaseUrl: replicas.url,
      servers,
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
    return { release, stack, replicas, stop }
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

/** Replaces the signing key in the file that each start reads. */
export async function writeNewKey({ signingKeyFile }: Stack, makeKey: () => Promise<object>): Promise<void> {
  const before = await readFile(signingKeyFile, 'utf8')
  const after = JSON.stringify(await makeKey())
  if (before === after) throw new Error('the new key is the old one')
  await writeFile(signingKeyFile, after, { mode: 0o600 })
}
