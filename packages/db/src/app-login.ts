import { createHash } from 'node:crypto'
import pg from 'pg'
import { sqlState } from './database.ts'

const CONNECT_TIMEOUT_MS = 5_000
/** Roles are the cluster's: somebody else may be making the same one. */
const TRIES_MAX = 5
/** It exists, by name and by index; "tuple concurrently updated". */
const concurrentStates: ReadonlySet<string | null> = new Set(['42710', '23505', 'XX000'])

/**
 * Gives development, tests and the benchmark what a deployment's administrator makes by hand: a login role that is a
 * member of the app role and of nothing else. Its password follows from the owner's, so that everybody who has that
 * arrives at the same one.
 *
 * @returns the URL with which the service connects
 */
export async function ensureAppLogin(ownerUrl: string, name: string): Promise<string> {
  const url = new URL(ownerUrl)
  const password = createHash('sha256').update(`${name} of ${url.username}:${url.password}`).digest('hex')
  for (let tries = 1; ; tries += 1) {
    try {
      await makeLogin(ownerUrl, name, password)
      break
    } catch (error) {
      if (tries >= TRIES_MAX || !concurrentStates.has(sqlState(error))) throw error
    }
  }
  url.username = name
  url.password = password
  return url.href
}

async function makeLogin(ownerUrl: string, name: string, password: string): Promise<void> {
  const client = new pg.Client({
    connectionString: ownerUrl,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  await client.connect()
  try {
    const role = pg.escapeIdentifier(name)
    const { rows } = await client.query('select from pg_roles where rolname = $1', [name])
    if (rows.length === 0) await client.query(`create role ${role} login in role merchant_payments_app`)
    await client.query(`alter role ${role} password ${pg.escapeLiteral(password)}`)
  } finally {
    await client.end()
  }
}
