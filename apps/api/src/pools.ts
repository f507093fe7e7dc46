import type { Config } from '@merchant-payments/config'
import { batchWrites } from '@merchant-payments/core'
import { type Database, openDatabase } from '@merchant-payments/db'
import type { Log } from '@merchant-payments/log'

interface Pool {
  readonly connections: number
  readonly readConnections: number
}

/** Whose requests take no connection from a merchant's (docs/operations.md counts them). */
const pools = {
  /** Read their payment again and again, and confirm once. */
  payers: { connections: 6, readConnections: 2 },
  /** Anybody: callbacks of rails, token requests, the key set. */
  open: { connections: 4, readConnections: 1 },
  /** What staff look for may take long: it waits for itself alone. */
  staff: { connections: 4, readConnections: 0 },
} satisfies Record<string, Pool>

export function openPool({ database }: Config, log: Log, name: keyof typeof pools): Database {
  const { connections, readConnections } = pools[name]
  return openDatabase({
    url: database.url.reveal(),
    poolSize: connections,
    readConnections,
    applicationName: `merchant-payments-${name}`,
    namedStatements: database.namedStatements,
    onConnectionLost: (error) => log.warn({ err: error }, 'database connection lost'),
  })
}

/** With statements that only the users of this pool share. */
export function openPoolWithWrites(config: Config, log: Log, name: keyof typeof pools) {
  const db = openPool(config, log, name)
  return { db, writes: batchWrites(db.writer) }
}
