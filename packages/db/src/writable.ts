import { sql } from 'kysely'
import { DatabaseAwayError } from './away.ts'
import type { Reader } from './database.ts'

/** @throws {DatabaseAwayError} `read_only` on a standby, or on a server that an operator has made read-only */
export async function requireWritable(reader: Reader): Promise<void> {
  const { mode } = await reader
    .selectNoFrom(sql<string>`current_setting('transaction_read_only')`.as('mode'))
    .executeTakeFirstOrThrow()
  if (mode !== 'off') throw new DatabaseAwayError('read_only', 'the server takes no writes')
}
