import { createHash } from 'node:crypto'
import pg from 'pg'
import { sqlState } from './database.ts'
import { serverAddresses, withLogin } from './server-list.ts'
import { withConnection } from './servers.ts'

/** Roles belong to the cluster, so another process may create the same one at the same time. */
const TRIES_MAX = 5
/** The role exists (by name or by index), or "tuple concurrently updated". */
const concurrentStates: ReadonlySet<string | null> = new Set(['42710', '23505', 'XX000'])

/**
 * Does what a deployment's administrator does by hand: creates the login role, a member of the app role and of nothing
 * else, and lets the owner see the state of sessions, if this owner may grant that. Development, tests and the benchmark use it. The password is derived from the owner's, so
 * every process that knows the owner's computes the same one.
 *
 * @returns the URL with which the service connects
 */
export async function ensureAppLogin(ownerUrl: string, name: string): Promise<string> {
  const { username, password: ownerPassword } = new URL(serverAddresses(ownerUrl)[0] ?? ownerUrl)
  const password = createHash('sha256').update(`${name} of ${username}:${ownerPassword}`).digest('hex')
  for (let tries = 1; ; tries += 1) {
    try {
      await makeLogin(ownerUrl, name, password)
      break
    } catch (error) {
      if (tries >= TRIES_MAX || !concurrentStates.has(sqlState(error))) throw error
    }
  }
  return withLogin(ownerUrl, name, password)
}

const makeLogin = (ownerUrl: string, name: string, password: string): Promise<void> =>
  withConnection(ownerUrl, {}, async (client) => {
    const role = pg.escapeIdentifier(name)
    const { rows } = await client.query('select from pg_roles where rolname = $1', [name])
    if (rows.length === 0) await client.query(`create role ${role} login in role merchant_payments_app`)
    await client.query(`alter role ${role} password ${pg.escapeLiteral(password)}`)
    await client.query(`do $$ begin
      if not pg_has_role('merchant_payments_owner', 'pg_read_all_stats', 'usage') then
        grant pg_read_all_stats to merchant_payments_owner;
      end if;
    exception when insufficient_privilege then null;
    end $$`)
  })
