import type pg from 'pg'
import type { Reader } from '../database.ts'
import { sqlState } from '../database.ts'
import { type Migration, readMigrations } from './files.ts'

const UNDEFINED_TABLE = '42P01'

/** A migration as the database has recorded it. */
export interface Applied {
  readonly version: number
  readonly name: string
  readonly checksum: string
  readonly appliedAt: Date
}

async function readApplied(client: pg.Client): Promise<ReadonlyMap<number, Applied>> {
  const { rows: found } = await client.query<{ there: boolean }>(
    `select to_regclass('schema_migrations') is not null as there`,
  )
  if (found[0]?.there !== true) return new Map()
  const { rows } = await client.query<Applied>(
    'select version, name, checksum, applied_at as "appliedAt" from schema_migrations order by version',
  )
  return new Map(rows.map((row) => [row.version, row]))
}

/** The set of migrations that a database has, beside the set of this code. */
export interface SchemaState {
  readonly migrations: readonly { readonly migration: Migration; readonly applied: Applied | null }[]
  /** Those of a later release. */
  readonly unknown: readonly Applied[]
  /** Indexes whose concurrent build was interrupted: writes maintain them and no query uses them. */
  readonly invalidIndexes: readonly string[]
}

export async function readState(client: pg.Client, folder?: URL): Promise<SchemaState> {
  const applied = await readApplied(client)
  const migrations = (await readMigrations(folder)).map((migration) => ({
    migration,
    applied: applied.get(migration.version) ?? null,
  }))
  const known = new Set(migrations.map(({ migration }) => migration.version))
  const { rows } = await client.query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indexrelid
      where not i.indisvalid and c.relnamespace = 'public'::regnamespace order by 1`,
  )
  return {
    migrations,
    unknown: [...applied.values()].filter(({ version }) => !known.has(version)),
    invalidIndexes: rows.map(({ name }) => name),
  }
}

export const isEdited = (migration: Migration, applied: Applied | null): boolean =>
  applied !== null && applied.checksum !== migration.checksum

/** How the database differs from this code, a line each. */
export const differencesOf = ({ migrations, unknown, invalidIndexes }: SchemaState): string[] => [
  ...migrations.flatMap(({ migration, applied }) => {
    if (applied === null) return [`${migration.name} is missing`]
    return isEdited(migration, applied) ? [`${migration.name} was edited after it was applied`] : []
  }),
  ...unknown.map(({ name }) => `${name} is of another release`),
  ...invalidIndexes.map((name) => `the index ${name} is invalid`),
]

let needed: Promise<readonly Migration[]> | null = null

/** Cached, because the migrations are part of the code and probes ask several times a second. */
const neededMigrations = (): Promise<readonly Migration[]> =>
  (needed ??= readMigrations().then((all) => all.filter(({ phase }) => phase === 'expand')))

/** The expand migrations of this code that the database lacks. Those of the contract phase come later. */
async function findMissing(reader: Reader): Promise<string[]> {
  const [rows, migrations] = await Promise.all([
    reader.selectFrom('schema_migrations').select('version').execute(),
    neededMigrations(),
  ])
  const applied = new Set(rows.map(({ version }) => version))
  return migrations.filter(({ version }) => !applied.has(version)).map(({ name }) => name)
}

/** Whether the database has every migration that this code needs. It may have more. */
export const isSchemaCurrent = async (reader: Reader): Promise<boolean> =>
  (await findMissing(reader)).length === 0

/** The migrations come first, or another database is meant. A log line shows the code alone. */
export class SchemaBehindError extends Error {
  override readonly name = 'SchemaBehindError'
  readonly code = 'schema_behind'
}

/** @throws {SchemaBehindError} if the database lacks a migration that this code needs */
export async function requireSchema(reader: Reader): Promise<void> {
  const missing = await findMissing(reader).catch((error: unknown) => {
    if (sqlState(error) === UNDEFINED_TABLE) return ['every migration']
    throw error
  })
  if (missing.length > 0)
    throw new SchemaBehindError(`the database lacks ${missing.join(', ')}: run "migrate up" as the owner`)
}
