import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { monotonicMs } from '../clock.ts'
import { sqlState } from '../database.ts'
import { type Encoding, encodingColumns, requireFolding, requireUtf8 } from '../encoding.ts'
import { readMoves } from '../moves.ts'
import { PostgresTooOldError, refusesSettings } from '../postgres-version.ts'
import { withConnection } from '../servers.ts'
import { type Migration, type Phase, FROZEN_VERSION } from './files.ts'
import { changeIndex, readIndexChanges } from './indexes.ts'
import { retryLocks, type LockRetries } from './lock-retries.ts'
import { differencesOf, isEdited, readState, type SchemaState } from './state.ts'
import { runBatches } from './batches.ts'

/** The advisory lock's key. Any constant works if every run uses the same one. */
const MIGRATION_LOCK = 7_239_114
const LOCK_POLL_MS = 200
/** A run waits this long for another one, which may build large indexes. */
const LOCK_WAIT_MAX_MS = 6 * 3_600_000
/** Every object that a later migration creates belongs to the owner role, regardless of who runs it. */
const OWNER_SINCE_VERSION = 20
const INSUFFICIENT_PRIVILEGE = '42501'

export interface MigrateOptions {
  /** Default: both phases. */
  readonly phase?: Phase | undefined
  /** Receives a line for each step. */
  readonly report?: (line: string) => void
  /** Default: the migrations of this code. */
  readonly folder?: URL | undefined
  /** Times that a step gives way to other transactions before the run fails. Tests shorten it. */
  readonly lockTriesMax?: number
}

const withClient = <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withConnection(url, { application_name: 'merchant-payments-migrate' }, work)

/**
 * Statements of the migration tool have no time-out, whatever its role has. It rests in no transaction, so the time-out
 * of `connectTo` for that only ends one whose process has stopped.
 */
async function withoutTimeOuts(client: pg.Client, scope: 'local' | 'session'): Promise<void> {
  const begin = scope === 'local' ? 'begin read only; ' : ''
  try {
    await client.query(`${begin}set ${scope} statement_timeout = 0; set ${scope} transaction_timeout = 0`)
  } catch (error) {
    throw refusesSettings(error) ? new PostgresTooOldError() : error
  }
}

/**
 * The settings end with the transaction: a start may read through a pooler, which lends the connection to payments next.
 * After an error the connection is closed.
 */
async function readStateAlone(client: pg.Client, folder: URL | undefined): Promise<SchemaState> {
  await withoutTimeOuts(client, 'local')
  const state = await readState(client, folder)
  await client.query('commit')
  return state
}

/** The migrations that the database has, beside those of this code. */
export const readSchemaState = (url: string, folder?: URL): Promise<SchemaState> =>
  withClient(url, (client) => readStateAlone(client, folder))

/** How the database differs from this code, a line each; none if it has exactly these migrations. */
export const verifySchema = async (url: string, folder?: URL): Promise<string[]> =>
  differencesOf(await readSchemaState(url, folder))

/**
 * Applies the migrations that the database lacks, in their order. Runs at the same time wait for each other. If
 * no migration is missing, it only reads, which the app role is also allowed to do.
 *
 * The lock of the run belongs to the session, because indexes are built outside of transactions. So it needs
 * a direct connection, not one of a pooler in transaction mode.
 *
 * @returns the names of the migrations that this run applied
 * @throws if an applied migration was edited, if one is missing and the role may not apply it, if one is missing while a
 *   merchant is being moved, and a `WrongEncodingError`
 */
export const migrate = (url: string, options: MigrateOptions = {}): Promise<string[]> =>
  withClient(url, async (client) => {
    const { report = () => undefined, folder } = options
    const state = await readStateAlone(client, folder)
    if (pendingOf(state, options.phase).length === 0) return []
    await requireEncoding(client, state)
    await withoutTimeOuts(client, 'session')
    await takeTurn(client, report)
    // Another run may have applied some in the meantime.
    const pending = pendingOf(await readState(client, folder), options.phase)
    if (pending.length > 0) await passFence(client)
    const retries: LockRetries = { triesMax: options.lockTriesMax, report }
    for (const migration of pending) {
      report(`${migration.name} (${migration.phase}, ${migration.mode})`)
      await explaining(migration, () => apply(client, migration, retries))
    }
    return pending.map(({ name }) => name)
  })

/** Lets the run change what merchants have left behind. A copy that is being made would differ. */
async function passFence(client: pg.Client): Promise<void> {
  const moving = (await readMoves(client)).filter(({ state }) => state !== 'left')
  const named = moving.map(({ merchantId, state, otherCell }) => `${merchantId} (${state}, ${otherCell})`)
  if (named.length > 0)
    throw new Error(
      `nothing was migrated, because merchants are being moved: ${named.join(', ')}. End or abandon their moves first (merchant:move), then run it again`,
    )
  await client.query(`select set_config('merchant_payments.move', '*', false)`)
}

async function requireEncoding(client: pg.Client, { migrations }: SchemaState): Promise<void> {
  const { rows } = await client.query<Encoding>(`select ${encodingColumns}`)
  for (const encoding of rows) {
    requireUtf8(encoding)
    if (migrations.every(({ applied }) => applied === null)) requireFolding(encoding)
  }
}

/** @throws if an applied migration was edited, or a contract migration would come before an expand migration */
export function pendingOf({ migrations }: SchemaState, phase?: Phase): Migration[] {
  for (const { migration, applied } of migrations) {
    if (isEdited(migration, applied))
      throw new Error(`migration ${migration.name} was edited after it was applied: add a new one instead`)
  }
  const pending = migrations.flatMap(({ migration, applied }) => (applied === null ? [migration] : []))
  if (phase === undefined) return pending
  const wanted = pending.filter((migration) => migration.phase === phase)
  const earlier = pending.find((one) => one.phase === 'expand' && one.version < (wanted.at(-1)?.version ?? 0))
  if (phase === 'contract' && earlier !== undefined)
    throw new Error(
      `${earlier.name} is missing: run "migrate up expand" and deploy before the contract phase`,
    )
  return wanted
}

/**
 * Waits by polling. A session that waits inside `pg_advisory_lock` has a snapshot, for whose end the other
 * run's concurrent index build would wait.
 */
async function takeTurn(client: pg.Client, report: (line: string) => void): Promise<void> {
  const untilMs = monotonicMs() + LOCK_WAIT_MAX_MS
  for (let waited = false; monotonicMs() < untilMs; waited = true) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      MIGRATION_LOCK,
    ])
    if (rows[0]?.taken === true) return
    if (!waited) report('waiting for another migrate')
    await delay(LOCK_POLL_MS)
  }
  throw new Error('another migrate runs for hours: look at it first')
}

async function explaining(migration: Migration, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `the migration ${migration.name} is missing, and this database role may not apply it (${reason}): run migrate as the owner`,
      { cause: error },
    )
  }
}

async function apply(client: pg.Client, migration: Migration, retries: LockRetries): Promise<void> {
  if (migration.version <= FROZEN_VERSION) return inTransaction(client, migration, null)
  if (migration.mode === 'transaction') {
    await retryLocks(retries, migration.name, (timeoutMs) => inTransaction(client, migration, timeoutMs))
    return
  }
  await client.query('set role merchant_payments_owner')
  try {
    if (migration.mode === 'batches') await runBatches(client, migration, retries)
    else for (const change of readIndexChanges(migration)) await changeIndex(client, change, retries)
    await record(client, migration)
  } finally {
    // The first error counts, also if the connection is gone.
    await client.query('reset role; reset lock_timeout').catch(() => undefined)
  }
}

async function inTransaction(client: pg.Client, migration: Migration, lockTimeoutMs: number | null) {
  await client.query('begin')
  try {
    await client.query(
      'create table if not exists schema_migrations (version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())',
    )
    if (migration.version > OWNER_SINCE_VERSION) await client.query('set local role merchant_payments_owner')
    if (lockTimeoutMs !== null) await client.query(`set local lock_timeout = ${lockTimeoutMs}`)
    await client.query(migration.sql)
    await record(client, migration)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

const record = (client: pg.Client, { version, name, checksum }: Migration) =>
  client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
    version,
    name,
    checksum,
  ])
