import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { ConfigError, exitOnFaults, loadConfig, refuseFaults } from '@merchant-payments/config'
import {
  adoptSigningKey,
  clientSecretsOf,
  createDatabaseClock,
  batchWrites,
  type MerchantId,
  merchantsOf,
  type RailCode,
  railsOutOfReach,
  faultInjectionOf,
} from '@merchant-payments/core'
import { findRoleFaults, migrate, openDatabase, readTimeMs } from '@merchant-payments/db'
import { collectProcess, createMetrics, metricsServer } from '@merchant-payments/metrics'
import { openRails, watchRails } from '@merchant-payments/rails'
import { openTracing } from '@merchant-payments/tracing'
import { buildApi } from './app.ts'
import { dashOf } from './dash/open.ts'
import { trackRequests } from './http/unused-connections.ts'
import { openCheckoutPage } from './checkout-page/page.ts'
import { openDashboardPage } from './dashboard-page/page.ts'
import { internalServer, type Readiness } from './internal.ts'
import { alertTo, createLog, endLog, logCrashes } from '@merchant-payments/log'
import { createTokenVerifier } from './oauth/access-token.ts'
import { issuerOf } from './oauth/discovery.ts'
import { createSigner } from './oauth/signing-key.ts'
import { openPool, openPoolWithWrites } from './pools.ts'

/** How long a balancer may still send requests after readiness turned: each is answered with `Connection: close`. */
const DRAIN_MS = 1_500
/** Below the thirty seconds after which orchestrators kill. */
const STOP_MS_MAX = 25_000

const refusedKeys = {
  retired_key: 'was retired; rolling back to a retired key is refused (spec 5.5)',
  kid_taken: 'has the kid of another key',
  revoked_key: 'was revoked; make another key',
}

const longCallback = 'has a callback address, below public_base_url, that is longer than the rail takes'

const configPath = process.argv[2] ?? process.env['MERCHANT_PAYMENTS_CONFIG'] ?? 'merchant-payments.yaml'
const crashes = logCrashes('api')
await main().catch(exitOnFaults)

async function main(): Promise<void> {
  const config = loadConfig(configPath, process.env)
  const log = createLog('api', config.log.level)
  crashes.log = log
  const { fault, systemClock, ahead } = faultInjectionOf(config.livemode, process.env)
  const time = createDatabaseClock({
    systemClock,
    onStep: (byMs) => log.warn({ by_ms: byMs }, 'clock set by the database'),
    onFailure: (error) => log.warn({ err: error }, 'the time of the database was not read'),
  })
  const clock = ahead(time.clock)
  const { publicBaseUrl } = config
  const metrics = createMetrics()
  const onLost = (spans: number) => log.warn({ spans }, 'spans lost')
  const tracing = openTracing({ config: config.tracing, service: 'merchant-payments-api', clock, onLost })
  const { tracer } = tracing
  const rails = watchRails(openRails(config.rails, clock), { metrics, tracer, clock })
  const outOfReach = railsOutOfReach(publicBaseUrl, rails)
  if (outOfReach.length > 0) {
    throw new ConfigError(outOfReach.map((code) => ({ path: `rails.${code}`, message: longCallback })))
  }
  const { checkoutPageDir } = config
  const checkoutPage = checkoutPageDir === undefined ? undefined : await openCheckoutPage(checkoutPageDir)
  const dashboardDir = config.staff?.dashboardDir
  const dashboardPage = dashboardDir === undefined ? undefined : await openDashboardPage(dashboardDir)
  const url = config.database.url.reveal()
  if (config.database.migrateOnBoot) await migrate(url)
  const db = openDatabase({
    url,
    poolSize: config.database.poolSize,
    readConnections: config.database.readConnections,
    applicationName: 'merchant-payments-api',
    namedStatements: config.database.namedStatements,
    onConnectionLost: (error) => log.warn({ err: error }, 'database connection lost'),
  })
  if (config.livemode) refuseFaults('database.url', await findRoleFaults(db.reader))
  await time.start(() => readTimeMs(db.reader))
  const staffDb = config.staff === undefined ? undefined : openPool(config, log, 'staff')
  const payers = openPoolWithWrites(config, log, 'payers')
  const open = openPoolWithWrites(config, log, 'open')
  const signer = createSigner(config.signingKey)
  const adopted = await adoptSigningKey(db, { jwk: signer.jwk, nowMs: clock() })
  if (adopted !== 'active') throw new ConfigError([{ path: 'signing_key', message: refusedKeys[adopted] }])
  const readiness: Readiness = { stopping: false }
  const writes = batchWrites(db.writer)
  const clients = new Map(config.merchantClients.map((client) => [client.clientId, client]))
  const app = buildApi({
    db,
    writes,
    rails,
    clock,
    log,
    metrics,
    tracer,
    alert: alertTo(log, metrics),
    fault,
    deployment: {
      livemode: config.livemode,
      publicBaseUrl,
      // This service serves the page itself, unless another host does.
      checkoutBaseUrl: config.checkoutBaseUrl ?? publicBaseUrl,
      merchants: merchantsOf(
        config.merchantClients.map(({ clientId, name, publishableKey }) => ({
          id: clientId as MerchantId,
          name,
          publishableKey,
        })),
      ),
      clientSecrets: clientSecretsOf(
        config.clientSecretKeys.map(({ version, key }) => ({ version, key: key.reveal() })),
      ),
      railDisplays: new Map(config.rails.map(({ code, display }) => [code as RailCode, display])),
      payersMayLookUp: config.browser.accountHolders,
      defaultCountryCode: config.phone.defaultCountryCode,
    },
    verifyToken: createTokenVerifier({
      issuer: issuerOf(publicBaseUrl),
      reader: db.reader,
      clock,
      scopesOf: (clientId) => clients.get(clientId)?.scopes,
    }),
    oauth: {
      publicBaseUrl,
      clients,
      signer,
      ...open,
      clock,
      fault,
      log,
      metrics,
    },
    payers,
    callbacks: open,
    readiness,
    referencePage: config.reference ?? !config.livemode,
    checkoutPage,
    dashboardPage,
    dash: staffDb && config.staff && dashOf(config, config.staff, { db: staffDb, clock, log }),
    errorHeaders: { shouldRetryAlias: config.compat.shouldRetryHeader ?? null },
  })
  const internal = internalServer(db, readiness)
  if (config.internalListen !== undefined) {
    internal.listen(config.internalListen.port, config.internalListen.host)
    await once(internal, 'listening')
  }
  const figures = metricsServer(metrics)
  if (config.metrics !== undefined) {
    collectProcess(metrics)
    figures.listen(config.metrics.port, config.metrics.host)
    await once(figures, 'listening')
  }
  const endUnused = trackRequests(app.server)
  const address = await app.listen(config.listen)

  let signals = 0
  const stop = async (): Promise<void> => {
    signals += 1
    if (signals > 1) process.exit(1)
    setTimeout(() => process.exit(1), STOP_MS_MAX).unref()
    log.info('stopping')
    readiness.stopping = true
    await delay(DRAIN_MS)
    const closed = app.close()
    endUnused()
    await closed
    internal.close()
    figures.close()
    await Promise.all([...rails.values()].map((rail) => rail.close()))
    time.stop()
    await Promise.all([db, payers.db, open.db].map((pool) => pool.close()))
    await Promise.all([staffDb?.close(), tracing.close()])
    log.info('stopped')
    await endLog(log)
    process.exit(0)
  }
  process.on('SIGTERM', () => void stop())
  process.on('SIGINT', () => void stop())
  log.info({ address, internal: internal.address(), metrics: figures.address() }, 'ready')
}
