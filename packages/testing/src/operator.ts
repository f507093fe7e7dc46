import { Client } from 'pg'

/** What an operator does about charges that no answer of their rail can settle (docs/operations.md). */
export async function ruleSucceeded(databaseUrl: string, charges: Iterable<string>): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    for (const charge of charges) {
      // The function goes by the database's clock, which stood while the run moved the service's.
      await client.query('update charges set submit_deadline = least(submit_deadline, now()) where id = $1', [
        charge,
      ])
      await client.query(`select ops_resolve_charge($1, 'succeeded', 'the statement shows it', 'ada')`, [
        charge,
      ])
    }
  } finally {
    await client.end()
  }
}

/** As docs/operations.md has it for a key that leaked. */
export async function revokeSigningKey(databaseUrl: string, kid: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(`select ops_revoke_signing_key($1, 'found in a public repository', 'ada')`, [kid])
  } finally {
    await client.end()
  }
}

/** As if half a minute had passed since the processes died that had erasures in hand. */
export async function endErasureLeases(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('update customer_erasures set lease_until = null, due_at = now()')
  } finally {
    await client.end()
  }
}
