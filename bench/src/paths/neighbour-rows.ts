import type pg from 'pg'
import { HANGING_RAIL, INSTANT_RAIL, NEIGHBOUR } from '../system/deployment.ts'

// Rows of the neighbour, inserted by SQL because requests would take an hour. Only this file of the path
// knows the tables. Each set of rows has a number, and its rows are numbered from 1.

type Columns = Readonly<Record<string, string>>

const PHONE = '237670000002'

const prefixOf = (set: number) => `0190${set.toString(16).padStart(4, '0')}-0000-7000-a000-`
const customerOf = (set: number) => `${prefixOf(set)}${'0'.repeat(12)}`
const idOf = (set: number) => `('${prefixOf(set)}' || lpad(n::text, 12, '0'))::uuid`

/** A customer with payments that were never sent to their rail, each with the payer's identifiers. The rows stay. */
export async function seedCustomer(client: pg.Client, set: number, payments: number): Promise<string> {
  const customer = `'${customerOf(set)}'`
  await client.query(`insert into customers (merchant_id, id, name, phone, metadata, livemode, last_used_at)
    values ('${NEIGHBOUR}', ${customer}, 'Awa', '${PHONE}', '{}', false, now())`)
  await client.query(intents(set, payments, { status: `'requires_payment_method'`, customer_id: customer }))
  await client.query(
    charges(set, payments, { status: `'abandoned'`, customer_id: customer, rail: `'${INSTANT_RAIL}'` }),
  )
  await client.query('vacuum (analyze) payment_intents, charges')
  // The erasure then writes over the log files of these rows, as on a server that has run for a while.
  await client.query('checkpoint')
  return `cus_${customerOf(set).replaceAll('-', '')}`
}

export async function seedWaiting(client: pg.Client, set: number, payments: number): Promise<void> {
  const live = { status: `'live'`, rail: `'${HANGING_RAIL}'`, acknowledged_at: 'now()' }
  const isQueueApart = await hasTable(client, 'charge_jobs')
  await client.query('begin')
  await client.query(intents(set, payments, { status: `'processing'` }))
  await client.query(charges(set, payments, isQueueApart ? live : { ...live, next_query_at: 'now()' }))
  if (isQueueApart) {
    await client.query(`insert into charge_jobs (merchant_id, charge_id, rail, due_at)
      select merchant_id, id, rail, now() from charges
      where merchant_id = '${NEIGHBOUR}' and rail = '${HANGING_RAIL}'`)
  }
  await client.query('commit')
}

/** Deletes them, because their rail never answers and the ledger could not balance with them. */
export async function forgetWaiting(client: pg.Client): Promise<void> {
  const tables = ['payment_intents', 'charges']
  await client.query('begin')
  // Checking the foreign keys row by row would take longer than the deletes.
  await client.query('set local session_replication_role = replica')
  // The new rows have no statistics yet, and a nested loop over them would take minutes.
  await client.query('set local enable_nestloop = off')
  if (await hasTable(client, 'charge_jobs')) {
    tables.push('charge_jobs')
    await client.query(`delete from charge_jobs where rail = '${HANGING_RAIL}'`)
  }
  await client.query(`with gone as (
      delete from charges where merchant_id = '${NEIGHBOUR}' and rail = '${HANGING_RAIL}' returning payment_intent_id
    )
    delete from payment_intents p using gone where p.merchant_id = '${NEIGHBOUR}' and p.id = gone.payment_intent_id`)
  await client.query('commit')
  await client.query(`vacuum (analyze) ${tables.join(', ')}`)
}

/** The number of the neighbour's customers whose erasure has ended. The event is the last write of an erasure. */
export async function countErased(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ erased: number }>(`select count(*)::integer as erased from events
    where merchant_id = '${NEIGHBOUR}' and type = 'customer.deleted'`)
  return rows[0]?.erased ?? 0
}

const intents = (set: number, count: number, columns: Columns) => `
  insert into payment_intents (merchant_id, id, amount, currency, payment_method_types, metadata, client_secret, livemode,
    ${Object.keys(columns).join(', ')})
  select '${NEIGHBOUR}', ${idOf(set)}, 1000, 'XAF', '{${INSTANT_RAIL}}', '{}', 'secret', false,
    ${Object.values(columns).join(', ')}
  from generate_series(1, ${count}) n`

const charges = (set: number, count: number, columns: Columns) => `
  insert into charges (merchant_id, id, payment_intent_id, amount, currency, payer_msisdn, reference, opened_at,
    submit_deadline, ${Object.keys(columns).join(', ')})
  select '${NEIGHBOUR}', ${idOf(set)}, ${idOf(set)}, 1000, 'XAF', '${PHONE}', 'seeded-${set}-' || n, now(), now(),
    ${Object.values(columns).join(', ')}
  from generate_series(1, ${count}) n`

async function hasTable(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    name,
  ])
  return rows[0]?.found === true
}
