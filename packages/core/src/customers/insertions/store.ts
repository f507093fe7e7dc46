import { instant, type Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import type { NewEvent } from '../../commit/event.ts'
import { writeEvents } from '../../commit/write-events.ts'
import { type HeldRows, lockWait } from '../../commit/held-rows.ts'
import { type Answer, identityOfClaim, type KeyClaim } from '../../commit/key.ts'
import type { SharedWrite } from '../../commit/writes.ts'
import { claimColumns, claimFields, claimKeys } from '../../commit/claim-keys.ts'
import { uuidOf } from '../../base/ids.ts'
import type { Customer } from '../customer.ts'

/** A new customer with its event, and the request that it answers. */
export interface NewCustomer {
  readonly claim: KeyClaim
  readonly customer: Customer
  readonly event: NewEvent
  readonly answer: Omit<Answer, 'replayed'>
  readonly nowMs: number
}

/** Why a customer was not written, or that it was. */
export type NewCustomerEnd = 'inserted' | 'key_taken' | 'client_disabled'

/** Customers of one statement. */
export const NEW_CUSTOMERS_MAX = 64

/**
 * Writes the customers of several requests, their events and their answers in one statement: the key's row decides the
 * race of two requests with one key, and a merchant's position for events is drawn once for all of them. It waits for
 * no lock but those of keys, in their order, and then those of positions. No two customers may have one key.
 *
 * @returns for each customer, in order, what came of it
 */
export async function insertCustomers(
  writer: Writer,
  customers: readonly NewCustomer[],
  held: HeldRows = 'wait',
): Promise<NewCustomerEnd[]> {
  if (customers.length > NEW_CUSTOMERS_MAX) throw new RangeError('too many customers in one statement')
  const nowMs = Math.max(...customers.map((customer) => customer.nowMs))
  const rows = JSON.stringify(customers.map(recordOf))
  const events = writeEvents({
    select: sql`
      select t.merchant_id, t.event_id, t.event_type, t.event_body, t.id as event_customer, t.request_id, t.now as at
      from t where t.id in (select id from c)`,
    single: customers.length === 1,
    after: [],
  })
  const result = await sql<{ n: number; open: boolean; inserted: boolean }>`
    with t as materialized (
      select t.*, not exists (select 1 from disabled_clients where client_id = t.merchant_id) as open
      from jsonb_to_recordset(${rows}::jsonb) as t (
        n integer, merchant_id text, ${sql.raw(claimColumns)}, id uuid, name text, email text, phone text, line1 text, line2 text,
        city text, state text, postal_code text, country text, latitude_microdeg integer, longitude_microdeg integer,
        metadata jsonb, livemode boolean, event_id uuid, event_type text, event_body text,
        now timestamptz)${lockWait(held)}
    ),
    k as (${claimKeys({ from: sql`t c where c.open`, customer: sql`c.id`, nowMs })}),
    c as (
      insert into customers
        (merchant_id, id, name, email, phone, line1, line2, city, state, postal_code, country, latitude_microdeg,
         longitude_microdeg, metadata, livemode, last_used_at)
      select merchant_id, id, name, email, phone, line1, line2, city, state, postal_code, country, latitude_microdeg,
        longitude_microdeg, metadata, livemode, now
      from t where (merchant_id, scope, key) in (select merchant_id, scope, key from k)
      returning id
    ),
    ${sql.join(events, sql`, `)}
    select n, open, id in (select id from c) as inserted from t`.execute(writer)
  const found = new Map(result.rows.map((row) => [row.n, row]))
  return customers.map((_, n) => {
    const row = found.get(n)
    if (row?.open !== true) return 'client_disabled'
    return row.inserted ? 'inserted' : 'key_taken'
  })
}

const recordOf = ({ claim, customer, event, answer, nowMs }: NewCustomer, n: number) => ({
  n,
  merchant_id: claim.merchantId,
  ...claimFields(claim, answer, nowMs),
  id: uuidOf(customer.id),
  name: customer.name,
  email: customer.email,
  phone: customer.phone,
  line1: customer.address?.line1,
  line2: customer.address?.line2,
  city: customer.address?.city,
  state: customer.address?.state,
  postal_code: customer.address?.postalCode,
  country: customer.address?.country,
  latitude_microdeg: customer.address?.latitudeMicrodeg,
  longitude_microdeg: customer.address?.longitudeMicrodeg,
  metadata: customer.metadata,
  livemode: customer.livemode,
  event_id: uuidOf(event.id),
  event_type: event.type,
  event_body: event.body,
  now: instant(nowMs),
})

/** Creates of customers that arrive together. */
export const customerInsertions: SharedWrite<NewCustomer, NewCustomerEnd> = {
  write: insertCustomers,
  identityOf: ({ claim }) => identityOfClaim(claim),
  ownerOf: ({ claim }) => claim.merchantId,
  itemsMax: NEW_CUSTOMERS_MAX,
}
