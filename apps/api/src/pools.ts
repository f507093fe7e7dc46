import { type Config, refuseFaults } from '@merchant-payments/config'
import { batchWrites } from '@merchant-payments/core'
import {
  type Database,
  fitPools,
  openDatabase,
  openServers,
  type PoolSize,
  prepareDatabase,
  type Servers,
  type Standby,
  watchStandby,
} from '@merchant-payments/db'
import type { Log } from '@merchant-payments/telemetry'
import { limitsOf } from './admission/surfaces.ts'

/** What the pools of this process have in common. */
interface Surroundings {
  readonly config: Config
  readonly log: Log
  readonly servers: Servers | undefined
}

/** Opens all database connections of this process, once the database takes writes. Requires the schema of this code. */
export async function openPools(config: Config, log: Log) {
  const { database, livemode } = config
  const around = { config, log, servers: openServers(database.url.reveal()) }
  const { connectionLimit, foldsAccents, roleFaults, modeFaults } = await prepareDatabase({
    url: database.url.reveal(),
    servers: around.servers,
    livemode,
    namedStatements: database.namedStatements,
    migrateOnBoot: database.migrateOnBoot,
    onAway: (error) => log.warn({ err: error }, 'waiting for the database'),
    onConnectionLost: (error) => log.warn({ err: error }, 'database connection lost'),
  })
  refuseFaults('database.url', [...modeFaults, ...(livemode ? roleFaults : [])])
  const { api, most, fits } = fitPools(database, connectionLimit)
  if (!fits) log.warn({ most, limit: connectionLimit }, 'connections may run out')
  if (!foldsAccents) log.warn('searches miss accents in another case')
  const merchants = withWrites(openPool(around, 'api', api.merchants), api.merchants)
  const payers = withWrites(openPool(around, 'payers', api.payers), api.payers)
  const callbacks = openPool(around, 'callbacks', api.callbacks)
  const oauth = withWrites(openPool(around, 'oauth', api.oauth), api.oauth)
  const staff = config.staff === undefined ? undefined : openStaffPools(around, api)
  return {
    merchants,
    payers,
    callbacks,
    oauth,
    staff,
    limits: limitsOf(api.merchants.poolSize),
    close: async () => {
      await staff?.standby?.close()
      const ofStaff = staff === undefined ? [] : [staff.db, staff.signInDb]
      const all = [merchants.db, payers.db, callbacks, oauth.db, ...ofStaff]
      await Promise.all(all.map((pool) => pool.close()))
    },
  }
}

export type Pools = Awaited<ReturnType<typeof openPools>>

function openStaffPools(around: Surroundings, sizes: Readonly<Record<'staff' | 'signIn', PoolSize>>) {
  const db = openPool(around, 'staff', sizes.staff)
  return {
    db,
    signInDb: openPool(around, 'sign-in', sizes.signIn),
    standby: openStandby(around, db, sizes.staff),
  }
}

/** The standby that `database.reader_url` names. */
function openStandby(around: Surroundings, staff: Database, size: PoolSize): Standby | undefined {
  const url = around.config.database.readerUrl?.reveal()
  if (url === undefined) return undefined
  return watchStandby({
    primary: staff.reader,
    standby: openPool({ ...around, servers: undefined }, 'standby', size, url),
    onChange: (usable) => around.log.warn({ usable }, 'standby for reads'),
  })
}

function openPool(
  { config: { database }, log, servers }: Surroundings,
  name: 'api' | 'payers' | 'callbacks' | 'oauth' | 'staff' | 'sign-in' | 'standby',
  size: PoolSize,
  url = database.url.reveal(),
): Database {
  return openDatabase({
    url,
    servers,
    ...size,
    applicationName: `merchant-payments-${name}`,
    namedStatements: database.namedStatements,
    // Which index is best for a search depends on what staff look for.
    genericPlans: name !== 'staff' && name !== 'standby',
    onConnectionLost: (error) => log.warn({ err: error }, 'database connection lost'),
  })
}

/** With statements shared only within this pool. */
const withWrites = (db: Database, { poolSize }: PoolSize) => ({
  db,
  writes: batchWrites(db.writer, poolSize),
})
