import { cloneDatabase } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { migrate } from '../src/index.ts'
import { migrateUpTo } from './migrate-up-to.ts'

const database = await cloneDatabase()
const client = await connect(database.url)
afterAll(async () => {
  await client.end()
  await database.drop()
})

/** The schema before invoices counted bytes. */
beforeEach(async () => {
  await client.query('drop schema public cascade; create schema public')
  await migrateUpTo(client, 12)
})

const CUSTOMER = '00000000-0000-7000-8000-000000000001'
const OPEN = '00000000-0000-7000-8000-000000000002'
const EMPTY = '00000000-0000-7000-8000-000000000003'

/** An open invoice with two lines of 250 000 bytes of metadata each, and an empty draft. */
async function insertInvoices(): Promise<void> {
  const metadata = JSON.stringify({ k: 'x'.repeat(250_000) })
  await client.query(`
    insert into customers (merchant_id, id, name, metadata, livemode, last_used_at)
      values ('acme', '${CUSTOMER}', 'Awa', '{}', false, now());
    insert into invoices (merchant_id, id, status, customer_id, currency, total, line_count, payment_method_types,
        metadata, livemode)
      values ('acme', '${OPEN}', 'draft', '${CUSTOMER}', 'XAF', 2, 2, '{}', '{}', false),
        ('acme', '${EMPTY}', 'draft', '${CUSTOMER}', 'XAF', 0, 0, '{}', '{}', false);
    insert into invoice_items (merchant_id, id, invoice_id, amount, unit_amount, quantity, description, metadata)
      select 'acme', gen_random_uuid(), '${OPEN}', 1, 1, 1, description, '${metadata}'
      from unnest(array[null, 'a "quoted" word']) description;
    update invoices set status = 'open', number = 1, finalized_at = now() where id = '${OPEN}'`)
}

const answer = (key: string, bytes: number) =>
  client.query(
    `insert into idempotency_keys (merchant_id, scope, key, fingerprint, status, body, expires_at)
     values ('acme', 'v1', $1, '', 200, repeat('x', $2), now())`,
    [key, bytes],
  )

test('lines that are there are counted, of invoices that no longer change too', async () => {
  await insertInvoices()
  await migrate(database.url)

  const { rows } = await client.query<{ id: string; item_bytes: number }>(
    'select id, item_bytes from invoices order by id',
  )
  const lines = await client.query<{ bytes: number }>('select bytes from invoice_items order by bytes')
  const metadata = '{"k": "'.length + 250_000 + '"}'.length
  const sizes = [340 + metadata, 340 + metadata + '"a \\"quoted\\" word"'.length]
  expect(lines.rows.map(({ bytes }) => bytes)).toEqual(sizes)
  expect(rows).toEqual([
    { id: OPEN, item_bytes: sizes.reduce((sum, size) => sum + size) },
    { id: EMPTY, item_bytes: 0 },
  ])
  await expect(client.query('update invoice_items set amount = 2')).rejects.toMatchObject({ code: '23514' })
  await client.query(`update invoices set description = 'still writable' where id = '${OPEN}'`)
})

test('a stored answer has at most 512 KiB', async () => {
  await migrate(database.url)
  await answer('fits', 524_288)
  await expect(answer('does not', 524_289)).rejects.toMatchObject({ code: '23514' })
})

test('a stored answer may be as large as one that was stored before, or as a larger invoice needs', async () => {
  await answer('large', 600_000)
  await migrate(database.url)
  await client.query(`update idempotency_keys set customer_id = null`)
  await answer('as large', 600_000)
  await expect(answer('larger', 1_048_577)).rejects.toMatchObject({ code: '23514' })
})

test('a larger invoice has room for its answers', async () => {
  await insertInvoices()
  await migrate(database.url)
  expect(await answer('whole invoice', 800_000)).toMatchObject({ rowCount: 1 })
})
