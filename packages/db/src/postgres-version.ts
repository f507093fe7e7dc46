import { sql } from 'kysely'
import type { Reader } from './database.ts'
import { type Encoding, encodingColumns, requireUtf8 } from './encoding.ts'

/** `transaction_timeout`, which each connection sets, is the newest thing that the service needs. */
export const POSTGRES_MAJOR_MIN = 17

/** SQLSTATE of a server that does not know a setting. Ours are all of PostgreSQL 17 or older. */
const UNKNOWN_SETTING = '42704'

export class PostgresTooOldError extends Error {
  override readonly name = 'PostgresTooOldError'
  readonly code = 'postgres_too_old'

  constructor() {
    super(`the server is older than PostgreSQL ${POSTGRES_MAJOR_MIN}: use ${POSTGRES_MAJOR_MIN} or newer`)
  }
}

/** An older server refuses the settings of a connection at its login. */
export const refusesSettings = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === UNKNOWN_SETTING

/**
 * A pooler may leave the settings out, so the version is read too.
 *
 * @throws {PostgresTooOldError} or a {@link WrongEncodingError}
 */
export async function requirePostgres(reader: Reader, majorMin = POSTGRES_MAJOR_MIN): Promise<Encoding> {
  const { version, ...encoding } = await reader
    .selectFrom(
      sql<Encoding & { readonly version: number }>`(
        select current_setting('server_version_num')::integer as version, ${sql.raw(encodingColumns)})`.as(
        's',
      ),
    )
    .select(['s.version', 's.encoding', 's.foldsAccents'])
    .executeTakeFirstOrThrow()
  if (version < majorMin * 10_000) throw new PostgresTooOldError()
  requireUtf8(encoding)
  return encoding
}
