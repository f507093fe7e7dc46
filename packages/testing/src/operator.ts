import { runStatement, withClient } from './client.ts'

/** Rules on charges as an operator does if no answer of their rail can settle them (docs/operations.md). */
export async function ruleSucceeded(databaseUrl: string, charges: Iterable<string>): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    for (const charge of charges) {
      // The function uses the database's clock, which did not move with the service's clock in this run.
      await client.query('update charges set submit_deadline = least(submit_deadline, now()) where id = $1', [
        charge,
      ])
      await client.query(`select ops_resolve_charge($1, 'succeeded', 'the statement shows it', 'ada')`, [
        charge,
      ])
    }
  })
}

export async function revokeSigningKey(databaseUrl: string, kid: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query(`select ops_revoke_signing_key($1, 'found in a public repository', 'ada')`, [kid])
  })
}

/** Takes the right to record builds from the role of the service. */
export async function refuseBuilds(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query('revoke insert on builds from merchant_payments_app')
  })
}

/** Ends the leases of erasures whose processes died, as if half a minute had passed. */
export const endErasureLeases = (databaseUrl: string) =>
  runStatement(databaseUrl, 'update customer_erasures set lease_until = null, due_at = now()')

/** Makes new sessions of a database read-only, as on a standby, and ends all others unless they are kept. */
export async function setReadOnly(
  databaseUrl: string,
  mode: 'on' | 'off',
  others: 'ended' | 'kept' = 'ended',
): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query('set default_transaction_read_only = off')
    await client.query(`do $$ begin
      execute format('alter database %I set default_transaction_read_only = ${mode}', current_database());
    end $$`)
    if (others === 'kept') return
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
  })
}

/** Limits the connections of a database, as a host that many databases share does. */
export async function limitConnections(databaseUrl: string, limit: number): Promise<void> {
  await runStatement(
    databaseUrl,
    `do $$ begin
      execute format('alter database %I connection limit ${limit}', current_database());
    end $$`,
  )
}

/** Sessions of an application that are in a transaction, or run a statement. */
export async function countBusySessions(databaseUrl: string, applicationName: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ n: number }>(
      `select count(*)::integer as n from pg_stat_activity
        where datname = current_database() and application_name = $1 and (xact_start is not null or state = 'active')`,
      [applicationName],
    )
    return rows[0]?.n ?? 0
  })
}

/** Writes a payment of a mode, as an earlier deployment left it. */
export async function savePayment(databaseUrl: string, livemode: boolean): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query(
      `insert into payment_intents (merchant_id, id, amount, currency, status, payment_method_types, metadata, livemode)
       values ('shop', gen_random_uuid(), 1000, 'XAF', 'requires_payment_method', '{mtn_momo_cm}', '{}', $1)`,
      [livemode],
    )
  })
}
