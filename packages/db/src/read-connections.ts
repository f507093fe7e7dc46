import type { Duplex } from 'node:stream'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'

/** Queries on one connection at a time, so that a slow one holds up few others. */
const DEPTH_MAX = 8

export interface ReadConnectionsOptions {
  readonly max: number
  readonly open: () => pg.Client
  readonly onConnectionLost: (error: Error) => void
}

/**
 * A few connections for reads alone, each shared by several queries at once, in PostgreSQL's pipeline mode: queries of
 * one turn of the event loop leave in one write, and the server need not be woken for each. A read is a transaction of
 * its own and waits for no lock. Whatever writes has its connection to itself.
 */
export function readConnections({ max, open, onConnectionLost }: ReadConnectionsOptions): PostgresPool {
  const connections = new Set<SharedConnection>()

  function make(): SharedConnection {
    const made = new SharedConnection(open(), (error) => {
      // A connection tells of its end more than once.
      if (connections.delete(made) && error !== null) onConnectionLost(error)
    })
    connections.add(made)
    return made
  }

  /** The first with room, so that queries gather; a new one when all are full; else the one with the fewest. */
  function choose(): SharedConnection {
    let idlest: SharedConnection | undefined
    for (const connection of connections) {
      if (connection.running < DEPTH_MAX) return connection
      if (idlest === undefined || connection.running < idlest.running) idlest = connection
    }
    return idlest === undefined || connections.size < max ? make() : idlest
  }

  return {
    options: {},
    connect: () => choose().lend(),
    end: async () => {
      await Promise.all(Array.from(connections, (connection) => connection.end()))
    },
  }
}

/** Kysely acquires it for each query and releases it after: the count of those is what it carries. */
class SharedConnection implements PostgresPoolClient {
  running = 0
  readonly #client: pg.Client
  readonly #ready: Promise<unknown>
  #corked = false

  constructor(client: pg.Client, onEnd: (error: Error | null) => void) {
    this.#client = client
    client.on('error', onEnd)
    client.on('end', () => onEnd(null))
    this.#ready = client.connect()
    this.#ready.catch(() => onEnd(null))
  }

  async lend(): Promise<this> {
    this.running += 1
    try {
      await this.#ready
    } catch (error) {
      this.release()
      throw error
    }
    return this
  }

  // Kysely declares `query` by overloads, for cursors too, which reads of ours do not use.
  // oxlint-disable-next-line typescript/no-explicit-any
  query(text: any, values?: readonly unknown[]): any {
    this.#gather()
    return this.#client.query(text as string, values as unknown[])
  }

  /** Holds what is written until this turn of the event loop has ended. */
  #gather(): void {
    if (this.#corked) return
    this.#corked = true
    const { stream } = (this.#client as unknown as { connection: { stream: Duplex } }).connection
    stream.cork()
    setImmediate(() => {
      this.#corked = false
      stream.uncork()
    })
  }

  release(): void {
    this.running -= 1
  }

  async end(): Promise<void> {
    await this.#ready.catch(() => undefined)
    await this.#client.end()
  }
}
