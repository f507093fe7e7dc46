import { withClient } from './client.ts'

/**
 * Counts the work under way by its kind. Empty once a run has drained, including the first query after a late
 * success.
 */
export async function countPending(databaseUrl: string): Promise<Readonly<Record<string, number>>> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ queue: string; pending: number }>(`
      select queue, count(*)::integer as pending from (
        select status || ' charges' as queue from charges where status in ('submitting', 'unconfirmed', 'live')
        union all
        select 'watched charges' from charges c
          join charge_jobs j on j.merchant_id = c.merchant_id and j.charge_id = c.id
          where c.status in ('failed', 'abandoned') and j.rung < 2
        union all
        select instruction || ' refunds' from refunds where status = 'pending' and instruction in ('unsent', 'sent')
        union all
        select instruction || ' returns' from charge_returns where instruction in ('unsent', 'sent')
        union all
        select 'events' from fanout_jobs where fanout_state = 'pending'
        union all
        select 'erasures' from customer_erasures
        union all
        select 'deliveries' from delivery_jobs
      ) under_way
      group by queue`)
    return Object.fromEntries(rows.map(({ queue, pending }) => [queue, pending]))
  })
}

/** Makes every refund and return due that may still need a query, so that a test does not wait for the ladder. */
export async function pullPayoutsForward(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    for (const [jobs, key, ledger] of [
      ['refund_jobs', 'refund_id', 'refunds'],
      ['return_jobs', 'return_id', 'charge_returns'],
    ]) {
      await client.query(`update ${jobs} j set due_at = now() from ${ledger} p
        where p.merchant_id = j.merchant_id and p.id = j.${key} and p.instruction in ('unsent', 'sent')
          and j.lease_until is null and j.rested_at is null`)
    }
  })
}
