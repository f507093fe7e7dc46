import type { PostgresPool } from 'kysely'
import type pg from 'pg'
import { asAway, DatabaseAwayError } from './away.ts'
import type { BoundedClient } from './bounded-client.ts'

/** Statements and transactions that wait for a connection: more are refused at once. */
const WAITING_MAX = 1_000

/**
 * The pool, with a bounded queue, which `connectionTimeoutMillis` bounds in time: it is also how long pg-pool waits for
 * a connection in use. Once the peer fell silent on one connection, those that were at rest meanwhile are not used again.
 */
export const writeConnections = (pool: pg.Pool): PostgresPool => ({
  options: {},
  connect: async () => {
    if (pool.waitingCount >= WAITING_MAX)
      throw new DatabaseAwayError('too_many_waiting', 'too many wait for a connection')
    // Each turn ends one suspect connection, of which there are no more than the pool has.
    for (;;) {
      const client = (await pool.connect().catch((error: unknown) => {
        throw asAway(error)
      })) as BoundedClient & pg.PoolClient
      if (!client.isSuspect()) return client
      client.drop()
      client.release(true)
    }
  },
  end: () => pool.end(),
})
