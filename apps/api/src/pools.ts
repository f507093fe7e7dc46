import { type Config, refuseFaults } from '@merchant-payments/config'
import { batchWrites } from '@merchant-payments/core'
import {
  type Database,
  findRoleFaults,
  migrate,
  openDatabase,
  openServers,
  requireSchema,
  type Servers,
  type Standby,
  untilWritable,
  watchStandby,
} from '@merchant-payments/db'
import type { Log } from '@merchant-payments/telemetry'

/** What the pools of this process have in common. */
interface Surroundings {
  readonly config: Config
  readonly log: Log
  readonly servers: Servers | undefined
}

interface Pool {
  readonly connections: number
  readonly readConnections: number
  readonly genericPlans: boolean
}

/** Pools that do not take merchants' connections (docs/operations.md counts them). */
const pools = {
  /** Payers poll their payment and confirm it once. */
  payers: { connections: 6, readConnections: 2, genericPlans: true },
  /** For unauthenticated requests: callbacks of rails, token requests, the key set. */
  open: { connections: 4, readConnections: 1, genericPlans: true },
  /** Staff searches may be slow. They delay only each other. Which index is best depends on what staff look for. */
  staff: { connections: 4, readConnections: 0, genericPlans: false },
} satisfies Record<string, Pool>

/** Opens all database connections of this process, once the database takes writes. Requires the schema of this code. */
export async function openPools(config: Config, log: Log) {
  const { database } = config
  const around = { config, log, servers: openServers(database.url.reveal()) }
  const merchants = withWrites(
    openPool(around, 'api', {
      connections: database.poolSize,
      readConnections: database.readConnections,
      genericPlans: true,
    }),
  )
  const payers = withWrites(openPool(around, 'payers', pools.payers))
  const open = withWrites(openPool(around, 'open', pools.open))
  const staff = config.staff === undefined ? undefined : openPool(around, 'staff', pools.staff)
  const standby = staff === undefined ? undefined : openStandby(around, staff)
  await untilWritable(merchants.db.reader, {
    onAway: (error) => log.warn({ err: error }, 'waiting for the database'),
  })
  if (database.migrateOnBoot) await migrate(database.url.reveal(), { phase: 'expand' })
  await requireSchema(merchants.db.reader)
  if (config.livemode) refuseFaults('database.url', await findRoleFaults(merchants.db.reader))
  return {
    merchants,
    payers,
    open,
    staff,
    standby,
    close: async () => {
      const all = [merchants.db, payers.db, open.db, ...(staff === undefined ? [] : [staff])]
      await standby?.close()
      await Promise.all(all.map((pool) => pool.close()))
    },
  }
}

export type Pools = Awaited<ReturnType<typeof openPools>>

/** The standby that `database.reader_url` names. */
function openStandby(around: Surroundings, staff: Database): Standby | undefined {
  const url = around.config.database.readerUrl?.reveal()
  if (url === undefined) return undefined
  return watchStandby({
    primary: staff.reader,
    standby: openPool({ ...around, servers: undefined }, 'standby', pools.staff, url),
    onChange: (usable) => around.log.warn({ usable }, 'standby for reads'),
  })
}

function openPool(
  { config: { database }, log, servers }: Surroundings,
  name: string,
  { connections, readConnections, genericPlans }: Pool,
  url = database.url.reveal(),
): Database {
  return openDatabase({
    url,
    servers,
    poolSize: connections,
    readConnections,
    applicationName: `merchant-payments-${name}`,
    namedStatements: database.namedStatements,
    genericPlans,
    onConnectionLost: (error) => log.warn({ err: error }, 'database connection lost'),
  })
}

/** With statements shared only within this pool. */
const withWrites = (db: Database) => ({ db, writes: batchWrites(db.writer) })
