import { instant, type Reader, type Tx } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import type { Customer } from '../customers/customer.ts'
import { factColumns, factsOf } from '../customers/store.ts'
import type { NewEvent } from '../events/event.ts'
import { type Occasion, recordEvent } from '../events/store.ts'
import { type CustomerId, idOf, type MerchantId, uuidOf } from '../ids.ts'
import { REDACTED, redactBody } from './redact.ts'

/** Stored bodies that are read and written at a time. */
const BODIES_MAX = 500

/**
 * Spec 3.2: takes from every stored copy what is known of a customer. The transaction has locked the customer's row, which
 * whoever writes a copy locks too: what was being written has ended, and what is written later is written redacted.
 */
export async function redactCopies(tx: Tx, merchantId: MerchantId, id: CustomerId): Promise<void> {
  const mine = sql`customer_id = ${uuidOf(id)}::uuid and ${scopedTo(merchantId)}`
  await sql`
    update payment_intents
    set error_decline_code = ${mark('error_decline_code')}, error_message = ${mark('error_message')}
    where ${mine} and num_nonnulls(error_decline_code, error_message) > 0`.execute(tx)
  await redactCharges(tx, mine)
  // The worker fails an instruction that was not sent, and only asks for one that may have been.
  await sql`
    update refunds
    set destination_msisdn = null, rail_code = ${mark('rail_code')}, rail_message = ${mark('rail_message')}
    where ${mine} and num_nonnulls(destination_msisdn, rail_code, rail_message) > 0`.execute(tx)
  await sql`
    update delivery_attempts set response_excerpt = ${REDACTED}
    where ${mine} and response_excerpt <> ''`.execute(tx)
  await redactBodies(tx, 'events', ['merchant_id', 'id'], mine)
  const answered = sql`${mine} and body is not null`
  await redactBodies(tx, 'idempotency_keys', ['merchant_id', 'scope', 'key'], answered)
}

/** Looked at and not looked up: an index of the merchant alone seems as good as the customer's, on a young table. */
const scopedTo = (merchantId: MerchantId) => sql`merchant_id || '' = ${merchantId}`

const mark = (column: string) => sql`case when ${sql.ref(column)} is not null then ${REDACTED} end`

/** By way of the intent: a customer can be named when an earlier charge of it has been refused already. */
async function redactCharges(tx: Tx, mine: RawBuilder<unknown>): Promise<void> {
  await sql`
    with locked as materialized (
      select c.merchant_id, c.id from (select merchant_id, id from payment_intents where ${mine}) p
      cross join lateral (
        select merchant_id, id from charges
        where payment_intent_id = p.id and merchant_id = p.merchant_id
          and num_nonnulls(payer_msisdn, rail_code, rail_message) > 0
        for update) c
    )
    update charges c set payer_msisdn = ${mark('payer_msisdn')}, rail_code = ${mark('rail_code')},
      rail_message = ${mark('rail_message')}
    from locked where c.merchant_id = locked.merchant_id and c.id = locked.id`.execute(tx)
}

/** Through a cursor, which ends with the transaction: a page at a time, and each row is looked for once. */
async function redactBodies(
  tx: Tx,
  table: 'events' | 'idempotency_keys',
  primaryKey: readonly string[],
  where: RawBuilder<unknown>,
): Promise<void> {
  const rows = sql.table(table)
  const cursor = sql.id(`stored_${table}`)
  const columns = sql.join(primaryKey.map((column) => sql.ref(column)))
  const sameKey = primaryKey.map((column) => sql`${sql.ref(`s.${column}`)} = ${sql.ref(`t.${column}`)}`)
  await sql`declare ${cursor} no scroll cursor for select ${columns}, body from ${rows} where ${where}`.execute(
    tx,
  )
  let page: readonly { body: string }[]
  do {
    page = (await sql<{ body: string }>`fetch ${sql.raw(String(BODIES_MAX))} from ${cursor}`.execute(tx)).rows
    const redacted = page.map((row) => ({ ...row, body: redactBody(row.body) }))
    const changed = redacted.filter(({ body }, n) => body !== page[n]?.body)
    await sql`
      update ${rows} s set body = t.body from jsonb_populate_recordset(null::${rows}, ${JSON.stringify(changed)}::jsonb) t
      where ${sql.join(sameKey, sql` and `)}`.execute(tx)
  } while (page.length === BODIES_MAX)
  await sql`close ${cursor}`.execute(tx)
}

/** Spec 3.2: the tables that refer to customers. A customer whom one of them names is kept, without identifiers. */
export const REFERRING = ['payment_intents', 'checkout_sessions', 'invoices'] as const

/** Takes the identifiers from a locked customer's row, or the row when nothing refers to it, and writes the event. */
export async function eraseRow(
  tx: Tx,
  after: Customer,
  event: NewEvent,
  occasion: Omit<Occasion, 'merchantId'>,
): Promise<void> {
  const { merchantId } = after
  const id = uuidOf(after.id)
  const referred = REFERRING.map(
    (table) => sql`exists (
      select 1 from ${sql.table(table)} where customer_id = ${id}::uuid and ${scopedTo(merchantId)})`,
  )
  await sql`
    with r as materialized (select (${sql.join(referred, sql` or `)}) as kept),
    kept as (
      update customers set (${factColumns}) = (select ${factsOf(after)}), revision = revision + 1,
        erased_at = ${instant(occasion.nowMs)}::timestamptz
      from r where r.kept and merchant_id = ${merchantId} and id = ${id}::uuid
    ),
    gone as (
      delete from customers using r where not r.kept and merchant_id = ${merchantId} and id = ${id}::uuid
    )
    ${recordEvent(event, { ...occasion, merchantId }, sql`r`)}`.execute(tx)
}

/** Customers who were last used before the instant, the longest idle first. */
export async function listIdleCustomers(
  reader: Reader,
  beforeMs: number,
  limit: number,
): Promise<{ merchantId: MerchantId; id: CustomerId }[]> {
  const before = sql<number>`${instant(beforeMs)}::timestamptz`
  const rows = await reader
    .selectFrom('customers')
    .select(['merchant_id', 'id'])
    .where('idle_since', '<=', sql<Date>`(${before} at time zone 'UTC')::date`)
    .where('last_used_at', '<', before)
    .orderBy('idle_since')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ merchantId: row.merchant_id as MerchantId, id: idOf('cus', row.id) }))
}

/**
 * A customer can be named when an earlier charge of the intent has been refused already: from then on, what is stored of
 * that charge is a copy of the customer's. Parts of the statement that opens the next charge, `c`, of the intent, `i`.
 */
export const adoptCopies = (customer: string) => sql`,
    earlier as materialized (
      select o.*, 'pi_' || replace(i.id::text, '-', '') as intent from c cross join i cross join lateral (
        select merchant_id, id, opened_at, settled_at from charges
        where payment_intent_id = i.id and merchant_id = i.merchant_id and customer_id is null) o
      where i.customer_id is null
    ),
    adopted_charges as (
      update charges t set customer_id = ${customer}::uuid
      from earlier o where t.merchant_id = o.merchant_id and t.id = o.id
    ),
    -- Minted with the instant of the settlement, from which ids run ahead by a second at most.
    adopted_events as (
      update events t set customer_id = ${customer}::uuid
      from earlier o where t.merchant_id = o.merchant_id and t.id >= uuid_v7_floor(o.settled_at)
        and t.id < uuid_v7_floor(o.settled_at + interval '2 seconds') and position(o.intent in t.body) > 0
      returning t.merchant_id, t.id
    ),
    adopted_deliveries as (
      update deliveries t set customer_id = ${customer}::uuid
      from adopted_events o where t.merchant_id = o.merchant_id and t.event_id = o.id
      returning t.merchant_id, t.id
    ),
    adopted_attempts as (
      update delivery_attempts t set customer_id = ${customer}::uuid
      from adopted_deliveries o where t.merchant_id = o.merchant_id and t.delivery_id = o.id
    ),
    adopted_answers as (
      update idempotency_keys t set customer_id = ${customer}::uuid
      from earlier o where t.expires_at = o.opened_at + interval '24 hours' and t.merchant_id = o.merchant_id
        and t.resource_id = o.id
    )`
