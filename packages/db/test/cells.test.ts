import { cloneDatabase } from '@merchant-payments/testing'
import { expect, onTestFinished, test } from 'vitest'
import { runStatement } from '@merchant-payments/testing/client'

/**
 * Unique keys without the merchant. A merchant's rows move to the database of another cell (docs/decisions/0025-cells.md),
 * so each says why no row of that database can be in the way.
 */
const withoutMerchant: Readonly<Record<string, string>> = {
  approval_requests_one: 'the target is an id of ours, which is random',
  approval_requests_pkey: 'an id of ours',
  archived_months_pkey: 'an archive is of the cell that wrote it',
  attention_items_one: 'the object is an id of ours or a name of the cell',
  attention_items_pkey: 'an id of ours',
  audit_entries_actor_subject_idempotency_key_key: 'the log of a cell stays in it',
  audit_entries_pkey: 'the log of a cell stays in it',
  audit_chain_entry_id_key: 'the log of a cell stays in it',
  audit_chain_pkey: 'the log of a cell stays in it',
  audit_head_pkey: 'the log of a cell stays in it',
  builds_pkey: 'builds run in a cell',
  bulk_jobs_pkey: 'a job of staff stays in its cell',
  bulk_jobs_slot: 'a job of staff stays in its cell',
  charge_returns_rail_reference_key: 'the reference is a random one of ours',
  charge_rulings_pkey: 'an id of ours',
  charges_rail_reference_key: 'the reference is a random one of ours',
  charges_statement_any_case:
    'a rail pays one charge by a transaction, so two that have the same are one operator’s mistake',
  delivery_jobs_pkey: 'an id of ours',
  disabled_clients_pkey: 'the client is the merchant',
  fanout_jobs_pkey: 'an id of ours',
  leases_pkey: 'leases are of the processes of a cell',
  payout_rulings_pkey: 'an id of ours',
  payer_number_walk_pkey: 'how far the worker of a cell is',
  payer_numbers_msisdn_key: 'collected by the worker of a cell from its charges',
  payer_numbers_pkey: 'collected by the worker of a cell from its charges',
  raised_alerts_pkey: 'an id of ours',
  rail_findings_pkey: 'findings are of what a cell sent',
  refunds_rail_reference_key: 'the reference is a random one of ours',
  refused_rows_pkey: 'rests are of the passes of a cell',
  rollup_looks_pkey: 'rollups are made from the ledger again',
  schema_migrations_pkey: 'each cell has a schema of its own',
  signing_keys_one_active: 'cells share their signing keys',
  signing_keys_pkey: 'cells share their signing keys',
  spent_jtis_pkey: 'a jti is a random UUID, and lives for minutes',
  staff_days_pkey: 'staff are counted by cell',
  staff_sessions_pkey: 'staff sign in to each cell',
  staff_views_pkey: 'staff sign in to each cell',
  statement_rows_pkey: 'statements are of what a cell sent',
  statements_day: 'statements are of what a cell sent',
  statements_pkey: 'statements are of what a cell sent',
}

test('every unique key has the merchant in it, or a reason why a merchant may move', async () => {
  const { url, drop } = await cloneDatabase()
  onTestFinished(drop)
  const rows = await runStatement<{ name: string; columns: string[] }>(
    url,
    `select i.relname as name, array(
      select a.attname::text from unnest(x.indkey::int2[]) k join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k
    ) as columns
    from pg_index x
    join pg_class i on i.oid = x.indexrelid
    join pg_class t on t.oid = x.indrelid
    where x.indisunique and t.relnamespace = 'public'::regnamespace and not t.relispartition
    order by 1`,
  )
  expect(rows.length).toBeGreaterThan(Object.keys(withoutMerchant).length)
  const without = rows.filter(({ columns }) => !columns.includes('merchant_id')).map(({ name }) => name)
  expect(without.toSorted()).toEqual(Object.keys(withoutMerchant).toSorted())
})
