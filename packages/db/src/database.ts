import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import type { ReadonlyKysely } from 'kysely/readonly'
import pg from 'pg'
import { NamedClient } from './named-client.ts'
import { readConnections } from './read-connections.ts'
import type { Schema } from './schema.ts'

declare const kind: unique symbol

/** Reads, and cannot write: queries take this. */
export type Reader = ReadonlyKysely<Schema>

/** Inside a transaction that only `transact` can open: commands of several statements take this. */
export type Tx = Transaction<Schema> & { readonly [kind]: 'Tx' }

/** Runs one hand-written statement that is a transaction of its own, or a part of a Tx. */
export type Writer = Pick<Kysely<Schema>, 'getExecutor'> & { readonly [kind]: 'Writer' | 'Tx' }

export interface Database {
  readonly reader: Reader
  readonly writer: Writer
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface DatabaseOptions {
  readonly url: string
  readonly poolSize: number
  /** Shared by all reads, besides the pool; without any, reads use the pool. */
  readonly readConnections: number
  readonly applicationName: string
  /** Off behind a PgBouncer older than 1.21. */
  readonly namedStatements: boolean
  /** Called when an idle connection breaks: the pool makes another one, so this is for the log. */
  readonly onConnectionLost: (error: Error) => void
}

/** A statement that waits longer than this is in trouble: the caller gets an error, and the row its lock back. */
const STATEMENT_TIMEOUT_MS = 15_000
/** Writing transactions are short by rule; this is the rule's enforcement (decisions: events are seen at once). */
const TRANSACTION_TIMEOUT_MS = 20_000
const CONNECT_TIMEOUT_MS = 5_000
/** Some failures are the database asking to try again. */
const TRANSACTION_TRIES_MAX = 5

/**
 * Every statement finds its rows by an index; a hot query without one fails its test. A table that is empty when a
 * connection plans, as all are at first, must not be planned for as a small one for the life of the connection.
 */
const serverSettings = [
  `transaction_timeout=${TRANSACTION_TIMEOUT_MS}`,
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'jit=off',
]
  .map((setting) => `-c ${setting}`)
  .join(' ')

export function openDatabase(options: DatabaseOptions): Database {
  const Client = options.namedStatements ? NamedClient : pg.Client
  const connection = {
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    options: serverSettings,
    types,
  }
  const pool = new pg.Pool({ ...connection, max: options.poolSize, Client })
  pool.on('error', options.onConnectionLost)
  // The pool listens to idle clients only. One that breaks at work tells its query, and would end the process besides.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  const reads = new Kysely<Schema>({
    dialect: new PostgresDialect({
      pool: readConnections({
        max: options.readConnections,
        open: () => new Client({ ...connection, pipeline: true }),
        onConnectionLost: options.onConnectionLost,
      }),
    }),
  })
  return {
    reader: (options.readConnections > 0 ? reads : kysely) as unknown as Reader,
    writer: kysely as unknown as Writer,
    transact: (work) => retrying(() => kysely.transaction().execute((tx) => work(tx as Tx))),
    close: async () => {
      await Promise.all([kysely.destroy(), reads.destroy()])
    },
  }
}

/** A transaction as commands take a database: all that they do is a part of it, and ends with it. */
export const within = (tx: Tx): Database => ({
  reader: tx as unknown as Reader,
  writer: tx,
  transact: (work) => work(tx),
  close: () => Promise.resolve(),
})

async function retrying<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run()
    } catch (error) {
      if (tries >= TRANSACTION_TRIES_MAX || !isTransient(error)) throw error
    }
  }
}

/** Serialization failure, deadlock, and a lock not had within the transaction's own lock_timeout. */
const transientStates: ReadonlySet<string | null> = new Set(['40001', '40P01', '55P03'])

const isTransient = (error: unknown): boolean => transientStates.has(sqlState(error))

/** The SQLSTATE of a database error, or null for any other. */
export const sqlState = (error: unknown): string | null =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null

// pg reads int8 as text and timestamptz as Date: the code counts in safe integers and milliseconds.
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, safeInteger)
types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, Date.parse)

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('an int8 beyond the safe integers')
  return value
}

/** Milliseconds as the ISO text that timestamptz columns take. */
export const instant = (ms: number): string => new Date(ms).toISOString()
