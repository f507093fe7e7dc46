import { cloneDatabase, type TestDatabase } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cell, openCell } from '../src/move/cell.ts'
import { copyUnit, readShapes, removeUnit, type Shapes } from '../src/move/rows.ts'
import { movedTables, units } from '../src/move/tables.ts'

// The statistics of a cell know nothing of a merchant that arrives in it, and may not know one that has just grown.

const PAYMENTS = 10_000
/** An invoice with a line, the intent that it has replaced, the one that paid it, its charge, a refund and a session. */
const ROWS_OF_PAYMENT = 7
/** Rows of all tables and indexes that are read for a row that is copied or removed. */
const READS_OF_ROW_MAX = 6

const unitOf = (name: string) => {
  const unit = units.find(({ table }) => table === name)
  if (unit === undefined) throw new Error(`${name} does not move`)
  return unit
}
const [customers, payments] = [unitOf('customers'), unitOf('invoices')]

let databases: TestDatabase[] = []
let from: Cell
let to: Cell
let shapes: Shapes
beforeAll(async () => {
  databases = [await cloneDatabase(), await cloneDatabase()]
  for (const { url } of databases) await insertPayments(url, 'known', { isAnalyzed: true })
  const [here, there] = databases
  if (here === undefined || there === undefined) throw new Error('both were cloned')
  await insertPayments(here.url, 'acme')
  from = await openCell('cell_a', here.url, 'acme')
  to = await openCell('cell_b', there.url, 'acme')
  await to.client.query(
    `insert into merchant_moves (merchant_id, state, move_id, other_cell) values ('acme', 'arriving', gen_random_uuid(), 'cell_a')`,
  )
  shapes = await readShapes(from, movedTables)
}, 120_000)
afterAll(async () => {
  for (const { client } of [from, to]) await client.end()
  for (const { drop } of databases) await drop()
})

/** Inserts settled payments without triggers and foreign keys, as a restore does. */
async function insertPayments(url: string, merchant: string, { isAnalyzed = false } = {}): Promise<void> {
  const client = await connect(url)
  await client.query('set session_replication_role = replica')
  const insert = (table: string, columns: Record<string, string>) =>
    client.query(
      `insert into ${table} (merchant_id, ${Object.keys(columns).join(', ')})
        select '${merchant}', ${Object.values(columns).join(', ')} from generate_series(1, ${PAYMENTS}) n`,
    )
  const id = `(lpad(to_hex(n), 12, '0') || '70008' || substr(md5('${merchant}'), 1, 15))::uuid`
  const made = { id, livemode: 'false', metadata: `'{}'` }
  const money = { amount: '500', currency: `'XAF'` }
  const sent = {
    rail: `'push'`,
    reference: `'${merchant}-' || n`,
    submit_deadline: 'now()',
    opened_at: 'now()',
  }
  await insert('customers', { ...made, name: `'A name'`, last_used_at: 'now()' })
  const minted = {
    ...made,
    ...money,
    invoice_id: id,
    payment_method_types: `'{push}'`,
    client_secret: `'secret'`,
  }
  await insert('payment_intents', { ...minted, refund_reserved: '100', status: `'succeeded'` })
  await insert('payment_intents', {
    ...minted,
    id: `uuid_v7_floor(now() + n * interval '1 s')`,
    status: `'canceled'`,
  })
  await insert('invoices', {
    ...made,
    customer_id: id,
    number: 'n',
    payment_method_types: `'{push}'`,
    currency: `'XAF'`,
    status: `'paid'`,
    finalized_at: 'now()',
    paid_at: 'now()',
    total: '500',
    line_count: '1',
    payment_intent_id: id,
  })
  await insert('invoice_items', {
    id,
    metadata: `'{}'`,
    invoice_id: id,
    amount: '500',
    unit_amount: '500',
    quantity: '1',
    description: `'x'`,
  })
  await insert('charges', { id, ...money, ...sent, payment_intent_id: id, status: `'succeeded'` })
  await insert('refunds', {
    ...made,
    ...money,
    ...sent,
    payment_intent_id: id,
    amount: '100',
    status: `'pending'`,
    instruction: `'accepted'`,
  })
  await insert('checkout_sessions', {
    ...made,
    payment_intent_id: id,
    status: `'expired'`,
    client_secret: `'secret'`,
    ui_mode: `'embedded'`,
    expires_at: 'now()',
  })
  for (const table of movedTables.filter(
    (one) => !['events', 'deliveries', 'delivery_attempts'].includes(one),
  ))
    await client.query(`alter table ${table} set (autovacuum_enabled = off)`)
  if (isAnalyzed) await client.query('vacuum analyze')
  await client.end()
}

async function rowsRead({ client }: Cell): Promise<number> {
  await client.query('select pg_stat_force_next_flush()')
  const { rows } = await client.query<{ read: number }>(
    `select (select sum(seq_tup_read) from pg_stat_user_tables)::float8
      + (select sum(idx_tup_read) from pg_stat_user_indexes)::float8 as read`,
  )
  return rows[0]?.read ?? 0
}

async function readsOfRow(cell: Cell, work: () => Promise<number>): Promise<number> {
  const before = await rowsRead(cell)
  expect(await work()).toBe(PAYMENTS * ROWS_OF_PAYMENT)
  return ((await rowsRead(cell)) - before) / (PAYMENTS * ROWS_OF_PAYMENT)
}

test('a merchant that no statistics know is copied and removed in pages that read each row a few times', async () => {
  await copyUnit(from, to, shapes, customers, 'acme')
  const read = await readsOfRow(from, () => copyUnit(from, to, shapes, payments, 'acme'))
  const removed = await readsOfRow(to, () => removeUnit(to, shapes, payments, 'acme'))
  expect(Math.max(read, removed)).toBeLessThan(READS_OF_ROW_MAX)
}, 120_000)
