import type { Environment } from '@merchant-payments/config'
import { type Database, readTimeMs } from '@merchant-payments/db'
import { type Crashes, createLog, createMetrics, openTracing } from '@merchant-payments/telemetry'
import { type App, readConfig } from './command-line.ts'

type Clock = () => number

/** What a start needs of core, which this package must not import. */
interface CoreFunctions<FaultHook> {
  readonly faultInjectionOf: (
    livemode: boolean,
    env: Environment,
  ) => { readonly fault: FaultHook; readonly systemClock: Clock; readonly ahead: (clock: Clock) => Clock }
  readonly createDatabaseClock: (options: {
    readonly systemClock: Clock
    readonly onStep: (byMs: number) => void
    readonly onFailure: (error: unknown) => void
  }) => {
    readonly clock: Clock
    readonly start: (readMs: () => Promise<number>) => Promise<void>
    readonly stop: () => void
  }
  readonly recordBuild: (
    deps: { readonly db: Database; readonly clock: Clock },
    app: App,
    env: Environment,
  ) => Promise<void>
}

interface Program<FaultHook> {
  readonly crashes: Crashes
  readonly env: Environment
  readonly core: CoreFunctions<FaultHook>
}

/** Reads the configuration, and makes what each server needs before its database is open. */
export async function startProcess<FaultHook>(app: App, { crashes, env, core }: Program<FaultHook>) {
  const config = readConfig(app, process.argv.slice(2), env)
  const log = createLog(app, config.log.level)
  crashes.log = log
  const { fault, systemClock, ahead } = core.faultInjectionOf(config.livemode, env)
  const time = core.createDatabaseClock({
    systemClock,
    onStep: (byMs) => log.warn({ by_ms: byMs }, 'clock set by the database'),
    onFailure: (error) => log.warn({ err: error }, 'could not read the time of the database'),
  })
  const clock = ahead(time.clock)
  const tracing = await openTracing({
    config: config.tracing,
    service: `merchant-payments-${app}`,
    clock,
    onLost: (spans) => log.warn({ spans }, 'spans lost'),
  })
  return {
    config,
    log,
    fault,
    clock,
    metrics: createMetrics(),
    tracing,
    /** Takes the time of the database from now on. Records the build, without waiting for it. */
    startClock: async (db: Database): Promise<void> => {
      await time.start(() => readTimeMs(db.reader))
      void core.recordBuild({ db, clock }, app, env).catch((error: unknown) => {
        log.warn({ err: error }, 'could not record the build')
      })
    },
    stopClock: () => time.stop(),
  }
}
