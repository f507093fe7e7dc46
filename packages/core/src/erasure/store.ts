import type { Tx } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { type CustomerId, type MerchantId, uuidOf } from '../ids.ts'
import { REDACTED, redactBody } from './redact.ts'

/** Stored bodies that are read and written at a time. */
const BODIES_MAX = 500

/**
 * Spec 3.2: takes from every stored copy what is known of a customer. The transaction has locked the customer's row, which
 * whoever writes a copy locks too: what was being written has ended, and what is written later is written redacted.
 */
export async function redactCopies(tx: Tx, merchantId: MerchantId, id: CustomerId): Promise<void> {
  const mine = sql`customer_id = ${uuidOf(id)}::uuid and merchant_id = ${merchantId}`
  await sql`
    update payment_intents
    set error_decline_code = ${mark('error_decline_code')}, error_message = ${mark('error_message')}
    where ${mine} and num_nonnulls(error_decline_code, error_message) > 0`.execute(tx)
  await redactCharges(tx, mine)
  await sql`
    update delivery_attempts set response_excerpt = ${REDACTED}
    where ${mine} and response_excerpt <> ''`.execute(tx)
  await redactBodies(tx, merchantId, 'events', ['id'], mine)
  await redactBodies(tx, merchantId, 'idempotency_keys', ['scope', 'key'], sql`${mine} and body is not null`)
}

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

/**
 * Through a cursor, which ends with the transaction: a page at a time, and each row is looked for once.
 *
 * @param key the rest of the table's primary key, after the merchant
 */
async function redactBodies(
  tx: Tx,
  merchantId: MerchantId,
  table: 'events' | 'idempotency_keys',
  key: readonly string[],
  where: RawBuilder<unknown>,
): Promise<void> {
  const rows = sql.table(table)
  const cursor = sql.id(`stored_${table}`)
  const columns = sql.join(key.map((column) => sql.ref(column)))
  const sameKey = key.map((column) => sql`and ${sql.ref(`s.${column}`)} = ${sql.ref(`t.${column}`)}`)
  await sql`declare ${cursor} no scroll cursor for select ${columns}, body from ${rows} where ${where}`.execute(
    tx,
  )
  let page: readonly { body: string }[]
  do {
    page = (await sql<{ body: string }>`fetch ${sql.raw(String(BODIES_MAX))} from ${cursor}`.execute(tx)).rows
    const redacted = page.map((row) => ({ ...row, body: redactBody(row.body) }))
    const changed = redacted.filter(({ body }, n) => body !== page[n]?.body)
    await sql`
      update ${rows} s set body = t.body
      from jsonb_populate_recordset(null::${rows}, ${JSON.stringify(changed)}::jsonb) t
      where s.merchant_id = ${merchantId} ${sql.join(sameKey, sql` `)}`.execute(tx)
  } while (page.length === BODIES_MAX)
  await sql`close ${cursor}`.execute(tx)
}
