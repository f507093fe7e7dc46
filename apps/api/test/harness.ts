import { generateKeyPairSync, randomUUID } from 'node:crypto'
import {
  type AlertFacts,
  type AlertName,
  type Fault,
  type RailCode,
  systemClock,
} from '@merchant-payments/core'
import { adoptSigningKey } from '@merchant-payments/core'
import { type Database, openDatabase } from '@merchant-payments/db'
import { type MockRails, startMockRails } from '@merchant-payments/mock-rails'
import { createMtnMomo } from '@merchant-payments/rails'
import { cloneDatabase } from '@merchant-payments/testing'
import type { FastifyInstance } from 'fastify'
import { buildApi } from '../src/app.ts'
import { createLog } from '../src/log.ts'
import { createTokenVerifier, mintAccessToken } from '../src/oauth/access-token.ts'
import { issuerOf } from '../src/oauth/discovery.ts'
import { createSigner } from '../src/oauth/signing-key.ts'

export const PUSH_RAIL = 'mtn_momo_cm' as RailCode
/** Settles in EUR, on the same mock: for what a currency decides. */
export const EURO_RAIL = 'mtn_momo_eu' as RailCode
const publicBaseUrl = 'http://api.test'

/** The HTTP service in this process, on a database and a mock rail of its own. */
export interface TestApi {
  readonly app: FastifyInstance
  readonly db: Database
  readonly databaseUrl: string
  readonly mock: MockRails
  readonly rails: ReadonlyMap<RailCode, ReturnType<typeof createMtnMomo>>
  readonly alerts: { name: AlertName; facts: AlertFacts }[]
  /** Moves the service's clock. */
  readonly advance: (ms: number) => void
  readonly clock: () => number
  readonly tokenFor: (
    merchant: string,
    scopes?: readonly ('payments:read' | 'payments:write')[],
  ) => Promise<string>
  readonly call: (request: TestCall) => Promise<TestAnswer>
  readonly stop: () => Promise<void>
}

export interface TestCall {
  readonly method?: 'GET' | 'POST' | 'DELETE' | 'PATCH' | 'HEAD' | 'PUT'
  readonly path: string
  readonly form?: string
  /** A fresh one for each POST unless given; null sends none. */
  readonly key?: string | null
  readonly merchant?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface TestAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a wire body, asserted by each test
  readonly body: any
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

export async function startTestApi(options: { fault?: Fault; livemode?: boolean } = {}): Promise<TestApi> {
  const database = await cloneDatabase()
  const mock = await startMockRails({ settings: { mtn: { autoApproveAfterMs: 0, callbacks: 'off' } } })
  const db = openDatabase({
    url: database.url,
    poolSize: 16,
    applicationName: 'test-api',
    namedStatements: true,
    onConnectionLost: () => undefined,
  })
  let offsetMs = 0
  const clock = () => systemClock() + offsetMs
  const rails = new Map([
    [PUSH_RAIL, railOn(mock.wireUrl, PUSH_RAIL, 'XAF', clock)],
    [EURO_RAIL, railOn(mock.wireUrl, EURO_RAIL, 'EUR', clock)],
  ])
  const signer = createSigner({ kid: 'test-key', privateKey })
  await adoptSigningKey(db, { jwk: signer.jwk, nowMs: clock() })
  const issuer = issuerOf(publicBaseUrl)
  const log = createLog('api', 'silent')
  const alerts: TestApi['alerts'] = []
  const app = buildApi({
    db,
    rails,
    clock,
    log,
    alert: (name, facts) => alerts.push({ name, facts }),
    fault: options.fault ?? (() => undefined),
    deployment: { livemode: options.livemode ?? false, publicBaseUrl, defaultCountryCode: '237' },
    verifyToken: createTokenVerifier({ issuer, reader: db.reader, clock }),
    oauth: { publicBaseUrl, clients: new Map(), signer, db, clock, log },
    errorHeaders: { shouldRetryAlias: 'stripe-should-retry' },
    readiness: { stopping: false },
  })
  await app.ready()
  const tokens = new Map<string, string>()
  const tokenFor: TestApi['tokenFor'] = async (merchant, scopes = ['payments:read', 'payments:write']) => {
    const name = `${merchant} ${scopes.join(' ')} ${Math.floor(clock() / 600_000)}`
    const known = tokens.get(name)
    if (known !== undefined) return known
    const token = await mintAccessToken(signer, {
      issuer,
      clientId: merchant,
      audience: 'service:v1',
      scopes: [...scopes],
      nowMs: clock(),
    })
    tokens.set(name, token)
    return token
  }
  return {
    app,
    db,
    databaseUrl: database.url,
    mock,
    rails,
    alerts,
    clock,
    advance: (ms) => {
      offsetMs += ms
    },
    tokenFor,
    call: async (request) => callApi(app, await tokenFor(request.merchant ?? 'acme'), request),
    stop: async () => {
      await app.close()
      await Promise.all([...rails.values()].map((rail) => rail.close()))
      await mock.stop()
      await db.close()
      await database.drop()
    },
  }
}

const railOn = (wireUrl: string, code: RailCode, currency: 'XAF' | 'EUR', clock: () => number) =>
  createMtnMomo({
    code,
    displayName: 'MTN Mobile Money',
    adapter: 'mtn_momo',
    settlementCurrency: currency,
    wireCurrency: 'XAF',
    baseUrl: wireUrl,
    targetEnvironment: 'mtncameroon',
    collection: {
      subscriptionKeys: ['mock-collection-primary'],
      apiUser: '6f0c1b52-3a5e-4a7d-9d0e-2b8c4f1e7a90',
      apiKey: 'mock-mtn-api-key',
    },
    disbursement: null,
    connectTimeoutMs: 1_000,
    totalTimeoutMs: 2_000,
    clock,
  })

async function callApi(app: FastifyInstance, token: string, request: TestCall): Promise<TestAnswer> {
  const { method = request.form === undefined ? 'GET' : 'POST', path, form, key, headers } = request
  const needsKey = method === 'POST' || method === 'PATCH'
  const sentKey = key === undefined ? (needsKey ? randomUUID() : null) : key
  const response = await app.inject({
    method,
    url: path,
    headers: {
      authorization: `Bearer ${token}`,
      ...(sentKey === null ? {} : { 'idempotency-key': sentKey }),
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(form === undefined ? {} : { payload: form }),
  })
  const isJson = response.headers['content-type']?.includes('json') === true
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    body: isJson ? JSON.parse(response.body) : null,
  }
}
