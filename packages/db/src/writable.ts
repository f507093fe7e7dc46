import { sql } from 'kysely'
import type { Reader } from './database.ts'

/**
 * Fails with 25006 on a standby, and where an operator has made the server read-only. That error also closes the
 * connection, so the next attempt may reach another server. The statement locks no row.
 */
export async function requireWritable(reader: Reader): Promise<void> {
  await reader.selectFrom('leases').select('name').where(sql<boolean>`false`).forNoKeyUpdate().execute()
}
