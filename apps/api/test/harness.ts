import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { scopes } from '@merchant-payments/config'
import {
  adoptSigningKey,
  type ClientSecretKey,
  clientSecretsOf,
  type AlertFacts,
  type AlertName,
  type FaultHook,
  batchWrites,
  type MerchantId,
  type Merchants,
  type RailAdapter,
  type RailCode,
  type RailDisplays,
  systemClock,
} from '@merchant-payments/core'
import {
  instructRefunds,
  instructReturns,
  type PassCounts,
  settleCharges,
} from '@merchant-payments/core/test/passes'
import type { Database } from '@merchant-payments/db'
import { openTestDatabase } from '@merchant-payments/db/testing'
import { type MockRails, startMockRails } from '@merchant-payments/mock-rails'
import { createMtnMomo } from '@merchant-payments/rails'
import { createLog, createMetrics, type Metrics, noTracer } from '@merchant-payments/telemetry'
import { cloneDatabase } from '@merchant-payments/testing'
import type { FastifyInstance } from 'fastify'
import type { SurfaceLimits } from '../src/admission/surfaces.ts'
import { type ApiDeps, buildApi } from '../src/app.ts'
import type { CheckoutPage } from '../src/checkout-page/page.ts'
import type { DashboardPage } from '../src/dashboard-page/page.ts'
import { createTokenVerifier, mintAccessToken } from '../src/oauth/access-token.ts'
import { issuerOf } from '../src/oauth/discovery.ts'
import { createSigner } from '../src/oauth/signing-key.ts'
import { watchErrors } from './declared-errors.ts'
import './matchers.ts'
import { send, type TestAnswer } from './send.ts'
import { openWire, type Wire } from './wire.ts'

export type { TestAnswer } from './send.ts'

export const PUSH_RAIL = 'mtn_momo_cm' as RailCode
export const ORANGE_RAIL = 'orange_money_cm' as RailCode
/** A rail that settles in EUR on the same mock, for tests of currencies. */
export const EURO_RAIL = 'mtn_momo_eu' as RailCode
export const publicBaseUrl = 'http://api.test'
export const checkoutBaseUrl = 'http://pay.test'

export const clientSecretKey = { version: 1, key: 'the-key-of-the-client-secrets-of-tests' }

export const publishableKeyOf = (merchant: string) => `pk_test_${merchant}`

const PAYEE_NUMBER = '237670009990'

/** A deployment's default. A shorter one would end calls of a busy machine, which no test is about. */
export const RAIL_TIMEOUT_MS = 20_000

/** Prompt of the rail for payers. */
export const railDisplays: RailDisplays = new Map([
  [
    PUSH_RAIL,
    {
      name: { fr: 'MTN Mobile Money', en: 'MTN MoMo' },
      color: '#ffcc00',
      numberPrefixes: ['23767', '237650'],
      payeeNumber: PAYEE_NUMBER,
      prompt: {
        mode: 'automatic',
        dial: '*126#',
        payeeName: 'ACME SARL',
        hint: { fr: 'Composez *126#.', en: 'Dial *126#.' },
      },
    },
  ],
  [
    EURO_RAIL,
    {
      name: { fr: 'MTN (euros)', en: 'MTN (euros)' },
      color: null,
      numberPrefixes: [],
      payeeNumber: null,
      prompt: null,
    },
  ],
  [
    ORANGE_RAIL,
    {
      name: { fr: 'Orange Money', en: 'Orange Money' },
      color: null,
      numberPrefixes: ['23769'],
      payeeNumber: null,
      prompt: null,
    },
  ],
])

/** A merchant that tests can register under any name. */
const anyMerchant: Merchants = {
  find: (id) => ({ id, name: `The shop of ${id}`, publishableKey: publishableKeyOf(id) }),
  findByKey: (key) => {
    const merchant = /^pk_test_(\w+)$/.exec(key)?.[1]
    return merchant === undefined ? undefined : anyMerchant.find(merchant as MerchantId)
  },
}

type Scope = 'payments:read' | 'payments:write'

/** A process of the HTTP service on its own port. */
export interface Replica {
  readonly app: FastifyInstance
  readonly origin: string
  readonly call: (request: TestCall) => Promise<TestAnswer>
}

/** The HTTP service in this process, with its own database and mock rail. */
export interface TestApi extends Replica {
  readonly db: Database
  /** The owner's connection, for fixtures that change rows beyond the service's rights. */
  readonly owner: Database
  readonly databaseUrl: string
  readonly mock: MockRails
  /** A proxy between the rails' adapters and the mock. */
  readonly wire: Wire
  readonly rails: ReadonlyMap<RailCode, RailAdapter>
  readonly alerts: { name: AlertName; facts: AlertFacts }[]
  /** Why connections of the service to its database ended. */
  readonly lost: readonly Error[]
  /** The value of a metric by its name and labels, such as `a_total{kind="b"}`; 0 if absent. */
  readonly figure: (name: string) => Promise<number>
  /** All metrics, in the text format of Prometheus. */
  readonly scrape: () => Promise<string>
  /** Advances the service's clock. */
  readonly advance: (ms: number) => void
  readonly clock: () => number
  readonly tokenFor: (merchant: string, scopes?: readonly Scope[], audience?: string) => Promise<string>
  /** Another process on the same database, deployed with these rails and keys. */
  readonly deploy: (
    rails: ReadonlyMap<RailCode, RailAdapter>,
    clientSecretKeys?: readonly ClientSecretKey[],
  ) => Promise<Replica>
  /** Makes the database server forget the service's database. */
  readonly loseDatabase: () => Promise<void>
  readonly stop: () => Promise<void>
}

export interface TestCall {
  readonly method?: 'GET' | 'POST' | 'DELETE' | 'PATCH' | 'HEAD' | 'PUT' | 'OPTIONS' | 'QUERY'
  readonly path: string
  readonly form?: string | Uint8Array
  /** Default: a new key for each POST; null sends none. */
  readonly key?: string | null
  readonly merchant?: string
  /** Replaces the merchant's token; null sends none. */
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string | string[]>>
}

export type Extra = Omit<TestCall, 'path' | 'form'>

export interface TestApiOptions {
  /** Whether the api knows which requests it has answered. Another process does not. Default: it does. */
  readonly remembersRequests?: () => boolean
  readonly fault?: FaultHook
  readonly livemode?: boolean
  /** A fixed clock moves only by `advance`. */
  readonly clock?: 'still'
  /** `few` applies the deployment's default budget. Otherwise no test exhausts it by accident. */
  readonly lookups?: 'few'
  /** Serves the page at /reference unless false. */
  readonly referencePage?: boolean
  /** Default: true. */
  readonly payersMayLookUp?: boolean
  /** Time-out of the adapters for their rail, in ms. Only a test of a silent rail needs a short one. */
  readonly railTimeoutMs?: number
  /** Enables callbacks of the rails. */
  readonly takesCallbacks?: boolean
  readonly checkoutPage?: CheckoutPage
  /** The database's address for the service, if a proxy counts in between. */
  readonly databaseBy?: (url: string) => Promise<string>
  readonly dashboardPage?: DashboardPage
  readonly limits?: SurfaceLimits
  readonly connectionsMax?: number
  readonly untakenMaxMs?: number
  readonly timeoutsEveryMs?: number
  /** Enables the staff's surface. */
  readonly dash?: (parts: Pick<ApiDeps, 'db' | 'clock' | 'log'>) => ApiDeps['dash']
  /** Receives each log line. */
  readonly onLogLine?: (line: string) => void
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
/** A token is valid for 15 minutes, so a new one is fetched in time. */
const TOKEN_KEPT_MS = 600_000

const manyLookups = { perSecond: 1_000_000, burst: 1_000_000, waitMaxMs: 0 }

export async function startTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const database = await cloneDatabase()
  const mock = await startMockRails({ settings: { mtn: { autoApproveAfterMs: 0, callbacks: 'off' } } })
  const wire = await openWire(mock.wireUrl)
  const lost: Error[] = []
  const db = openTestDatabase((await options.databaseBy?.(database.appUrl)) ?? database.appUrl, {
    poolSize: 16,
    readConnections: 2,
    applicationName: 'test-api',
    onConnectionLost: (error) => lost.push(error),
  })
  const owner = openTestDatabase(database.url, { poolSize: 2, applicationName: 'test-owner' })
  let offsetMs = 0
  const startedMs = systemClock()
  const clock = () => (options.clock === 'still' ? startedMs : systemClock()) + offsetMs
  const railOn = (code: RailCode, currency: 'XAF' | 'EUR') =>
    createTestRail({
      code,
      currency,
      baseUrl: wire.url,
      clock,
      totalTimeoutMs: options.railTimeoutMs ?? RAIL_TIMEOUT_MS,
    })
  const rails = new Map([
    [PUSH_RAIL, railOn(PUSH_RAIL, 'XAF')],
    [EURO_RAIL, railOn(EURO_RAIL, 'EUR')],
  ])
  const signer = createSigner({ kid: 'test-key', privateKey })
  await adoptSigningKey(db, { jwk: signer.jwk, nowMs: clock() })
  const issuer = issuerOf(publicBaseUrl)
  const { onLogLine } = options
  const log = onLogLine ? createLog('api', 'info', { write: onLogLine }) : createLog('api', 'silent')
  const processes: Metrics[] = []
  const alerts: TestApi['alerts'] = []
  const apps: FastifyInstance[] = []
  const undeclared = new Set<string>()

  const tokens = new Map<string, string>()
  const tokenFor: TestApi['tokenFor'] = async (
    merchant,
    scopes = ['payments:read', 'payments:write'],
    audience = 'service:v1',
  ) => {
    const name = `${merchant} ${scopes.join(' ')} ${audience} ${Math.floor(clock() / TOKEN_KEPT_MS)}`
    const known = tokens.get(name)
    if (known !== undefined) return known
    const grant = { issuer, clientId: merchant, audience, scopes: [...scopes], nowMs: clock() }
    const token = await mintAccessToken(signer, grant)
    tokens.set(name, token)
    return token
  }

  const made = batchWrites(db.writer)
  const { remembersRequests = () => true } = options
  const writes: typeof made = {
    ...made,
    seen: { add: made.seen.add, has: (claim) => remembersRequests() && made.seen.has(claim) },
  }
  const deploy: TestApi['deploy'] = async (deployedRails, clientSecretKeys = [clientSecretKey]) => {
    const deployment = {
      livemode: options.livemode ?? false,
      publicBaseUrl,
      checkoutBaseUrl,
      callbackBaseUrl: publicBaseUrl,
      merchants: anyMerchant,
      clientSecrets: clientSecretsOf(clientSecretKeys),
      railDisplays,
      payersMayLookUp: options.payersMayLookUp ?? true,
      defaultCountryCode: '237',
    }
    // Each deployment stands for a process of its own, which has its own metrics.
    const metrics = createMetrics()
    processes.push(metrics)
    const app = buildApi({
      db,
      writes,
      rails: deployedRails,
      clock,
      log,
      metrics,
      tracer: noTracer,
      alert: (name, facts) => alerts.push({ name, facts }),
      fault: options.fault ?? (() => undefined),
      deployment,
      verifyToken: createTokenVerifier({ issuer, reader: db.reader, clock, scopesOf: () => scopes }),
      oauth: {
        publicBaseUrl,
        clients: new Map(),
        signer,
        db,
        writes,
        clock,
        fault: () => undefined,
        log,
        metrics,
      },
      errorHeaders: { shouldRetryAlias: 'stripe-should-retry' },
      readiness: { stopping: false },
      payers: { db, writes },
      callbacks: { db },
      limits: options.limits,
      connectionsMax: options.connectionsMax,
      untakenMaxMs: options.untakenMaxMs,
      timeoutsEveryMs: options.timeoutsEveryMs,
      lookupPace: options.lookups === 'few' ? undefined : manyLookups,
      referencePage: options.referencePage ?? true,
      checkoutPage: options.checkoutPage,
      dashboardPage: options.dashboardPage,
      dash: options.dash?.({ db, clock, log }),
    })
    watchErrors(app, undeclared)
    apps.push(app)
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    if (options.takesCallbacks) deployment.callbackBaseUrl = origin
    const call = async (request: TestCall) => {
      const token = request.token === undefined ? await tokenFor(request.merchant ?? 'acme') : request.token
      return send(origin, exchangeOf(request, token))
    }
    return { app, origin, call }
  }

  const scrape = async () => (await processes[0]?.render()) ?? ''
  return {
    ...(await deploy(rails)),
    db,
    owner,
    databaseUrl: database.url,
    mock,
    wire,
    rails,
    alerts,
    lost,
    clock,
    scrape,
    figure: async (name) => {
      const lines = (await scrape()).split('\n')
      return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? 0)
    },
    advance: (ms) => {
      offsetMs += ms
    },
    tokenFor,
    deploy,
    loseDatabase: database.drop,
    stop: async () => {
      await Promise.all(apps.map((app) => app.close()))
      await Promise.all([...rails.values()].map((rail) => rail.close()))
      await wire.cut()
      await mock.stop()
      await Promise.all([db.close(), owner.close()])
      await database.drop()
      if (undeclared.size > 0)
        throw new Error(`errors that no declaration lists: ${[...undeclared].join(', ')}`)
    },
  }
}

/** What a pass of the worker needs, after some time. */
function workerAfter(api: TestApi, afterMs: number, fault: FaultHook = () => undefined) {
  api.advance(afterMs)
  const { db, rails, clock, alerts } = api
  const alert = (name: AlertName, facts: AlertFacts) => alerts.push({ name, facts })
  return { db, rails, clock, alert, fault }
}

/** Runs one settle pass of the worker after the charges are due. */
export const settle = async (api: TestApi, afterMs = 60_000, fault?: FaultHook): Promise<PassCounts> =>
  settleCharges(workerAfter(api, afterMs, fault))

/** Runs one pass of the worker over due refunds. */
export const instruct = async (api: TestApi, afterMs = 60_000): Promise<PassCounts> =>
  instructRefunds(workerAfter(api, afterMs))

/** The same for returns of duplicate charges. */
export const sendReturns = async (api: TestApi): Promise<PassCounts> =>
  instructReturns(workerAfter(api, 60_000))

interface TestRail {
  readonly code: RailCode
  readonly currency: 'XAF' | 'EUR'
  readonly baseUrl: string
  readonly clock: () => number
  readonly totalTimeoutMs: number
}

const createTestRail = ({ code, currency, baseUrl, clock, totalTimeoutMs }: TestRail) =>
  createMtnMomo({
    code,
    displayName: 'MTN Mobile Money',
    adapter: 'mtn_momo',
    settlementCurrency: currency,
    wireCurrency: 'XAF',
    baseUrl,
    targetEnvironment: 'mtncameroon',
    collection: {
      subscriptionKeys: ['mock-collection-primary'],
      apiUser: '6f0c1b52-3a5e-4a7d-9d0e-2b8c4f1e7a90',
      apiKey: 'mock-mtn-api-key',
    },
    disbursement: {
      subscriptionKeys: ['mock-disbursement-primary'],
      apiUser: '6f0c1b52-3a5e-4a7d-9d0e-2b8c4f1e7a90',
      apiKey: 'mock-mtn-api-key',
    },
    totalTimeoutMs,
    clock,
  })

function exchangeOf(request: TestCall, token: string | null) {
  const { method = request.form === undefined ? 'GET' : 'POST', path, form, key, headers } = request
  const needsKey = method === 'POST' || method === 'PATCH'
  const sentKey = key === undefined ? (needsKey ? randomUUID() : null) : key
  return {
    method,
    path,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(sentKey === null ? {} : { 'idempotency-key': sentKey }),
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    body: form,
  }
}
