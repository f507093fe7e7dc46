import type { Writer } from '@merchant-payments/db'
import { openTestDatabase } from '@merchant-payments/db/testing'
import { sql } from 'kysely'
import { type CustomerId, type Id, idOf, type MerchantId } from '../src/base/ids.ts'
import { ACME, PAYER, PUSH } from './make.ts'

/**
 * Tables of this many rows each, of 2 000 merchants. The large ones take turns with the small ones, of which each has
 * some rows in a row. Row n of most tables has the same id.
 */
export interface BigTables {
  readonly rows: number
  readonly nowMs: number
  /** The time of the first row. The others follow five milliseconds apart. */
  readonly startMs: number
  /** A large merchant. */
  readonly some: string
}

export const planBigTables = (rows: number, nowMs: number): BigTables => ({
  rows,
  some: ACME,
  nowMs,
  startMs: nowMs - rows * STEP_MS,
})

const STEP_MS = 5
const FILL_TIMEOUT_MS = 600_000
/** Large merchants, and turns of small ones. */
const MERCHANTS = 20
const SMALL_IN_A_TURN = 221
/** Turns that a small merchant has one after the other. */
const SMALL_TURNS = 20
/**
 * Merchants whose intents are paid, and merchants whose intents wait for a payment method. The others' are
 * processing.
 */
const PAID = 10
const WAITING = 0
const SOME = 7
const LAST_LARGE = 10
/** Rows that are due in each of the worker's queues. */
const DUE = 2_000
/** Rows of one merchant that name the same customer, payment or invoice. */
const OF_ONE_CUSTOMER = 1_000
export const REFUNDS_OF_ONE = 20
const LINES_OF_ONE = 3

export const merchants = {
  paid: `m${PAID}` as MerchantId,
  waiting: `m${WAITING}` as MerchantId,
  some: ACME,
}

/**
 * The id of the merchant's row in the middle of its history or after it, and of the payment, customer and session
 * with it.
 */
export function middleOf<P extends Parameters<typeof idOf>[0]>(
  { rows, startMs }: BigTables,
  prefix: P,
  merchant: MerchantId = ACME,
  after = 0,
): Id<P> {
  const turn = { [merchants.paid]: PAID, [merchants.waiting]: WAITING }[merchant] ?? SOME
  const many = MERCHANTS * OF_ONE_CUSTOMER
  const n = many * Math.floor(rows / 2 / many) + turn + MERCHANTS * after
  const time = (startMs + n * STEP_MS).toString(16).padStart(12, '0')
  return idOf(prefix, `${time}7000a${n.toString(16).padStart(15, '0')}`)
}

/** The rows after that one name the same customer. */
export const customerOfMany = (big: BigTables): CustomerId => middleOf(big, 'cus')

/**
 * Fills the tables like a restore of a dump: without foreign keys and triggers, and with the indexes built
 * afterwards. Or like growing tables: with the indexes in place, and without new statistics.
 */
export async function fillBigTables(
  url: string,
  big: BigTables,
  filling: 'restored' | 'grown' = 'restored',
): Promise<void> {
  // Neither side limits the statements that fill a table.
  const db = openTestDatabase(url, { namedStatements: false, queryTimeoutMs: FILL_TIMEOUT_MS })
  const run = (text: string) => sql.raw(text).execute(db.writer)
  const tables = Object.entries(tablesOf(big))
  const names = tables.map(([table]) => table)
  try {
    await run('set session_replication_role = replica')
    await run('set statement_timeout = 0; set transaction_timeout = 0')
    await run(`set maintenance_work_mem = '256MB'`)
    // Not a temporary table: the schema of the first one makes every connection of the database plan again.
    await run(`create unlogged table seed as ${seed(big)}`)
    const indexes = filling === 'restored' ? await dropIndexes(db.writer, names) : []
    for (const [table, columns] of tables) {
      await run(`insert into ${table} (${Object.keys(columns).join(', ')})
        select ${Object.values(columns).join(', ')} from seed`)
    }
    await run('insert into invoice_counters select distinct merchant_id, 0 from seed')
    await run('insert into event_counters select merchant_id, max(n) from seed group by merchant_id')
    // As many as the charges, though these all have one: the worker has collected others, whose charges are gone.
    await run(`insert into payer_numbers (msisdn)
      select '${PAYER}' union all select '2371' || lpad(n::text, 8, '0') from seed`)
    await run('drop table seed')
    for (const index of indexes) await run(index)
    if (filling === 'restored')
      await run(`vacuum (analyze) ${names.join(', ')}, invoice_counters, event_counters, payer_numbers`)
  } finally {
    await db.close()
  }
}

/** Leaves the tables without a row, and with the statistics of those that they had. */
export async function truncateBigTables(writer: Writer, big: BigTables): Promise<void> {
  const names = [...Object.keys(tablesOf(big)), 'invoice_counters', 'event_counters', 'payer_numbers']
  await sql`truncate ${sql.join(names.map((name) => sql.table(name)))} cascade`.execute(writer)
}

/** Only the test collects statistics. */
export const stopAutovacuum = (writer: Writer) =>
  sql`do $$ declare t regclass; begin
    for t in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
      execute format('alter table %s set (autovacuum_enabled = off)', t);
    end loop; end $$`.execute(writer)

/** Drops the indexes that belong to no constraint. @returns the statements that build them again */
async function dropIndexes(writer: Writer, tables: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string; definition: string }>`
    select c.relname as name, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = any (${tables}::regclass[])
      and not exists (select from pg_constraint where conindid = i.indexrelid)
    order by i.indexrelid`.execute(writer)
  for (const { name } of rows) await sql`drop index ${sql.id(name)}`.execute(writer)
  return rows.map(({ definition }) => definition)
}

/** Row n: its merchant, its id, and the ids that several rows of the merchant name. */
function seed({ rows, startMs, some }: BigTables): string {
  const idAt = (n: string) =>
    `(lpad(to_hex(${startMs}::bigint + ${n} * ${STEP_MS}), 12, '0') || '7000a' || lpad(to_hex(${n}), 15, '0'))::uuid`
  const shared = (by: number) => idAt(`(n - ${MERCHANTS} * (n / ${MERCHANTS} % ${by}))`)
  const small = `'m' || n % ${MERCHANTS} || '-' || n / ${MERCHANTS * SMALL_TURNS} % ${SMALL_IN_A_TURN}`
  return `select n, case when n % ${MERCHANTS} = ${SOME} then '${some}'
      when n % ${MERCHANTS} > ${LAST_LARGE} then ${small} else 'm' || n % ${MERCHANTS} end as merchant_id,
    ${idAt('n')} as id, ${shared(OF_ONE_CUSTOMER)} as customer_id, ${shared(REFUNDS_OF_ONE)} as paid_id,
    ${shared(LINES_OF_ONE)} as bill_id
    from generate_series(1, ${rows}) n`
}

/** For each table, its columns and their values in row n. */
function tablesOf({ nowMs, rows }: BigTables): Record<string, Record<string, string>> {
  const now = `to_timestamp(${nowMs / 1_000})`
  const ago = `${now} - make_interval(secs => n % 60)`
  const later = `${now} + make_interval(secs => 60 + n)`
  // Odd, so that each merchant has some.
  const isDue = `n % ${2 * Math.floor(rows / DUE / 2) + 1} = 0`
  const due = `case when ${isDue} then ${ago} else ${later} end`
  const turn = `n % ${MERCHANTS}`
  // One in fifty of each merchant's.
  const isRare = 'n % 1000 >= 980'
  const made = { merchant_id: 'merchant_id', id: 'id', metadata: `'{}'`, livemode: 'false' }
  const ours = { merchant_id: 'merchant_id', id: 'id', customer_id: 'customer_id' }
  const money = { amount: '1000', currency: `'XAF'` }
  const payee = { payment_method_types: `'{${PUSH}}'` }
  return {
    customers: {
      ...made,
      name: `'Awa'`,
      phone: `'${PAYER}'`,
      last_used_at: `${now} - make_interval(hours => (n::bigint * 20000 / ${rows})::integer)`,
    },
    customer_erasures: {
      merchant_id: 'merchant_id',
      customer_id: 'id',
      begun_at: now,
      keeps_row: 'true',
      clearing: `'events'`,
      due_at: due,
    },
    payment_intents: {
      ...made,
      ...ours,
      ...money,
      ...payee,
      status: `case ${turn} when ${WAITING} then 'requires_payment_method' when ${PAID} then 'succeeded' else 'processing' end`,
      client_secret: `'secret'`,
      refund_reserved: `case when ${turn} = ${PAID} and id = paid_id then ${REFUNDS_OF_ONE} else 0 end`,
    },
    charges: {
      ...ours,
      ...money,
      payment_intent_id: 'id',
      rail: `'${PUSH}'`,
      payer_msisdn: `'${PAYER}'`,
      status: `case ${turn} when ${WAITING} then 'failed' when ${PAID} then 'succeeded' else 'live' end`,
      reference: `'ref-' || n`,
      callback_secret: `'secret-' || n`,
      opened_at: now,
      submit_deadline: now,
    },
    charge_jobs: { merchant_id: 'merchant_id', charge_id: 'id', rail: `'${PUSH}'`, due_at: due },
    checkout_sessions: {
      ...made,
      ...ours,
      payment_intent_id: 'id',
      status: `case when ${isRare} then 'open' else 'expired' end`,
      client_secret: `'secret'`,
      ui_mode: `'embedded'`,
      expires_at: `case when n % 2 = 0 then ${ago} else ${later} end`,
    },
    refunds: {
      ...made,
      ...ours,
      amount: '1',
      currency: `'XAF'`,
      payment_intent_id: 'paid_id',
      status: `'pending'`,
      opened_at: now,
      rail: `'${PUSH}'`,
      reference: `'ref-' || n`,
      instruction: `case ${turn} when ${WAITING} then 'accepted' else 'sent' end`,
      submit_deadline: now,
    },
    refund_jobs: { merchant_id: 'merchant_id', refund_id: 'id', rail: `'${PUSH}'`, due_at: due },
    invoices: {
      ...made,
      ...ours,
      ...payee,
      status: `case when ${isRare} then 'draft' else 'open' end`,
      currency: `'XAF'`,
      total: '30',
      line_count: `${LINES_OF_ONE}`,
      number: `case when ${isRare} then null else n end`,
      finalized_at: `case when ${isRare} then null else ${now} end`,
    },
    invoice_items: {
      merchant_id: 'merchant_id',
      id: 'id',
      invoice_id: 'bill_id',
      amount: '10',
      unit_amount: '10',
      quantity: '1',
      metadata: `'{}'`,
    },
    events: {
      ...ours,
      position: 'n',
      type: `case when ${isRare} then 'invoice.paid' else 'payment_intent.succeeded' end`,
      body: `'{"a":"b"}'`,
    },
    fanout_jobs: { event_id: 'id', merchant_id: 'merchant_id', due_at: due },
    deliveries: {
      ...ours,
      event_id: 'id',
      endpoint_id: `'hook'`,
      status: `case when ${isDue} then 'pending' else 'succeeded' end`,
      created_at: now,
    },
    delivery_attempts: {
      merchant_id: 'merchant_id',
      delivery_id: 'id',
      number: '1',
      event_id: 'id',
      started_at: now,
      duration_ms: '5',
      response_excerpt: `'thanks'`,
      customer_id: 'customer_id',
    },
    delivery_jobs: {
      delivery_id: 'id',
      merchant_id: 'merchant_id',
      event_id: 'id',
      endpoint_id: `'hook'`,
      due_at: due,
    },
    idempotency_keys: {
      merchant_id: 'merchant_id',
      scope: `'v1'`,
      key: `'old-key-' || n`,
      fingerprint: `'\\x00'`,
      status: '200',
      body: `'{}'`,
      expires_at: `${now} + make_interval(secs => n)`,
      customer_id: 'customer_id',
    },
    spent_jtis: { jti: 'id', expires_at: `${now} + make_interval(secs => n)` },
  }
}
