import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import type { Reader } from './database.ts'

const folder = new URL('../migrations/', import.meta.url)

/** Any constant serves, so long as every replica takes the same one. */
const MIGRATION_LOCK = 7_239_114
const CONNECT_TIMEOUT_MS = 5_000

interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

/**
 * Brings the database to the newest schema. Safe when several replicas boot at once: each migration runs in a
 * transaction that takes a lock of its own first, so one replica migrates and the others find it done. The lock is the
 * transaction's, hence works behind a transaction-mode PgBouncer.
 *
 * @throws when an applied migration was edited
 */
export async function migrate(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'merchant-payments-migrate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // A migration may take long, so only the network bounds it.
    keepAlive: true,
  })
  await client.connect()
  try {
    for (const migration of await readMigrations()) await applyOnce(client, migration)
  } finally {
    await client.end()
  }
}

let newest: Promise<number> | null = null

/** Looked up once: the migrations are a part of the code, and probes ask several times a second. */
const newestVersion = (): Promise<number> =>
  (newest ??= migrationNames().then((names) => versionOf(names.at(-1) ?? '')))

async function applyOnce(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    await client.query(
      'create table if not exists schema_migrations (version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())',
    )
    const applied = await client.query<{ checksum: string }>(
      'select checksum from schema_migrations where version = $1',
      [migration.version],
    )
    const found = applied.rows[0]
    if (found === undefined) {
      await client.query(migration.sql)
      await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
        migration.version,
        migration.name,
        migration.checksum,
      ])
    } else if (found.checksum !== migration.checksum) {
      throw new Error(`migration ${migration.name} was edited after it was applied: add a new one instead`)
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

const migrationNames = async (): Promise<string[]> =>
  (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort()

const versionOf = (name: string): number => Number(name.slice(0, 4))

async function readMigrations(): Promise<Migration[]> {
  return Promise.all(
    (await migrationNames()).map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8')
      const checksum = createHash('sha256').update(sql).digest('hex')
      return { version: versionOf(name), name, sql, checksum }
    }),
  )
}

/** Whether the database has at least the schema that this code needs; a newer one serves too. */
export async function isSchemaCurrent(reader: Reader): Promise<boolean> {
  const applied = await reader
    .selectFrom('schema_migrations')
    .select((eb) => eb.fn.max('version').as('version'))
    .executeTakeFirst()
  return (applied?.version ?? 0) >= (await newestVersion())
}
