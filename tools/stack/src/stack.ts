import type { MockRailsControl } from '@merchant-payments/mock-rails'
import type { Child, Environment } from './child.ts'
import { ensureBuiltPage } from './built-page.ts'
import { allDone, type Closers, closingOnFailure, createClosers } from './closers.ts'
import { PUSH_RAIL, REDIRECT_RAIL, type Surroundings, writeConfig } from './config-file.ts'
import { type Deployment, ensureDeployment } from './deployment.ts'
import { openDatabase, openMock, openReceiver, startApps, temporaryFolder } from './parts.ts'
import type { StackOptions, Step } from './options.ts'
import { completePorts, type Ports, type ReplicaPorts, startAt } from './ports.ts'
import { loadStaff, openStaff, type StaffPerson } from './staff.ts'
import type { WebhookReceiver } from './receiver.ts'

export interface Stack {
  readonly baseUrl: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly privateKeyFile: string
  readonly publishableKey: string
  /** Null if the stack was started without. */
  readonly webhook: StackWebhook | null
  readonly mockRails: StackMockRails
  /** Null if the stack was started without. */
  readonly staff: StackStaff | null
  /** The owner's URL. The service has its own login. */
  readonly databaseUrl: string
  readonly configFile: string
  /** The variables to which the configuration refers. */
  readonly env: Environment
  readonly signingKeyFile: string
  readonly api: Child
  readonly worker: Child
  /** All replicas, of which `api` and `worker` are the first. */
  readonly apis: readonly Child[]
  readonly workers: readonly Child[]
  stop(): Promise<void>
}

interface StackWebhook {
  readonly url: string
  readonly secrets: readonly string[]
  readonly receivedUrl: string
  readonly receiver: WebhookReceiver
}

interface StackStaff {
  readonly issuer: string
  readonly signInUrl: string
  readonly dashboardUrl: string
  readonly people: readonly StaffPerson[]
}

interface StackMockRails {
  readonly controlUrl: string
  readonly wireUrl: string
  readonly pushRail: string
  readonly redirectRail: string
  readonly control: MockRailsControl
}

/**
 * Starts everything that a payment passes through, and resolves when it can take one.
 *
 * @example
 * const stack = await startStack({ databaseUrl, env: { api: { FAULT_POINT: 'confirm.charge_committed' } } })
 * // … confirm a payment, which kills the API, then:
 * await stack.api.exited
 * await stack.api.restart()
 * await stack.stop()
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const closers = createClosers()
  try {
    return await assemble(options, options.step ?? plainStep, closers)
  } catch (error) {
    // The caller gets the first error, not one of the clean-up.
    await closers.close().catch(() => undefined)
    throw error
  }
}

/** What the replicas of one system have in common. */
type Shared = Pick<Surroundings, 'publicUrl' | 'staff'>

const plainStep: Step = (_name, work) => work()

/** Builds one page after the other, because each build uses all processors. */
async function openPages(options: StackOptions, step: Step): Promise<[string | null, string | null]> {
  const open = (isWanted: boolean | undefined, name: string, app: string) =>
    isWanted === true ? step(name, () => ensureBuiltPage(app)) : null
  const checkoutPageDir = await open(options.checkoutPage, 'checkout page', 'checkout-web')
  return [checkoutPageDir, await open(options.staff, 'dashboard', 'dashboard')]
}

/** Opens the parts in order, and adds the function that closes each to `closers` at once. */
async function assemble(options: StackOptions, step: Step, closers: Closers): Promise<Stack> {
  const ports = await completePorts(options.ports ?? {})
  const folder = options.dataDir ?? (await temporaryFolder(closers))
  const [deployment, database, mockRails, receiver, [checkoutPageDir, dashboardDir]] = await allDone([
    step('keys', () => ensureDeployment(folder, options.clientId)),
    openDatabase(options, step, { folder, port: ports.postgres }, closers),
    step('mock rails', () => openMock(options, ports, closers)),
    openReceiver(options, ports.receiver, closers),
    openPages(options, step),
    loadStaff(options),
  ])
  options.signal?.throwIfAborted()
  const around = {
    callbackUrl: options.callbackUrl,
    isReleased: options.servers !== undefined,
    databaseUrl: database.appUrl,
    namedStatements: database.namedStatements,
    wireUrl: mockRails.wireUrl,
    operators: await mockRails.control.getSettings(),
    checkoutPageDir,
    dashboardDir,
    webhookUrl: receiver?.url ?? null,
    isOwnStandby: options.isOwnStandby,
    tracing: options.tracing,
  }
  const { first, others } = await startReplicas(options, step, { folder, deployment, ports, around }, closers)

  const { clientId, privateKeyFile, publishableKey, webhookSecret } = deployment
  const { controlUrl, wireUrl, control } = mockRails
  const { publicUrl: baseUrl, staff } = first
  return {
    baseUrl,
    tokenUrl: `${baseUrl}/v1/oauth/token`,
    clientId,
    privateKeyFile,
    publishableKey,
    webhook: receiver && {
      url: receiver.url,
      secrets: [webhookSecret],
      receivedUrl: receiver.receivedUrl,
      receiver,
    },
    mockRails: { controlUrl, wireUrl, pushRail: PUSH_RAIL, redirectRail: REDIRECT_RAIL, control },
    staff: staff && {
      issuer: staff.issuer,
      signInUrl: `${baseUrl}/dash/v1/sign_in`,
      dashboardUrl: `${baseUrl}/dash/`,
      people: first.people,
    },
    databaseUrl: database.url,
    configFile: first.config.path,
    env: first.config.env,
    signingKeyFile: deployment.signingKeyFile,
    api: first.api,
    worker: first.worker,
    apis: [first, ...others].map(({ api }) => api),
    workers: [first, ...others].map(({ worker }) => worker),
    stop: () => closers.close(),
  }
}

/** What all replicas of a system stand on. */
interface Ground {
  readonly folder: string
  readonly deployment: Deployment
  readonly ports: Ports
  readonly around: Omit<Surroundings, 'ports' | keyof Shared>
}

async function startReplicas(
  options: StackOptions,
  step: Step,
  { folder, deployment, ports, around }: Ground,
  closers: Closers,
) {
  const start = async (at: ReplicaPorts, replica: number, shared: Shared, owner: Closers) => {
    const config = await writeConfig(folder, deployment, { ...around, ...shared, ports: at }, replica)
    const suffix = replica === 1 ? '' : ` ${replica}`
    return { config, ...(await startApps(options, step, { config, ports: at, suffix }, owner)) }
  }
  /** The identity provider sends staff back to the api, and the api knows the provider's address: both move at once. */
  const startFirst = (at: ReplicaPorts & Pick<Ports, 'identityProvider'>) =>
    closingOnFailure(closers, async (owner) => {
      const staff = await openStaff(options, at, owner)
      const publicUrl = options.publicUrl ?? `http://127.0.0.1:${at.api}`
      const shared: Shared = { publicUrl, staff: staff?.client ?? null }
      return { ...(await start(at, 1, shared, owner)), ...shared, people: staff?.people ?? [] }
    })
  const { api, apiInternal, apiMetrics, workerInternal, workerMetrics, identityProvider } = ports
  const ofFirst = { api, apiInternal, apiMetrics, workerInternal, workerMetrics, identityProvider }
  const first = await startAt(ofFirst, startFirst, options.onPortTaken)
  const { publicUrl, staff } = first
  const others = await allDone(
    (options.replicas ?? []).map((of, index) => start(of, index + 2, { publicUrl, staff }, closers)),
  )
  return { first, others }
}
