import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import type { ReadonlyKysely } from 'kysely/readonly'
import pg from 'pg'
import { BoundedClient } from './bounded-client.ts'
import { IDLE_IN_TRANSACTION_MS, KEEP_ALIVE_AFTER_MS, optionsOf, tcpSettings } from './silent-peer.ts'
import { NamedClient, type NamedClientConfig } from './named-client.ts'
import { LIST_CONNECTIONS } from './pool-sizes.ts'
import { readConnections, type ReadOrder } from './read-connections.ts'
import type { Schema } from './schema.ts'
import { serverAddresses } from './server-list.ts'
import { CONNECT_TIMEOUT_MS, openServers, type Servers } from './servers.ts'
import { isStalePlan } from './stale-plan.ts'
import { writeConnections } from './write-connections.ts'

declare const kind: unique symbol

export type Reader = ReadonlyKysely<Schema>

/** A transaction, which only `transact` can open. Commands of several statements take this type. */
export type Tx = Transaction<Schema> & { readonly [kind]: 'Tx' }

/** Runs one hand-written statement, as its own transaction or as a part of a Tx. */
export type Writer = Pick<Kysely<Schema>, 'getExecutor'> & { readonly [kind]: 'Writer' | 'Tx' }

/** What the commands of one commit need, on the pools or within a transaction. */
export interface Session {
  readonly reader: Reader
  readonly writer: Writer
}

export interface Database extends Session {
  /** For pages of lists. They can take long, so they have connections of their own and delay no short read. */
  readonly lists: Reader
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * `transact` for a caller that can do without these rows for now. A statement waits for a lock
   * `BRIEF_LOCK_WAIT_MS` at most, and what another transaction holds is not tried again (40001, 40P01, 55P03).
   */
  transactBriefly<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** One server, or several as libpq names them (`server-list.ts`). */
  readonly url: string
  /** The servers of the same URL, to share them with other pools. Default: its own. */
  readonly servers?: Servers | undefined
  readonly poolSize: number
  /** Connections shared by all short reads, besides the pool. With 0, reads use the pool. */
  readonly readConnections: number
  /** Connections for pages of lists. With 0, they use the pool. Default: two, or 0 without connections for reads. */
  readonly listConnections?: number
  readonly applicationName: string
  /** Set to false behind a PgBouncer older than 1.21. */
  readonly namedStatements: boolean
  /**
   * Plans each named statement once per connection, for all values, and not again for values that look cheaper. Only
   * for statements whose index does not depend on the values. Default: false.
   */
  readonly genericPlans?: boolean
  /** `genericPlans` of the connections of lists. Default: the value of `genericPlans`. */
  readonly genericLists?: boolean
  /**
   * Called when an idle connection breaks, and when a migration has made a connection's prepared statements
   * useless. The pool opens another, so a caller only logs it.
   */
  readonly onConnectionLost: (error: Error) => void
  /**
   * Time in ms that a statement waits for a lock before it fails with 55P03, which `transact` retries.
   * Default: the statement time-out.
   */
  readonly lockTimeoutMs?: number
  /**
   * Time in ms that a statement waits for its answer before the client destroys its connection. Tests shorten
   * it.
   */
  readonly queryTimeoutMs?: number
  /** Time in ms to wait for a new connection, or for one of a pool whose connections are all in use. */
  readonly connectTimeoutMs?: number
}

/** A statement that runs longer is cancelled: the caller gets an error and the row's lock is released. */
const STATEMENT_TIMEOUT_MS = 15_000
/** Enforces that writing transactions are short. */
export const TRANSACTION_TIMEOUT_MS = 20_000
/** A little above the server's own time-outs, which leave the connection usable and name the statement. */
const QUERY_TIMEOUT_MS = 17_000
export const TRANSACTION_TRIES_MAX = 5
const BRIEF_LOCK_WAIT_MS = 100

/**
 * Every statement finds its rows by an index; a hot query without one fails its test. All tables are empty at
 * first. Without these settings, a connection that plans then would keep a sequential scan for the rest of
 * its life. Or it would keep reading a whole index, because ten pages are cheaper to read than to look up in.
 */
const planSettings = [
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'random_page_cost=1',
  'jit=off',
]

const serverSettings = (lockTimeoutMs: number | undefined, isGeneric: boolean): string =>
  optionsOf([
    `transaction_timeout=${TRANSACTION_TIMEOUT_MS}`,
    ...(lockTimeoutMs === undefined ? [] : [`lock_timeout=${lockTimeoutMs}`]),
    ...planSettings,
    ...(isGeneric ? ['plan_cache_mode=force_generic_plan'] : []),
    ...tcpSettings,
  ])

export function openDatabase(options: DatabaseOptions): Database {
  const Client = options.namedStatements ? NamedClient : BoundedClient
  // A statement without a name is planned at each execution in any case, so it may as well be for its values.
  const { genericPlans = false, genericLists = genericPlans, namedStatements } = options
  const connection: NamedClientConfig = {
    connectionString: serverAddresses(options.url)[0],
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    servers: options.servers ?? openServers(options.url, options.connectTimeoutMs),
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    options: serverSettings(options.lockTimeoutMs, namedStatements && genericPlans),
    types,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    queryTimeoutMs: options.queryTimeoutMs ?? QUERY_TIMEOUT_MS,
    silence: { sinceMs: 0 },
    plans: { staleSinceMs: 0, onStale: options.onConnectionLost },
  }
  const pool = new pg.Pool({
    ...connection,
    max: options.poolSize,
    // The pool passes its own options, which are these, to each client.
    Client: Client as unknown as new () => pg.ClientBase,
  })
  pool.on('error', options.onConnectionLost)
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: writeConnections(pool) }) })
  const readsOver = (max: number, order: ReadOrder, settings: Partial<NamedClientConfig> = {}) =>
    new Kysely<Schema>({
      dialect: new PostgresDialect({
        pool: readConnections({
          max,
          order,
          queryTimeoutMs: connection.queryTimeoutMs,
          open: () => new Client({ ...connection, ...settings, pipeline: true }),
          onConnectionLost: options.onConnectionLost,
        }),
      }),
    })
  const reads = readsOver(options.readConnections, 'gathered')
  const readsApart = options.readConnections > 0
  const listConnections = options.listConnections ?? (readsApart ? LIST_CONNECTIONS : 0)
  const lists = readsOver(listConnections, 'spread', {
    options: serverSettings(options.lockTimeoutMs, namedStatements && genericLists),
  })
  const reader = (readsApart ? reads : kysely) as unknown as Reader
  if (readsApart) shareReads(reader)
  return {
    reader,
    lists: (listConnections > 0 ? lists : kysely) as unknown as Reader,
    writer: kysely as unknown as Writer,
    transact: (work) => retrying(isTransient, () => kysely.transaction().execute((tx) => work(tx as Tx))),
    transactBriefly: (work) =>
      retrying(isStalePlan, () =>
        kysely.transaction().execute(async (tx) => {
          await limitLockWait.execute(tx)
          return work(tx as Tx)
        }),
      ),
    close: async () => {
      await Promise.all([kysely.destroy(), reads.destroy(), lists.destroy()])
    },
  }
}

const shared = new WeakSet<Reader>()

/** Lets reads of many requests share the statements of a reader. A transaction is one request's own. */
export const shareReads = (reader: Reader): void => void shared.add(reader)
export const isShared = (reader: Reader): boolean => shared.has(reader)

/** Commands that run on it commit or roll back with the transaction. It opens no other. */
export const within = (tx: Tx): Session => ({ reader: tx as unknown as Reader, writer: tx })

/** Runs `work` in the transaction that the session is, or in one of its own. */
export const inTransaction = <T>(db: Session, work: (session: Session) => Promise<T>): Promise<T> =>
  isDatabase(db) ? db.transact((tx) => work(within(tx))) : work(db)

const isDatabase = (db: Session): db is Database => 'transact' in db

const limitLockWait = sql`set local lock_timeout = ${sql.lit(BRIEF_LOCK_WAIT_MS)}`

async function retrying<T>(triesAfter: (error: unknown) => boolean, run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run()
    } catch (error) {
      if (tries >= TRANSACTION_TRIES_MAX || !triesAfter(error)) throw error
    }
  }
}

/** Serialization failure, deadlock, and lock_timeout of the transaction. A stale plan needs another connection. */
const transientStates: ReadonlySet<string | null> = new Set(['40001', '40P01', '55P03'])

const isTransient = (error: unknown): boolean => transientStates.has(sqlState(error)) || isStalePlan(error)

export const sqlState = (error: unknown): string | null =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null

// pg reads int8 as text and timestamptz as Date. The code uses safe integers and milliseconds.
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, safeInteger)
types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, Date.parse)

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('an int8 value is outside of the safe integers')
  return value
}
