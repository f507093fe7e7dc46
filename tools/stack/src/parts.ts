import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serverFlags } from '@merchant-payments/config'
import { ensureAppLogin, migrate } from '@merchant-payments/db'
import { startPostgres } from '@merchant-payments/postgres'
import { type Child, startChild } from './child.ts'
import { systemClock } from './clock.ts'
import { allDone, type Closers } from './closers.ts'
import { type ConfigFile, ENDPOINT_ID, MERCHANT_NAME } from './config-file.ts'
import { openMockRails, type OpenMockRails } from './mock-rails.ts'
import type { Servers, StackOptions, Step } from './options.ts'
import { type Ports, type ReplicaPorts, startAt } from './ports.ts'
import { startReceiver, type WebhookReceiver } from './receiver.ts'

/** A temporary database need not survive a crash, so it does not wait for the disk. */
const QUICK_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

const mainOf = (app: string): string =>
  fileURLToPath(new URL(`../../../apps/${app}/src/main.ts`, import.meta.url))

/** Bundles of this code, if a run of tests has made them: they start in a third of the time. */
const { BUNDLED_PROGRAMS } = process.env

const programOf = (app: string): string =>
  BUNDLED_PROGRAMS ? join(BUNDLED_PROGRAMS, `apps/${app}/src/main.mjs`) : mainOf(app)

/** The servers of this code. */
export const ownServers: Servers = { api: programOf('api'), worker: programOf('worker') }

/** PostgreSQL runs as another user if this process is root, and must be able to enter the folder. */
const PASSABLE_MODE = 0o711

export async function temporaryFolder(closers: Closers): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'merchant-payments-'))
  closers.add(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, PASSABLE_MODE)
  return folder
}

export interface StackDatabase {
  /** The owner's URL, for inspecting the system from outside. */
  readonly url: string
  readonly appUrl: string
  readonly namedStatements: boolean
}

/** The login of every development system: a member of the app role and of nothing else. */
const APP_LOGIN = 'merchant_payments_dev'

/** The caller's database or the stack's own, migrated by its owner. */
export async function openDatabase(
  options: StackOptions,
  step: Step,
  place: { folder: string; port: number },
  closers: Closers,
): Promise<StackDatabase> {
  const url = options.databaseUrl ?? (await startDatabase(options, step, place, closers))
  return step('schema', async () => {
    await migrate(url, { folder: options.servers?.migrations })
    const appUrl = await ensureAppLogin(url, APP_LOGIN)
    if (options.startPooler === undefined) return { url, appUrl, namedStatements: true }
    const pooler = await options.startPooler(appUrl)
    closers.add(pooler.stop)
    return { url, appUrl: pooler.url, namedStatements: pooler.keepsStatements }
  })
}

async function startDatabase(
  { dataDir, postgresSettings, log, onPortTaken }: StackOptions,
  step: Step,
  place: { folder: string; port: number },
  closers: Closers,
): Promise<string> {
  const isTemporary = dataDir === undefined
  const start = ({ postgres: port }: Pick<Ports, 'postgres'>) =>
    startPostgres({
      dataDir: join(place.folder, 'postgres'),
      port,
      settings: postgresSettings ?? (isTemporary ? QUICK_SETTINGS : {}),
      log: (line) => log?.('postgres', line),
    })
  const postgres = await step('PostgreSQL', () => startAt({ postgres: place.port }, start, onPortTaken))
  closers.add(async () => {
    await postgres.stop()
    // PostgreSQL may have found its folder out of reach and used another one.
    if (isTemporary) await rm(postgres.dataDir, { recursive: true, force: true })
  })
  return postgres.url
}

export async function openMock(
  { mockRailsSettings, mockRailsInOwnProcess, log, signal, onPortTaken }: StackOptions,
  { mockWire, mockControl }: Ports,
  closers: Closers,
): Promise<OpenMockRails> {
  const start = (at: Pick<Ports, 'mockWire' | 'mockControl'>) =>
    openMockRails({
      wirePort: at.mockWire,
      controlPort: at.mockControl,
      // The name that the configuration tells payers to expect in the prompt.
      settings: { ...mockRailsSettings, mtn: { payeeName: MERCHANT_NAME, ...mockRailsSettings?.mtn } },
      inOwnProcess: mockRailsInOwnProcess ?? false,
      onLine: (line) => log?.('mock-rails', line),
      signal,
    })
  const mock = await startAt({ mockWire, mockControl }, start, onPortTaken)
  closers.add(mock.stop)
  return mock
}

export async function openReceiver(
  { webhookReceiver = true, onWebhook, webhookUrl, onForwarded, onPortTaken }: StackOptions,
  receiverPort: number,
  closers: Closers,
): Promise<WebhookReceiver | null> {
  if (!webhookReceiver) return null
  const start = ({ receiver: port }: Pick<Ports, 'receiver'>) =>
    startReceiver({
      port,
      endpointId: ENDPOINT_ID,
      clock: systemClock,
      onReceived: onWebhook,
      forwardUrl: webhookUrl,
      onForwarded,
    })
  const receiver = await startAt({ receiver: receiverPort }, start, onPortTaken)
  closers.add(() => receiver.stop())
  return receiver
}

/** The processes of one replica. */
export interface Replica {
  readonly config: ConfigFile
  readonly ports: ReplicaPorts
  /** Follows the names of its processes. Empty for the first replica. */
  readonly suffix: string
}

/** Starts both processes at once, because the schema is already up to date. */
export async function startApps(
  { env, log, signal, servers = ownServers }: StackOptions,
  step: Step,
  { config, ports, suffix }: Replica,
  closers: Closers,
): Promise<{ api: Child; worker: Child }> {
  const started: Child[] = []
  closers.add(() => allDone(started.map((child) => child.stop())))
  const start = (name: 'api' | 'worker', internalPort: number) =>
    step(name + suffix, async () => {
      const child = await startChild({
        name: name + suffix,
        flags: serverFlags,
        program: servers[name],
        args: [config.path],
        env: config.env,
        extraEnv: env?.[name],
        isReadyLine: (line) => line.includes('"msg":"ready"'),
        readyUrl: `http://127.0.0.1:${internalPort}/readyz`,
        onLine: (line) => log?.(name + suffix, line),
        signal,
      })
      started.push(child)
      return child
    })
  const [api, worker] = await allDone([
    start('api', ports.apiInternal),
    start('worker', ports.workerInternal),
  ])
  return { api, worker }
}
