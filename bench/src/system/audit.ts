import { setTimeout as delay } from 'node:timers/promises'
import { findViolations } from '@merchant-payments/testing/invariants'
import { nowMs } from '../clock.ts'
import { FLOOR_MERCHANT } from '../floor/scripts.ts'
import { MERCHANT } from './deployment.ts'
import type { System } from './system.ts'

/** What the load generator, pgbench and the paths themselves say they have done. */
export interface Counted {
  intents: number
  seededIntents: number
  floorIntents: number
  tokens: number
  /** Confirmed, all of them on rails that approve. */
  payments: number
}

export const nothingCounted = (): Counted => ({
  intents: 0,
  seededIntents: 0,
  floorIntents: 0,
  tokens: 0,
  payments: 0,
})

const DRAIN_TIMEOUT_MS = 60_000
const POLL_MS = 50

/**
 * Whether the run may be quoted: everything has drained, each answer counted is a row and each row was counted, and the
 * invariants hold.
 *
 * @returns what does not balance, a line each
 */
export async function audit(system: System, counted: Counted): Promise<string[]> {
  const { client, url } = system.database
  const drained = await untilDrained(system)
  const { debits, received } = await system.evidence()
  const webhooks = new Set(received.map(({ body }) => body)).size
  const [rows] = (await client.query<Rows>(countRows, [MERCHANT, FLOOR_MERCHANT])).rows
  if (rows === undefined) throw new Error('the rows were not counted')
  const { intents, seededIntents, floorIntents, tokens, payments } = counted
  const unbalanced = [
    ['intents', intents + seededIntents, rows.intents],
    ['idempotency keys', intents + payments, rows.keys],
    ['intents of the floor', floorIntents, rows.floor_intents],
    ['spent jtis', tokens, rows.jtis],
    ['succeeded intents', payments, rows.succeeded],
    ['events', payments, rows.events],
    ['delivered webhooks', payments, rows.delivered],
    ['webhooks at the receiver', payments, webhooks],
    ['debits of the rail', payments, debits.length],
  ] as const
  const differences = unbalanced
    .filter(([, expected, found]) => expected !== found)
    .map(([what, expected, found]) => `${expected} ${what} were counted, and there are ${found}`)
  await client.query(eventsByIntent)
  const evidence = { databaseUrl: url, debits, credits: [], received, journal: [], endpoints: 1 }
  return [
    ...(drained ? [] : ['the queues did not drain']),
    ...differences,
    ...(await findViolations(evidence)),
  ]
}

async function untilDrained({ database }: System): Promise<boolean> {
  const patienceMs = nowMs() + DRAIN_TIMEOUT_MS
  while (nowMs() < patienceMs) {
    const { rows } = await database.client.query<{ left: boolean }>(anythingLeft)
    if (rows[0]?.left === false) return true
    await delay(POLL_MS)
  }
  return false
}

const anythingLeft = `
  select exists (select from charges where status in ('submitting', 'live', 'unconfirmed'))
    or exists (select from events where fanout_state = 'pending') or exists (select from delivery_jobs) as left`

interface Rows {
  readonly intents: number
  readonly keys: number
  readonly floor_intents: number
  readonly jtis: number
  readonly succeeded: number
  readonly events: number
  readonly delivered: number
}

const countRows = `
  select (select count(*)::integer from payment_intents where merchant_id = $1) as intents,
    (select count(*)::integer from idempotency_keys where merchant_id = $1) as keys,
    (select count(*)::integer from payment_intents where merchant_id = $2) as floor_intents,
    (select count(*)::integer from spent_jtis) as jtis,
    (select count(*)::integer from payment_intents where status = 'succeeded') as succeeded,
    (select count(*)::integer from events) as events,
    (select count(*)::integer from deliveries where status = 'succeeded') as delivered`

/** The invariants look up the events of each intent, which no request does: over this many rows they need an index. */
const eventsByIntent = `
  create index if not exists bench_events_by_intent
    on events (merchant_id, (substr((body::jsonb) -> 'data' -> 'object' ->> 'id', 4)))`
