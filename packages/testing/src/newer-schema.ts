import type { Client } from 'pg'
import { withClient } from './client.ts'

const COLUMN = 'from_a_later_release'
/** Statements of the service hold a table for milliseconds, so each try waits briefly and then gives way. */
const LOCK_TIMEOUT_MS = 500
const TRIES_MAX = 20
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Adds a nullable column to every table, as the expand phase of some later release may. Partitions inherit
 * the column of their parent.
 */
export async function addColumns(ownerUrl: string): Promise<void> {
  await withClient(ownerUrl, async (client) => {
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`)
    const { rows } = await client.query<{ name: string }>(
      `select format('%I', relname) as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
    )
    for (const { name } of rows) await addColumn(client, name)
  })
}

async function addColumn(client: Client, table: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query(`alter table ${table} add column ${COLUMN} text`)
      return
    } catch (error) {
      if (tries === TRIES_MAX || (error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error
    }
  }
}
