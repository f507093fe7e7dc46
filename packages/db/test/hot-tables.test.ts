import { cloneDatabase } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import { expect, onTestFinished, test } from 'vitest'

test('a table of jobs and the counters of events are vacuumed after some rows, however many they have', async () => {
  const database = await cloneDatabase()
  onTestFinished(() => database.drop())
  const client = await connect(database.url)
  onTestFinished(() => client.end())
  // A bulk job is one row for thousands of changes.
  const { rows } = await client.query<{ name: string; scale: string | null; most: number | null }>(`
    select relname as name,
      (select option_value from pg_options_to_table(reloptions) where option_name = 'autovacuum_vacuum_scale_factor') as scale,
      (select option_value from pg_options_to_table(reloptions)
        where option_name = 'autovacuum_vacuum_threshold')::integer as most
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'bulk_jobs'
      and (relname like '%\\_jobs' or relname in ('event_counters', 'customer_erasures'))
    order by relname`)
  expect(rows.map(({ name }) => name)).toEqual([
    'charge_jobs',
    'customer_erasures',
    'delivery_jobs',
    'event_counters',
    'fanout_jobs',
    'refund_jobs',
    'return_jobs',
  ])
  for (const { scale, most } of rows) {
    expect(scale).toBe('0')
    expect(most).toBeLessThanOrEqual(2_000)
  }
})
