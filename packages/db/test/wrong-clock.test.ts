import { readFile } from 'node:fs/promises'
import { cloneDatabase } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import { expect, onTestFinished, test } from 'vitest'

/** Columns that a claim, a callback or a sweep compares with the clock, and that then hold work or a request back. */
const HOLDS = ['due_at', 'held_until', 'last_query_at', 'lease_until', 'missing_since']

/** Columns with such a name that the statements leave, and why. */
const LEFT = {
  'invoices.due_at': 'the merchant chose it',
  'leases.lease_until': 'a lease that is too long to be its holder’s holds nothing up',
}

/** Columns of all other names, and why the statements leave them. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  'records when something happened, and no claim compares it': [
    'acknowledged_at',
    'answered_at',
    'applied_at',
    'at',
    'auth_time',
    'began_at',
    'begun_at',
    'canceled_at',
    'closed_at',
    'created_at',
    'dead_at',
    'decided_at',
    'disabled_at',
    'dropped_at',
    'erased_at',
    'finalized_at',
    'finished_at',
    'first_at',
    'first_used_at',
    'found_at',
    'from_at',
    'last_at',
    'last_seen_at',
    'last_used_at',
    'looked_at',
    'marked_uncollectible_at',
    'opened_at',
    'paid_at',
    'raised_at',
    'refused_at',
    'report_ruled_at',
    'reported_at',
    'requested_at',
    'resolved_at',
    'rested_at',
    'retired_at',
    'revoked_at',
    'ruled_at',
    'settled_at',
    'started_at',
    'state_since',
    'verified_at',
    'voided_at',
  ],
  'ends what is valid until then, later by the length of the step': ['expires_at'],
  'bounds what the rail took; a charge or payout that it never got fails later by the length of the step': [
    'submit_deadline',
  ],
  'names the time of a roll-up or a comparison, which later ones replace': ['bucket', 'until_at'],
}

async function open() {
  const page = await readFile(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
  const block = /```sql\n(update charge_jobs set due_at[^`]*)```/.exec(page)?.[1] ?? expect.unreachable()
  const database = await cloneDatabase()
  const client = await connect(database.appUrl)
  onTestFinished(async () => {
    await client.end()
    await database.drop()
  })
  return { client, block }
}

test('the statements of the page correct each column that holds work back', async () => {
  const { client, block } = await open()
  const { rows } = await client.query<{ table: string; column: string }>(
    `select c.relname as "table", a.attname as "column" from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.atttypid = 'timestamptz'::regtype and not a.attisdropped order by 1, 2`,
  )
  const known = [...HOLDS, ...Object.values(OTHERS).flat()]
  expect(new Set(rows.map(({ column }) => column))).toEqual(new Set(known))
  const statements = block.split(';')
  const left = rows
    .filter(({ column }) => HOLDS.includes(column))
    .filter(({ table, column }) => {
      const own = statements.find((statement) => statement.trim().startsWith(`update ${table} `)) ?? ''
      return !own.includes(`${column} = `) || !own.includes(`${column} > now()`)
    })
  expect(left.map(({ table, column }) => `${table}.${column}`)).toEqual(Object.keys(LEFT))
})

test('the statements of the page make due and free what was written while the clock was ten hours ahead', async () => {
  const { client, block } = await open()
  await client.query(`
    insert into charge_jobs (merchant_id, charge_id, rail, due_at, last_query_at, lease_until) values
      ('shop', gen_random_uuid(), 'never asked', now() + interval '10 hours 35 seconds', null, null),
      ('shop', gen_random_uuid(), 'asked', now() + interval '10 hours 30 seconds', now() + interval '10 hours', null),
      ('shop', gen_random_uuid(), 'leased', now(), null, now() + interval '10 hours 30 seconds'),
      ('shop', gen_random_uuid(), 'being asked', now(), null, now() + interval '30 seconds');
    insert into refused_rows (pass, row_key, error, refused_at, due_at) values
      ('record-attention', 'a', '23514', now() + interval '10 hours', now() + interval '10 hours 1 minute');
    insert into idempotency_keys (merchant_id, scope, key, fingerprint, resource_id, held_until, expires_at) values
      ('shop', 'confirm', 'stopped', '\\x00', gen_random_uuid(), now() + interval '10 hours 40 seconds', now() + interval '34 hours'),
      ('shop', 'confirm', 'running', '\\x00', gen_random_uuid(), now() + interval '40 seconds', now() + interval '24 hours')`)
  await client.query(block)
  const { rows } = await client.query<{ what: string; due: boolean; held: boolean }>(`
    select rail as what, due_at <= now() as due, coalesce(lease_until > now() or last_query_at > now(), false) as held from charge_jobs
    union all select 'refused', due_at <= now(), false from refused_rows
    union all select key, true, held_until > now() from idempotency_keys order by 1`)
  expect(rows).toEqual([
    { what: 'asked', due: true, held: false },
    { what: 'being asked', due: true, held: true },
    { what: 'leased', due: true, held: false },
    { what: 'never asked', due: true, held: false },
    { what: 'refused', due: true, held: false },
    { what: 'running', due: true, held: true },
    { what: 'stopped', due: true, held: false },
  ])
})
