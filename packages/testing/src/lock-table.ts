import pg from 'pg'

/**
 * Makes all statements on a table wait, reads too.
 *
 * @param url of the owner
 * @returns ends the lock
 */
export async function lockTable(url: string, table: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('begin')
  await client.query(`lock table ${client.escapeIdentifier(table)} in access exclusive mode`)
  return () => client.end()
}
