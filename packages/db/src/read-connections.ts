import type { Duplex } from 'node:stream'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { asAway, DatabaseAwayError } from './away.ts'
import type { BoundedClient } from './bounded-client.ts'
import { orElsewhere } from './servers.ts'

const DEPTH_MAX = 8
/** Queries that wait on one connection when all are at DEPTH_MAX. Further queries are refused at once. */
const QUEUED_MAX = 1_000
/** A connection takes no more queries once it has owed an answer for this share of the query time-out. */
const OVERDUE_SHARE = 1 / 8

/**
 * gathered: use the first connection with room, to send several queries in one write. spread: use the one
 * with the fewest.
 */
export type ReadOrder = 'gathered' | 'spread'

export interface ReadConnectionsOptions {
  readonly order: ReadOrder
  /** The connections in use. As many more may be opened to replace overdue and stale ones. */
  readonly max: number
  readonly queryTimeoutMs: number
  readonly open: () => BoundedClient
  readonly onConnectionLost: (error: Error) => void
}

/**
 * A few connections for reads, each shared by several queries in PostgreSQL's pipeline mode. Queries of one
 * turn of the event loop leave in one write, so the server is not woken for each. A read is its own
 * transaction and waits for no lock. Writers do not use these connections.
 */
export function readConnections(options: ReadConnectionsOptions): PostgresPool {
  const { max, order, open, queryTimeoutMs, onConnectionLost } = options
  const depthMax = order === 'gathered' ? DEPTH_MAX : 1
  const overdueMs = queryTimeoutMs * OVERDUE_SHARE
  const connections = new Set<SharedConnection>()

  const isOverdue = (connection: SharedConnection) => connection.silentForMs() > overdueMs
  const isLeaving = (connection: SharedConnection) => isOverdue(connection) || connection.isStale()
  const allowed = () => max + Math.min(max, [...connections].filter(isLeaving).length)

  function make(): SharedConnection {
    const made = new SharedConnection(open(), {
      onEnd: (error) => {
        if (connections.delete(made) && error !== null) onConnectionLost(error)
      },
      onIdle: () => {
        const spare = connections.size > max && connections.size > allowed()
        if (spare && connections.delete(made)) void made.end(queryTimeoutMs)
      },
    })
    connections.add(made)
    return made
  }

  /** The first with room, so that queries gather; a new one if all are full; else the one with the fewest. */
  function choose(): SharedConnection {
    let idlest: SharedConnection | undefined
    for (const connection of connections) {
      if (connection.dropIfSuspect()) connections.delete(connection)
      else if (isLeaving(connection)) continue
      else if (connection.running < depthMax) return connection
      else if (idlest === undefined || connection.running < idlest.running) idlest = connection
    }
    if (connections.size < allowed()) return make()
    if (idlest !== undefined && idlest.running < QUEUED_MAX) return idlest
    throw new DatabaseAwayError('too_many_waiting', 'too many reads wait for a connection')
  }

  return {
    options: {},
    connect: () => orElsewhere(async () => choose().lend()),
    end: async () => {
      await Promise.all(Array.from(connections, (connection) => connection.end(queryTimeoutMs)))
    },
  }
}

interface SharedConnectionEvents {
  readonly onEnd: (error: Error | null) => void
  readonly onIdle: () => void
}

/** Kysely acquires it before each query and releases it after, so the count of those is its load. */
class SharedConnection implements PostgresPoolClient {
  running = 0
  readonly #client: BoundedClient
  readonly #onIdle: () => void
  readonly #ready: Promise<unknown>
  #corked = false

  constructor(client: BoundedClient, { onEnd, onIdle }: SharedConnectionEvents) {
    this.#client = client
    this.#onIdle = onIdle
    client.on('error', onEnd)
    client.on('end', () => onEnd(null))
    this.#ready = client.connect()
    this.#ready.catch(() => onEnd(null))
  }

  silentForMs(): number {
    return this.#client.silentForMs()
  }

  isStale(): boolean {
    return this.#client.isStale()
  }

  /** Closes an idle connection that is stale, or whose peer may have fallen silent. */
  dropIfSuspect(): boolean {
    const suspect = this.running === 0 && this.#client.isSuspect()
    if (suspect) this.#client.drop()
    return suspect
  }

  async lend(): Promise<this> {
    this.running += 1
    try {
      await this.#ready
    } catch (error) {
      this.release()
      throw asAway(error)
    }
    return this
  }

  // Kysely declares `query` by overloads, one of them for cursors, which our reads do not use.
  // oxlint-disable-next-line typescript/no-explicit-any
  query(text: any, values?: readonly unknown[]): any {
    this.#gather()
    return this.#client.query(text, values)
  }

  /** Corks the socket until this turn of the event loop ends. */
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
    if (this.running === 0) this.#onIdle()
  }

  /** If the peer does not answer the Terminate message in time, the socket is closed anyway. */
  async end(timeoutMs: number): Promise<void> {
    await this.#ready.catch(() => undefined)
    const timer = setTimeout(() => this.#client.drop(), timeoutMs)
    await this.#client.end()
    clearTimeout(timer)
  }
}
