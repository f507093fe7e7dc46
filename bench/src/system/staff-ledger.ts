import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { CALLBACK_RAIL, DESK, INSTANT_RAIL, MERCHANT, STAFF_CLAIM } from './deployment.ts'

// A ledger of many merchants in which staff read. It has what their filters look for: payments that failed, were
// canceled or wait, distinct payers, refunds, invoices, sessions, events and deliveries.

const SPREAD_DAYS = 30
/** Two merchants have a twentieth of the payments each, these the rest. */
const SMALL_MERCHANTS = 2_000
/** One customer in twenty has each. */
const GIVEN_NAMES =
  'Awa Ngo Fatou Marie Ada Chantal Aminata Rose Grace Esther Paul Jean Moussa Ibrahim Samuel Emmanuel Joseph Pierre David Daniel'
const smallMerchant = (n: number) => `small_${n}`

export const smallMerchants = Array.from({ length: SMALL_MERCHANTS }, (_, n) => smallMerchant(n))

/** A ledger that was filled, and what its reads name. */
export interface StaffLedger {
  /** The value of the session cookie of a member of the staff. */
  readonly session: string
  readonly merchants: readonly string[]
  readonly untilSec: number
  /** A payment of a customer, with a session or an invoice near it, from the middle of the time. */
  readonly sample: Sample
}

interface Sample {
  readonly intent: string
  readonly charge: string
  readonly refund: string
  readonly customer: string
  readonly event: string
  readonly delivery: string
  readonly invoice: string
  readonly msisdn: string
  readonly reference: string
  readonly railTransaction: string
  readonly order: string
}

interface Table {
  readonly columns: Readonly<Record<string, string>>
  /** Which payments have a row here. */
  readonly of?: string
}

const own = { merchant_id: 'merchant_id', id: 'id' }
const made = { ...own, metadata: `'{}'`, livemode: 'false' }
const money = { amount: 'amount', currency: `'XAF'` }
const payee = { payment_method_types: `'{${INSTANT_RAIL},${CALLBACK_RAIL}}'` }
/** One payment in fifty failed, one was canceled, and one in ten thousand waits for its rail. */
const byOutcome = (failed: string, canceled: string, waits: string, paid: string) =>
  `case when n % 50 = 0 then ${failed} when n % 50 = 1 then ${canceled} when n % 10000 = 2 then ${waits} else ${paid} end`
const isPaid = 'n % 50 > 1 and n % 10000 <> 2'
const hasCustomer = 'n % 5 = 0'
const customer = { customer_id: `case when ${hasCustomer} then id end` }

const tables: Readonly<Record<string, Table>> = {
  customers: {
    columns: {
      ...made,
      name: `split_part('${GIVEN_NAMES}', ' ', (1 + n / 5 % 20)::int) || ' N' || n / 100 % 5000`,
      email: `'awa' || n || '@example.com'`,
      phone: 'msisdn',
      last_used_at: 'at',
    },
    of: hasCustomer,
  },
  payment_intents: {
    columns: {
      ...made,
      ...money,
      ...payee,
      ...customer,
      metadata: `jsonb_build_object('order', 'order-' || n)`,
      status: byOutcome(`'requires_payment_method'`, `'canceled'`, `'processing'`, `'succeeded'`),
      error_code: byOutcome(`'insufficient_funds'`, 'null', 'null', 'null'),
      canceled_at: byOutcome('null', 'at', 'null', 'null'),
      refund_reserved: `case when ${isPaid} and n % 20 = 3 then 1 else 0 end`,
    },
  },
  charges: {
    columns: {
      ...own,
      ...money,
      ...customer,
      payment_intent_id: 'id',
      rail: 'rail',
      payer_msisdn: 'msisdn',
      status: byOutcome(`'failed'`, `'abandoned'`, `'live'`, `'succeeded'`),
      reference: `'reference-' || n`,
      rail_txn_id: byOutcome('null', 'null', 'null', `(1000000000 + n)::text`),
      rail_code: byOutcome(`'NOT_ENOUGH_FUNDS'`, 'null', 'null', 'null'),
      opened_at: 'at',
      submit_deadline: 'at',
      settled_at: byOutcome('at', 'at', 'null', `at + make_interval(secs => 5 + n % 60)`),
      attempt: '1',
    },
  },
  // Not due while staff read.
  charge_jobs: {
    columns: {
      merchant_id: 'merchant_id',
      charge_id: 'id',
      rail: 'rail',
      due_at: `now() + interval '1 day'`,
    },
    of: 'n % 10000 = 2',
  },
  refunds: {
    columns: {
      ...made,
      ...customer,
      amount: '1',
      currency: `'XAF'`,
      payment_intent_id: 'id',
      status: `'pending'`,
      opened_at: 'at',
      rail: 'rail',
      reference: `'refund-' || n`,
      instruction: `'accepted'`,
      submit_deadline: 'at',
    },
    of: `${isPaid} and n % 20 = 3`,
  },
  checkout_sessions: {
    columns: {
      ...made,
      payment_intent_id: 'id',
      status: `'expired'`,
      ui_mode: `'embedded'`,
      client_reference_id: `'cart-' || n`,
      expires_at: 'at',
    },
    of: 'n % 5 = 1',
  },
  invoices: {
    columns: {
      ...made,
      ...payee,
      customer_id: 'id',
      status: `'open'`,
      currency: `'XAF'`,
      total: '10',
      line_count: '1',
      number: 'n',
      finalized_at: 'at',
    },
    of: 'n % 20 = 5',
  },
  invoice_items: {
    columns: {
      ...own,
      invoice_id: 'id',
      amount: '10',
      unit_amount: '10',
      quantity: '1',
      metadata: `'{}'`,
    },
    of: 'n % 20 = 5',
  },
  events: {
    columns: {
      ...own,
      ...customer,
      position: 'n',
      type: byOutcome(
        `'payment_intent.payment_failed'`,
        `'payment_intent.canceled'`,
        `'payment_intent.processing'`,
        `'payment_intent.succeeded'`,
      ),
      body: `'{"object":"event","data":{"object":{"id":"filled","filler":"' || repeat('x', 600) || '"}}}'`,
    },
  },
  deliveries: {
    columns: {
      ...own,
      ...customer,
      event_id: 'id',
      endpoint_id: `'main'`,
      status: `case when n % 10000 = 4 then 'exhausted' else 'succeeded' end`,
      attempts: '1',
      created_at: 'at',
      finished_at: 'at',
    },
  },
}

/** Sizes of buckets in minutes, and PostgreSQL's words for the start of a bucket. */
const BUCKETS = [
  [5, `date_bin('5 minutes', at, 'epoch')`],
  [60, `date_trunc('hour', at, 'UTC')`],
] as const

/** Fills the tables as a restore does, without triggers and with the indexes built at the end. */
export async function fillStaffLedger(client: pg.Client, payments: number): Promise<StaffLedger> {
  const run = (text: string) => client.query(text)
  const names = Object.keys(tables)
  const { rows: clocks } = await client.query<{ now: string }>('select now()::text as now')
  const until = `'${clocks[0]?.now ?? ''}'::timestamptz`
  await run(`set session_replication_role = replica`)
  await run(`set maintenance_work_mem = '1GB'; set work_mem = '512MB'`)
  await run(
    `select ensure_partitions(now() - make_interval(days => d)) from generate_series(0, ${SPREAD_DAYS}, 15) d`,
  )
  await run(`create unlogged table filled as ${seedOf(payments, until)}`)
  const indexes = await dropIndexes(client, names)
  for (const [table, { columns, of = 'true' }] of Object.entries(tables)) {
    await run(`insert into ${table} (${Object.keys(columns).join(', ')})
      select ${Object.values(columns).join(', ')} from filled where ${of}`)
  }
  await run('insert into event_counters select merchant_id, max(n) from filled group by merchant_id')
  await run('insert into payer_numbers (msisdn) select distinct msisdn from filled')
  await run('update payer_number_walk set position = (select id from filled order by n desc limit 1)')
  await fillRollups(run)
  for (const index of indexes) await run(index)
  const ledger = await sampleOf(client, payments)
  await run('drop table filled')
  await run('set session_replication_role = origin')
  await run('vacuum (analyze)')
  await run('checkpoint')
  return ledger
}

const seedOf = (payments: number, until: string) => `
  select n, at,
    case n % 20 when 0 then '${MERCHANT}' when 1 then '${DESK}' else 'small_' || n % ${SMALL_MERCHANTS} end as merchant_id,
    (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7000a' || lpad(to_hex(n), 15, '0'))::uuid as id,
    (1 + n % 500) * 50 as amount,
    case when n % 3 = 0 then '${INSTANT_RAIL}' else '${CALLBACK_RAIL}' end as rail,
    '2376' || lpad((n::bigint * 7919 % ${Math.max(1, Math.floor(payments / 10))} * 97 % 100000000)::text, 8, '0') as msisdn
  from (select n, ${until} - make_interval(secs => ${SPREAD_DAYS} * 86400.0 * (${payments} - n) / ${payments}) as at
    from generate_series(1, ${payments}) n) numbered`

/** Drops the indexes that belong to no constraint. @returns the statements that build them again */
async function dropIndexes(client: pg.Client, names: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select c.relname as name, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as definition
      from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = any ($1::regclass[])
        and not exists (select from pg_constraint where conindid = i.indexrelid)
      order by i.indexrelid`,
    [names],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

/** What the worker's roll-up would count, which would take it an hour. */
async function fillRollups(run: (text: string) => Promise<unknown>): Promise<void> {
  for (const [size, bucket] of BUCKETS) {
    for (const merchant of ['merchant_id', `'*'`]) {
      const group = `select ${size}, ${bucket}, ${merchant}`
      await run(`insert into charge_rollups (size_min, bucket, merchant_id, rail, currency, opened, succeeded, failed,
          duplicate, waiting, amount)
        ${group}, rail, 'XAF', count(*), count(*) filter (where ${isPaid}), count(*) filter (where n % 50 = 0), 0,
          count(*) filter (where n % 10000 = 2), coalesce(sum(amount) filter (where ${isPaid}), 0)
        from filled group by 2, 3, 4`)
      await run(`insert into charge_duration_rollups (size_min, bucket, merchant_id, rail, k, n)
        ${group}, rail, floor(ln(1000 * (5 + n % 60)) / ln(1.1)), count(*) from filled where ${isPaid} group by 2, 3, 4, 5`)
      await run(`insert into charge_decline_rollups (size_min, bucket, merchant_id, rail, code, n)
        ${group}, rail, 'NOT_ENOUGH_FUNDS', count(*) from filled where n % 50 = 0 group by 2, 3, 4`)
      await run(`insert into intent_rollups (size_min, bucket, merchant_id, created, sent, approved)
        ${group}, count(*), count(*), count(*) filter (where ${isPaid}) from filled group by 2, 3`)
      await run(`insert into intent_rail_rollups (size_min, bucket, merchant_id, rail, created, sent, approved)
        ${group}, rail, count(*), count(*), count(*) filter (where ${isPaid}) from filled group by 2, 3, 4`)
    }
  }
  for (const look of ['approved', 'settled', 'hour', 'day', 'final_by_rail'])
    await run(`insert into rollup_looks values ('${look}', now() + interval '1 day')
      on conflict (look) do update set until_at = excluded.until_at`)
}

interface Row {
  readonly n: string
  readonly hex: string
  readonly msisdn: string
}

async function sampleOf(client: pg.Client, payments: number): Promise<StaffLedger> {
  // Divisible by five, so it has a customer and an invoice.
  const n = Math.floor(payments / 40) * 20 + 5
  const { rows } = await client.query<Row>(
    `select n, replace(id::text, '-', '') as hex, msisdn from filled where n = $1`,
    [n],
  )
  const [row] = rows
  if (row === undefined) throw new Error('the ledger has no payment in its middle')
  const session = randomBytes(32).toString('base64url')
  await client.query(
    `insert into staff_sessions (secret_hash, subject, name, claims, auth_time, last_seen_at, expires_at)
      values ($1, 'bench', 'Bench', $2, now(), now(), now() + interval '8 hours')`,
    [createHash('sha256').update(session).digest(), [STAFF_CLAIM]],
  )
  const { hex, msisdn } = row
  return {
    session,
    merchants: [MERCHANT, smallMerchant(n % SMALL_MERCHANTS)],
    untilSec: Math.floor(Date.now() / 1_000),
    sample: {
      intent: `pi_${hex}`,
      charge: `ch_${hex}`,
      refund: `re_${hex}`,
      customer: `cus_${hex}`,
      event: `evt_${hex}`,
      delivery: `wd_${hex}`,
      invoice: `in_${hex}`,
      msisdn,
      reference: `reference-${n}`,
      railTransaction: String(1_000_000_000 + n),
      order: `order-${n}`,
    },
  }
}
