import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { type Reader, sqlState } from './database.ts'

const folder = new URL('../migrations/', import.meta.url)

/** The advisory lock's key. Any constant works if every replica uses the same one. */
const MIGRATION_LOCK = 7_239_114
/** Every object that a later migration creates belongs to the owner role, regardless of who runs it. */
const OWNER_SINCE_VERSION = 20
const CONNECT_TIMEOUT_MS = 5_000

interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

/**
 * Brings the database to the newest schema. Several replicas may start at once: each migration's transaction
 * first takes an advisory lock, so one replica migrates and the others find it done. The lock ends with the
 * transaction, so it works behind a transaction-mode PgBouncer. If no migration is missing, it only reads,
 * which the app role is also allowed to do.
 *
 * @throws if an applied migration was edited, or if one is missing and the role may not apply it
 */
export async function migrate(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'merchant-payments-migrate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // A migration may take long, so the client sets no time-out.
    keepAlive: true,
  })
  await client.connect()
  try {
    const applied = await readApplied(client)
    for (const migration of await readMigrations()) {
      const checksum = applied.get(migration.version)
      if (checksum === undefined) await applyAsOwner(client, migration)
      else refuseEdited(migration, checksum)
    }
  } finally {
    await client.end()
  }
}

interface Applied {
  readonly version: number
  readonly checksum: string
}

const INSUFFICIENT_PRIVILEGE = '42501'

let newest: Promise<number> | null = null

/** Cached, because the migrations are part of the code and probes ask several times a second. */
const newestVersion = (): Promise<number> =>
  (newest ??= migrationNames().then((names) => versionOf(names.at(-1) ?? '')))

async function readApplied(client: pg.Client): Promise<ReadonlyMap<number, string>> {
  const { rows: found } = await client.query<{ there: boolean }>(
    `select to_regclass('schema_migrations') is not null as there`,
  )
  if (found[0]?.there !== true) return new Map()
  const { rows } = await client.query<Applied>('select version, checksum from schema_migrations')
  return new Map(rows.map(({ version, checksum }) => [version, checksum]))
}

async function applyAsOwner(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await applyOnce(client, migration)
  } catch (error) {
    if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `the migration ${migration.name} is missing, and this database role may not apply it (${reason}): run migrate as the owner`,
      { cause: error },
    )
  }
}

async function applyOnce(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    await client.query(
      'create table if not exists schema_migrations (version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())',
    )
    const applied = await client.query<Applied>(
      'select version, checksum from schema_migrations where version = $1',
      [migration.version],
    )
    const found = applied.rows[0]
    if (found === undefined) {
      if (migration.version > OWNER_SINCE_VERSION)
        await client.query('set local role merchant_payments_owner')
      await client.query(migration.sql)
      await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
        migration.version,
        migration.name,
        migration.checksum,
      ])
    } else {
      refuseEdited(migration, found.checksum)
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

function refuseEdited({ name, checksum }: Migration, applied: string): void {
  if (applied !== checksum) {
    throw new Error(`migration ${name} was edited after it was applied: add a new one instead`)
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

/** Whether the database has the schema that this code needs, or a newer one. */
export async function isSchemaCurrent(reader: Reader): Promise<boolean> {
  const applied = await reader
    .selectFrom('schema_migrations')
    .select((eb) => eb.fn.max('version').as('version'))
    .executeTakeFirst()
  return (applied?.version ?? 0) >= (await newestVersion())
}
