import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@merchant-payments/ports'
import { type Stack, startStack } from '@merchant-payments/stack'
import { type Replicas, startReplicas } from '@merchant-payments/testing/replicas'
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
    const replicas = await startReplicas({ ports: [await freePort(), await freePort()], settings: SETTINGS })
    closers.push(() => replicas.stop())
    const ports = [await replicaPorts(), await replicaPorts()] as const
    const balancer = await startBalancer(folder, {
      plain: await freePort(),
      tls: await freePort(),
      database: await freePort(),
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

const replicaPorts = async () => ({
  api: await freePort(),
  apiInternal: await freePort(),
  apiMetrics: await freePort(),
  workerInternal: await freePort(),
  workerMetrics: await freePort(),
})

/** Replaces the signing key in the file that each start reads. */
export async function writeNewKey({ signingKeyFile }: Stack, makeKey: () => Promise<object>): Promise<void> {
  const before = await readFile(signingKeyFile, 'utf8')
  const after = JSON.stringify(await makeKey())
  if (before === after) throw new Error('the new key is the old one')
  await writeFile(signingKeyFile, after, { mode: 0o600 })
}
