import { connect } from './client.ts'

/**
 * Makes statements on a table wait. Reads wait only for `access exclusive`.
 *
 * @param url of the owner
 * @returns ends the lock
 */
export async function lockTable(
  url: string,
  table: string,
  mode: 'exclusive' | 'access exclusive' = 'access exclusive',
): Promise<() => Promise<void>> {
  const client = await connect(url)
  await client.query('begin')
  await client.query(`lock table ${client.escapeIdentifier(table)} in ${mode} mode`)
  return () => client.end()
}
