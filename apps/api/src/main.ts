import { setTimeout as delay } from 'node:timers/promises'
import { alertNames, createDatabaseClock, faultInjectionOf, recordBuild } from '@merchant-payments/core'
import type { Standby } from '@merchant-payments/db'
import { endOnSignal, exitOnFailedStart, letHeapGrow, listen, startProcess } from '@merchant-payments/process'
import {
  alertTo,
  collectProcess,
  createMetricsServer,
  logCrashes,
  type Metrics,
} from '@merchant-payments/telemetry'
import { openRails, watchRails } from '@merchant-payments/rails'
import { buildApi } from './app.ts'
import { configuredApi, openPages, requireReach, takeSigningKey } from './configured.ts'
import { createSigner } from './oauth/signing-key.ts'
import { trackRequests } from './http/unused-connections.ts'
import { internalServer, isReady, type Readiness } from './internal.ts'
import { openPools } from './pools.ts'

/** Time after readiness turns false in which a balancer may still send requests. Each gets `Connection: close`. */
const DRAIN_MS = 1_500

letHeapGrow()
const crashes = logCrashes('api')
const ending = endOnSignal(crashes)

async function main(): Promise<void> {
  const core = { createDatabaseClock, faultInjectionOf, recordBuild }
  const started = await startProcess('api', { crashes, env: process.env, core })
  const { config, log, fault, clock, metrics, tracing } = started
  const { tracer } = tracing
  const rails = watchRails(openRails(config.rails, clock), { metrics, tracer, clock, log })
  requireReach(config, rails)
  const pages = await openPages(config)
  const pools = await openPools(config, log)
  const { db } = pools.merchants
  if (pools.staff?.standby !== undefined) measureStandby(metrics, pools.staff.standby)
  await started.startClock(db)
  const signer = createSigner(config.signingKey)
  const serving = Promise.withResolvers<void>()
  const readiness: Readiness = { starting: serving.promise, stopping: false }
  const alert = alertTo(log, metrics, alertNames)
  const opened = { ...pages, pools, signer, rails, clock, log, metrics, tracer, alert, fault, readiness }
  const app = buildApi(configuredApi(config, opened))
  const internal = internalServer(db, readiness)
  await listen(internal, config.internalListen)
  const metricsServer = createMetricsServer(metrics)
  if (config.metrics !== undefined) collectProcess(metrics, () => isReady(db, readiness))
  await listen(metricsServer, config.metrics)
  const endUnused = trackRequests(app.server)
  const address = await app.listen(config.listen)
  // After the listeners, because it retires the key of the replicas that run: a start that fails must not.
  await takeSigningKey(signer, db, clock())
  readiness.starting = undefined
  serving.resolve()

  ending.after(async () => {
    readiness.stopping = true
    await delay(DRAIN_MS)
    const closed = app.close()
    endUnused()
    await closed
    internal.close()
    metricsServer.close()
    await Promise.all([...rails.values()].map((rail) => rail.close()))
    started.stopClock()
    await Promise.all([pools.close(), tracing.close()])
  })
  log.info({ address, internal: internal.address(), metrics: metricsServer.address() }, 'ready')
}

/** No sample while the lag is unknown. */
function measureStandby(metrics: Metrics, standby: Standby): void {
  metrics.gauge('database_reader_lag_seconds', 'How far the standby for reads is behind.', [], () => {
    const ms = standby.lagMs()
    return ms === null ? [] : [{ labels: {}, value: ms / 1_000 }]
  })
}

// Last, because a constant below would not be set yet.
await main().catch((error: unknown) => exitOnFailedStart(crashes, error))
