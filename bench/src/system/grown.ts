import type pg from 'pg'
import { DESK, INSTANT_RAIL, MERCHANT } from './deployment.ts'

// Rows of a ledger that has grown: settled payments and what belongs to them, without work for any queue. Each kind has
// the same number of rows, a twentieth of them the measured merchants' each. Their ids have a mark that no other id has.

const SPREAD_DAYS = 30
/** Before what the worker counts for the analytics, so that the counts are those of the run. */
const NEWEST_DAYS = 2
const MARK = '7fffbfff'
const MARKED = `like '________-____-7fff-bfff-%'`
const OTHER_MERCHANTS = 2_000

interface Table {
  /** The columns and their values in row n. */
  readonly columns: Readonly<Record<string, string>>
  /** Which rows are the grown ones. */
  readonly grown: string
}

const made = { merchant_id: 'merchant_id', id: 'id', metadata: `'{}'`, livemode: 'false' }
const ours = { merchant_id: 'merchant_id', id: 'id', customer_id: 'id' }
const money = { amount: '1000', currency: `'XAF'` }
const payee = { payment_method_types: `'{${INSTANT_RAIL}}'` }
const byId = `id::text ${MARKED}`

const tables: Readonly<Record<string, Table>> = {
  customers: {
    columns: { ...made, name: `'Awa'`, phone: `'237670000003'`, last_used_at: 'now()' },
    grown: byId,
  },
  payment_intents: {
    columns: { ...made, ...ours, ...money, ...payee, status: `'succeeded'`, refund_reserved: '1' },
    grown: byId,
  },
  charges: {
    columns: {
      ...ours,
      ...money,
      payment_intent_id: 'id',
      rail: `'${INSTANT_RAIL}'`,
      payer_msisdn: `'237670000003'`,
      status: `'succeeded'`,
      reference: `'grown-' || n`,
      opened_at: 'at',
      submit_deadline: 'at',
      settled_at: 'at',
    },
    grown: byId,
  },
  refunds: {
    columns: {
      ...made,
      ...ours,
      amount: '1',
      currency: `'XAF'`,
      payment_intent_id: 'id',
      status: `'pending'`,
      opened_at: 'at',
      rail: `'${INSTANT_RAIL}'`,
      reference: `'grown-' || n`,
      instruction: `'accepted'`,
      submit_deadline: 'at',
    },
    grown: byId,
  },
  checkout_sessions: {
    columns: {
      ...made,
      ...ours,
      payment_intent_id: 'id',
      status: `'expired'`,
      ui_mode: `'embedded'`,
      expires_at: 'at',
    },
    grown: byId,
  },
  invoices: {
    columns: {
      ...made,
      ...ours,
      ...payee,
      status: `'open'`,
      currency: `'XAF'`,
      total: '10',
      line_count: '1',
      number: 'n',
      finalized_at: 'at',
    },
    grown: byId,
  },
  invoice_items: {
    columns: {
      merchant_id: 'merchant_id',
      id: 'id',
      invoice_id: 'id',
      amount: '10',
      unit_amount: '10',
      quantity: '1',
      metadata: `'{}'`,
    },
    grown: byId,
  },
  events: {
    columns: {
      ...ours,
      position: 'n',
      type: `case when n % 2 = 0 then 'payment_intent.succeeded' else 'invoice.created' end`,
      body: `'{"object":"event","data":{"object":{"id":"grown","filler":"' || repeat('x', 600) || '"}}}'`,
    },
    grown: byId,
  },
  deliveries: {
    columns: {
      ...ours,
      event_id: 'id',
      endpoint_id: `'main'`,
      status: `'succeeded'`,
      attempts: '1',
      created_at: 'at',
      finished_at: 'at',
    },
    grown: byId,
  },
  delivery_attempts: {
    columns: {
      merchant_id: 'merchant_id',
      delivery_id: 'id',
      number: '1',
      event_id: 'id',
      started_at: 'at',
      duration_ms: '5',
      status_code: '200',
      customer_id: 'id',
    },
    grown: `delivery_id::text ${MARKED}`,
  },
  spent_jtis: {
    columns: { jti: 'id', expires_at: `now() + interval '12 hours'` },
    grown: `jti::text ${MARKED}`,
  },
}

const keysOf = (rows: number): Table => ({
  columns: {
    merchant_id: 'merchant_id',
    scope: `'v1'`,
    key: `'grown-' || n`,
    fingerprint: `'\\x00'`,
    status: '200',
    body: `'{"object":"payment_intent","filler":"' || repeat('x', 400) || '"}'`,
    // None ends during the run.
    expires_at: `now() + make_interval(secs => 43200 + 43200.0 * n / ${rows})`,
    customer_id: 'id',
  },
  grown: `key like 'grown-%'`,
})

const tablesOf = (rows: number) => Object.entries({ ...tables, idempotency_keys: keysOf(rows) })

/** Fills the tables with their indexes in place, as they grow, and then settles them with a vacuum. */
export async function growTables(client: pg.Client, rows: number): Promise<void> {
  // One instant for all tables, so that a payment and its charge have the same id.
  const { rows: clocks } = await client.query<{ newest: string }>(
    `select (now() - make_interval(days => ${NEWEST_DAYS}))::text as newest`,
  )
  const newest = `'${clocks[0]?.newest ?? 'now'}'::timestamptz`
  const seed = `select n, at,
      case n % 20 when 0 then '${MERCHANT}' when 1 then '${DESK}' else 'grown-' || n % ${OTHER_MERCHANTS} end as merchant_id,
      (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '${MARK}' || lpad(to_hex(n), 12, '0'))::uuid as id
    from (select n, ${newest} - make_interval(secs => ${SPREAD_DAYS} * 86400.0 * (${rows} - n) / ${rows}) as at
      from generate_series(1, ${rows}) n) numbered`
  // Months have partitions, as they would if the ledger had grown in its time.
  await client.query(
    `select ensure_partitions(now() - make_interval(days => d)) from generate_series(0, ${NEWEST_DAYS + SPREAD_DAYS}, 16) d`,
  )
  await withoutTriggers(client, async () => {
    for (const [table, { columns }] of tablesOf(rows)) {
      await client.query(`insert into ${table} (${Object.keys(columns).join(', ')})
        select ${Object.values(columns).join(', ')} from (${seed}) s`)
    }
    for (const counter of [
      'event_counters (merchant_id, last_position)',
      'invoice_counters (merchant_id, last_number)',
    ]) {
      const [, last = ''] = /, (\w+)/.exec(counter) ?? []
      await client.query(`insert into ${counter} select merchant_id, max(n) from (${seed}) s group by merchant_id
        on conflict (merchant_id) do update set ${last} = excluded.${last}`)
    }
  })
  await settleTables(client)
  await client.query('checkpoint')
}

const rollups = [
  'charge_rollups',
  'charge_duration_rollups',
  'charge_decline_rollups',
  'intent_rollups',
  'intent_rail_rollups',
]

/** Deletes the grown rows and the worker's counts of them, so that the ledger that is audited is the run's. */
export async function forgetGrown(client: pg.Client, rows: number): Promise<void> {
  await withoutTriggers(client, async () => {
    for (const [table, { grown }] of tablesOf(rows)) {
      await client.query(`delete from ${table} where ${grown}`)
    }
    for (const table of rollups)
      await client.query(
        `delete from ${table} where bucket < now() - make_interval(days => ${NEWEST_DAYS - 1})`,
      )
    // No path of a comparison numbers an invoice.
    await client.query('delete from invoice_counters')
  })
  // With the statistics from before the delete, a query of the audit ran for more than 40 minutes.
  await settleTables(client)
}

/** Removes dead rows and renews the planner's statistics of every table that has grown or shrunk. */
async function settleTables(client: pg.Client): Promise<void> {
  const settled = [
    ...Object.keys(tables),
    ...rollups,
    'idempotency_keys',
    'event_counters',
    'invoice_counters',
  ]
  await client.query(`vacuum (analyze) ${settled.join(', ')}`)
}

async function withoutTriggers(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('set session_replication_role = replica')
  try {
    await work()
  } finally {
    await client.query('set session_replication_role = origin')
  }
}
