import {
  type AlertFacts,
  type AlertName,
  type EventId,
  type FaultPoint,
  type MerchantId,
  mintId,
  type Rails,
  uuidOf,
} from '@merchant-payments/core'
import { type Database, type DatabaseOptions, openDatabase } from '@merchant-payments/db'
import { cloneDatabase } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest'
import { type Egress, openEgress } from '../src/egress/egress.ts'
import { createLog, createMetrics, noTracer } from '@merchant-payments/telemetry'
import { createLanes } from '../src/lanes.ts'
import {
  type DeliverDeps,
  DELIVERY_LANES,
  type DeliverReport,
  startDeliveries,
} from '../src/passes/deliver-webhooks.ts'
import { buildEndpoints, type WebhookClient } from '../src/webhooks/endpoints.ts'

export const MERCHANT = 'acme' as MerchantId
export const SECRET = 'whsec_test_0123456789abcdef0123456789'
export const START_MS = Date.UTC(2026, 10, 21, 9)

interface TestAlert {
  readonly name: AlertName
  readonly facts: AlertFacts
}

/** A database for this file, emptied before each test. */
export function useDatabase() {
  let db: Database
  let sql: pg.Client
  let drop: () => Promise<void>
  let url: string
  let appUrl: string

  beforeAll(async () => {
    const database = await cloneDatabase()
    ;({ drop, url, appUrl } = database)
    db = openTestDatabase(appUrl)
    sql = await connect(url)
  })
  beforeEach(async () => {
    await sql.query(
      'truncate events, event_counters, fanout_jobs, deliveries, delivery_attempts, delivery_jobs, leases, idempotency_keys, spent_jtis, refunds, charges, charge_jobs, checkout_sessions, payment_intents, invoices, customers, customer_erasures, raised_alerts, attention_items cascade',
    )
  })
  afterAll(async () => {
    await sql.end()
    await db.close()
    await drop()
  })

  const query = async (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
    (await sql.query<Record<string, unknown>>(text, values)).rows

  return {
    db: () => db,
    /** The owner's URL, which `query` uses. */
    url: () => url,
    /** The service's URL. */
    appUrl: () => appUrl,
    query,
    /** Writes an event as a state change does, due now. */
    insertEvent: (nowMs: number, merchantId: MerchantId = MERCHANT) => insertEvent(query, nowMs, merchantId),
  }
}

export const openTestDatabase = (url: string, options: Partial<DatabaseOptions> = {}): Database =>
  openDatabase({
    url,
    poolSize: 8,
    readConnections: 2,
    applicationName: 'worker-test',
    namedStatements: true,
    onConnectionLost: () => undefined,
    ...options,
  })

async function insertEvent(
  query: (text: string, values: unknown[]) => Promise<unknown>,
  nowMs: number,
  merchantId: MerchantId,
): Promise<{ id: EventId; body: string }> {
  const id = mintId('evt', nowMs)
  const body = JSON.stringify({
    id,
    object: 'event',
    type: 'payment_intent.succeeded',
    created: Math.floor(nowMs / 1000),
    livemode: false,
    data: { object: { id: 'pi_1', object: 'payment_intent', description: 'crème brûlée à 5 €' } },
  })
  await query(
    `with e as (
      insert into events (merchant_id, id, type, body, request_id, position)
      values ($1, $2, 'payment_intent.succeeded', $3, 'req_of_the_event', (select count(*) + 1 from events))
    )
    insert into fanout_jobs (event_id, merchant_id, due_at) values ($2, $1, $4)`,
    [merchantId, uuidOf(id), body, new Date(nowMs)],
  )
  return { id, body }
}

interface WorkerOptions {
  readonly endpoints?: readonly WebhookClient[]
  readonly egress?: Egress
  readonly rails?: Rails
  /** Default: the real time. Tests of the ladder move their own clock. */
  readonly clock?: () => number
}

/** The dependencies that main.ts makes, around a database. Collects the alerts and fault points. */
export function workerDeps(db: Database, options: WorkerOptions = {}) {
  const alerts: TestAlert[] = []
  const faults: FaultPoint[] = []
  return {
    alerts,
    faults,
    db,
    rails: options.rails ?? (new Map() satisfies Rails),
    clock: options.clock ?? Date.now,
    log: createLog('worker', 'silent'),
    metrics: createMetrics(),
    tracer: noTracer,
    alert: (name: AlertName, facts: AlertFacts) => void alerts.push({ name, facts }),
    fault: (point: FaultPoint) => void faults.push(point),
    endpoints: buildEndpoints(options.endpoints ?? [clientWith()]),
    egress: options.egress ?? testEgress(),
  }
}

/** The real egress, allowed to reach the tests' receivers. */
export function testEgress(options: Partial<Parameters<typeof openEgress>[0]> = {}): Egress {
  const egress = openEgress({ allowPrivate: true, ...options })
  onTestFinished(() => egress.close())
  return egress
}

export const clientWith = (
  ...webhooks: { id: string; url: string; secrets?: string[] }[]
): WebhookClient => ({
  clientId: MERCHANT,
  webhooks: webhooks.map(({ id, url, secrets = [SECRET] }) => ({
    id,
    url,
    secrets: secrets.map((secret) => ({ reveal: () => secret, toJSON: () => '[secret]' })),
  })),
})

export function movableClock() {
  let nowMs = START_MS
  return {
    clock: () => nowMs,
    advance: (ms: number) => {
      nowMs += ms
    },
  }
}

/** Runs one pass over due deliveries to its end. */
export const deliverWebhooks = async (
  deps: DeliverDeps,
  lanes = createLanes(DELIVERY_LANES),
): Promise<DeliverReport> => (await startDeliveries(deps, lanes)).ended
