import type { PostgresPool } from 'kysely'
import type pg from 'pg'
import { asAway, DatabaseAwayError } from './away.ts'
import type { BoundedClient } from './bounded-client.ts'
import { orElsewhere } from './servers.ts'

const WAITING_MAX = 1_000

const connect = (pool: pg.Pool) =>
  pool.connect().catch((error: unknown) => {
    throw asAway(error)
  }) as Promise<BoundedClient & pg.PoolClient>

/**
 * Bounds the pool's queue in length; `connectionTimeoutMillis` bounds the wait, since pg-pool also applies it
 * to connections in use. Connections that are stale, or were idle when the peer fell silent on another one, are
 * not used again.
 */
export const writeConnections = (pool: pg.Pool): PostgresPool => ({
  options: {},
  connect: async () => {
    if (pool.waitingCount >= WAITING_MAX)
      throw new DatabaseAwayError('too_many_waiting', 'too many statements wait for a connection')
    // Each turn ends one suspect connection, so the loop runs at most once per connection of the pool.
    for (;;) {
      const client = await orElsewhere(() => connect(pool))
      if (!client.isSuspect()) return client
      client.drop()
      client.release(true)
    }
  },
  end: () => pool.end(),
})
