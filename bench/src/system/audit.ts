import { setTimeout as delay } from 'node:timers/promises'
import { findViolations } from '@merchant-payments/testing/invariants'
import { nowMs } from '../clock.ts'
import { FLOOR_MERCHANT } from '../floor/scripts.ts'
import { CROWD, DESK, MERCHANT, NEIGHBOUR } from './deployment.ts'
import type { System } from './system.ts'

/** What the load generator, pgbench and the paths report to have done. */
export interface Counted {
  intents: number
  seededIntents: number
  floorIntents: number
  tokens: number
  /** Confirmed payments, all on rails that approve. */
  payments: number
  refunds: number
  /** Customers of the desk and the floor that were inserted by SQL. */
  seededCustomers: number
  customers: Pair
  crowdCustomers: number
  sessions: Pair
  invoices: Pair
  items: number
  neighbour: NeighbourCounted
}

/** Rows of the neighbour. Its payments at the hanging rail are deleted before the audit. */
interface NeighbourCounted {
  intents: number
  seededIntents: number
  customers: number
  erasures: number
  invoices: number
  items: number
}

interface Pair {
  desk: number
  floor: number
}

export const nothingCounted = (): Counted => ({
  intents: 0,
  seededIntents: 0,
  floorIntents: 0,
  tokens: 0,
  payments: 0,
  refunds: 0,
  seededCustomers: 0,
  customers: { desk: 0, floor: 0 },
  crowdCustomers: 0,
  sessions: { desk: 0, floor: 0 },
  invoices: { desk: 0, floor: 0 },
  items: 0,
  neighbour: {
    intents: 0,
    seededIntents: 0,
    customers: 0,
    erasures: 0,
    invoices: 0,
    items: 0,
  },
})

const DRAIN_TIMEOUT_MS = 60_000
const POLL_MS = 50

/**
 * Checks whether the run may be quoted: everything has drained, each counted answer is a row, each row was
 * counted, and the invariants hold.
 *
 * @returns the discrepancies, a line each
 */
export async function audit(system: System, counted: Counted): Promise<string[]> {
  const { client, url } = system.database
  const drained = await untilDrained(system)
  const { debits, credits, received } = await system.evidence()
  const webhooks = new Set(received.map(({ body }) => body)).size
  const [rows] = (await client.query<Rows>(countRows, [MERCHANT, DESK, FLOOR_MERCHANT, NEIGHBOUR, CROWD]))
    .rows
  if (rows === undefined) throw new Error('the rows were not counted')
  const { intents, seededIntents, floorIntents, tokens, payments, refunds } = counted
  const { seededCustomers, customers, crowdCustomers, sessions, invoices, items, neighbour } = counted
  const deskKeys = customers.desk + sessions.desk + invoices.desk + items
  const unbalanced = [
    ['intents', intents + seededIntents, rows.intents],
    ['idempotency keys', intents + payments + refunds, rows.keys],
    ['intents of the floor', floorIntents + sessions.floor, rows.floor_intents],
    ['customers', customers.desk + seededCustomers, rows.desk_customers],
    ['customers of the crowd', crowdCustomers, rows.crowd_customers],
    ['events of the crowd', crowdCustomers, rows.crowd_events],
    ['sessions', sessions.desk, rows.desk_sessions],
    ['intents of sessions', sessions.desk, rows.desk_intents],
    ['invoices', invoices.desk, rows.desk_invoices],
    ['invoice items', items, rows.desk_items],
    ['idempotency keys of the desk', deskKeys, rows.desk_keys],
    ['events of the desk', customers.desk + invoices.desk, rows.desk_events],
    ['customers of the floor', customers.floor + seededCustomers, rows.floor_customers],
    ['sessions of the floor', sessions.floor, rows.floor_sessions],
    ['invoices of the floor', invoices.floor, rows.floor_invoices],
    ['intents of the neighbour', neighbour.intents + neighbour.seededIntents, rows.neighbour_intents],
    ['customers of the neighbour', neighbour.customers, rows.neighbour_customers],
    ['invoices of the neighbour', neighbour.invoices, rows.neighbour_invoices],
    ['invoice items of the neighbour', neighbour.items, rows.neighbour_items],
    ['erased customers of the neighbour', neighbour.erasures, rows.neighbour_erased],
    ['refunds', refunds, rows.refunds],
    ['credits of the rail', refunds, credits.length],
    ['spent jtis', tokens, rows.jtis],
    ['succeeded intents', payments, rows.succeeded],
    ['events', payments + refunds, rows.events],
    ['delivered webhooks', payments + refunds, rows.delivered],
    ['webhooks at the receiver', payments + refunds, webhooks],
    ['debits of the rail', payments, debits.length],
  ] as const
  const differences = unbalanced
    .filter(([, expected, found]) => expected !== found)
    .map(([what, expected, found]) => `${expected} ${what} were counted, and there are ${found}`)
  await client.query(forgetFloor, [FLOOR_MERCHANT])
  await client.query(eventsByIntent)
  const evidence = {
    databaseUrl: url,
    debits,
    credits,
    received,
    journal: [],
    endpoints: 1,
    withoutEndpoints: [DESK, NEIGHBOUR, ...CROWD],
  }
  return [
    ...(drained ? [] : ['the queues did not drain']),
    ...differences,
    ...(await findViolations(evidence)),
  ]
}

async function untilDrained({ database }: System): Promise<boolean> {
  const deadlineMs = nowMs() + DRAIN_TIMEOUT_MS
  while (nowMs() < deadlineMs) {
    const { rows } = await database.client.query<{ left: boolean }>(anythingLeft)
    if (rows[0]?.left === false) return true
    await delay(POLL_MS)
  }
  return false
}

const anythingLeft = `
  select exists (select from charges where status in ('submitting', 'live', 'unconfirmed'))
    or exists (select from fanout_jobs where fanout_state = 'pending') or exists (select from delivery_jobs) as left`

type Rows = Readonly<Record<keyof typeof countedRows, number>>

/** Rows of the merchant $1, the desk $2, the floor $3, the neighbour $4 and the crowd $5. */
const countedRows = {
  intents: 'payment_intents where merchant_id = $1',
  keys: 'idempotency_keys where merchant_id = $1',
  floor_intents: 'payment_intents where merchant_id = $3',
  jtis: 'spent_jtis',
  succeeded: "payment_intents where status = 'succeeded'",
  refunds: 'refunds where merchant_id = $1',
  events: 'events where merchant_id = $1',
  delivered: "deliveries where status = 'succeeded'",
  desk_customers: 'customers where merchant_id = $2',
  desk_sessions: 'checkout_sessions where merchant_id = $2',
  desk_intents: 'payment_intents where merchant_id = $2',
  desk_invoices: 'invoices where merchant_id = $2',
  desk_items: 'invoice_items where merchant_id = $2',
  desk_keys: 'idempotency_keys where merchant_id = $2',
  desk_events: 'events where merchant_id = $2',
  floor_customers: 'customers where merchant_id = $3',
  floor_sessions: 'checkout_sessions where merchant_id = $3',
  floor_invoices: 'invoices where merchant_id = $3',
  crowd_customers: 'customers where merchant_id = any ($5)',
  crowd_events: 'events where merchant_id = any ($5)',
  neighbour_intents: 'payment_intents where merchant_id = $4',
  neighbour_customers: 'customers where merchant_id = $4',
  neighbour_invoices: 'invoices where merchant_id = $4',
  neighbour_items: 'invoice_items where merchant_id = $4',
  neighbour_erased: 'customers where merchant_id = $4 and erased_at is not null',
}

const countRows = `select ${Object.entries(countedRows)
  .map(([name, rows]) => `(select count(*)::integer from ${rows}) as ${name}`)
  .join(', ')}`

/** The floor's events name the one row whose statement is repeated, so they break the invariants. */
const forgetFloor = `
  with e as (delete from events where merchant_id = $1), v as (delete from invoices where merchant_id = $1)
  delete from checkout_sessions where merchant_id = $1`

/** The invariants look up each intent's events, which no request does. Over this many rows they need an index. */
const eventsByIntent = `
  create index if not exists bench_events_by_intent
    on events (merchant_id, (substr((body::jsonb) -> 'data' -> 'object' ->> 'id', 4)))`
