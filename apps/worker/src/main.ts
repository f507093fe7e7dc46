import { type Config, refuseFaults } from '@merchant-payments/config'
import { alertNames, createDatabaseClock, faultInjectionOf, recordBuild } from '@merchant-payments/core'
import { type Database, findHoldFaults, fitPools, openDatabase, prepareDatabase } from '@merchant-payments/db'
import { endOnSignal, exitOnFailedStart, letHeapGrow, listen, startProcess } from '@merchant-payments/process'
import { alertTo, createMetricsServer, type Log, logCrashes } from '@merchant-payments/telemetry'
import { openRails, watchRails } from '@merchant-payments/rails'
import { openEgress } from './egress/egress.ts'
import { watchEgress } from './egress/watched.ts'
import { collectGauges } from './gauges.ts'
import { internalServer, isReady } from './internal.ts'
import { type Schedule, startSchedule } from './schedule.ts'
import { buildEndpoints } from './webhooks/endpoints.ts'

/**
 * Far longer than a short transaction holds a lock. The worker skips a row that is locked longer and tries it
 * again later.
 */
const LOCK_TIMEOUT_MS = 2_000

letHeapGrow()
const crashes = logCrashes('worker')
const ending = endOnSignal(crashes)

async function main(): Promise<void> {
  const core = { createDatabaseClock, faultInjectionOf, recordBuild }
  const started = await startProcess('worker', { crashes, env: process.env, core })
  const { config, log, fault, clock, metrics, tracing } = started
  const db = await openPrepared(config, log)
  await started.startClock(db)
  const watch = { metrics, tracer: tracing.tracer, clock, log }
  const rails = watchRails(openRails(config.rails, clock), watch)
  const egress = watchEgress(openEgress({ allowPrivate: config.webhooks.allowPrivateTargets }), watch)
  let schedule: Schedule | undefined
  const probed = { db, clock, schedule: () => schedule, stopping: ending.began }
  const internal = internalServer(probed)
  await listen(internal, config.worker.internalListen)
  const metricsServer = createMetricsServer(metrics)
  if (config.worker.metrics !== undefined) collectGauges(metrics, { db, clock, rails }, () => isReady(probed))
  await listen(metricsServer, config.worker.metrics)

  // After the listeners, so that a worker whose port is in use leases no job.
  const running = startSchedule(
    {
      db,
      rails,
      clock,
      log,
      metrics,
      tracer: tracing.tracer,
      egress,
      endpoints: buildEndpoints(config.merchantClients),
      alert: alertTo(log, metrics, alertNames),
      fault,
    },
    {
      pollIntervalMs: config.worker.pollIntervalMs,
      retention: { days: config.retentionDays, onlyArchived: config.archiveFolder !== undefined },
    },
  )
  schedule = running
  ending.after(async () => {
    await running.stop()
    internal.close()
    metricsServer.close()
    await Promise.all([egress.close(), ...[...rails.values()].map((rail) => rail.close())])
    started.stopClock()
    await Promise.all([db.close(), tracing.close()])
  })
  log.info(
    { rails: [...rails.keys()], internal: internal.address(), metrics: metricsServer.address() },
    'ready',
  )
}

/** Opens the database once it takes writes. Requires the schema of this code, no payments of the other mode, nothing to hold after a restore and, in livemode, a role without excess rights. */
async function openPrepared({ database, livemode }: Config, log: Log): Promise<Database> {
  const url = database.url.reveal()
  const onConnectionLost = (error: Error) => log.warn({ err: error }, 'database connection lost')
  const { connectionLimit, foldsAccents, roleFaults, modeFaults } = await prepareDatabase({
    url,
    livemode,
    namedStatements: database.namedStatements,
    migrateOnBoot: database.migrateOnBoot,
    onAway: (error) => log.warn({ err: error }, 'waiting for the database'),
    onConnectionLost,
  })
  refuseFaults('database.url', [
    ...modeFaults,
    ...(livemode ? roleFaults : []),
    ...(await findHoldFaults(url)),
  ])
  const { worker, most, fits } = fitPools(database, connectionLimit)
  if (!fits) log.warn({ most, limit: connectionLimit }, 'connections may run out')
  if (!foldsAccents) log.warn('searches miss accents in another case')
  return openDatabase({
    url,
    ...worker.worker,
    applicationName: 'merchant-payments-worker',
    namedStatements: database.namedStatements,
    genericPlans: true,
    // Roll-ups use these: which index is best depends on how much of the ledger a time holds.
    genericLists: false,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    onConnectionLost,
  })
}

// Last, because a constant below would not be set yet.
await main().catch((error: unknown) => exitOnFailedStart(crashes, error))
