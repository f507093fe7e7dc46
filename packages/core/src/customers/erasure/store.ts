import { instant, type Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { isNotMoving } from '../../base/client-status.ts'
import { keyOfColumns, notResting, plainUuid } from '../../queue/refusals.ts'
import { type CustomerId, idOf, type MerchantId } from '../../base/ids.ts'

export async function listIdleCustomers(
  reader: Reader,
  beforeMs: number,
  nowMs: number,
  limit: number,
): Promise<{ merchantId: MerchantId; id: CustomerId }[]> {
  const before = sql<number>`${instant(beforeMs)}::timestamptz`
  const rows = await reader
    .selectFrom('customers')
    .select(['merchant_id', 'id'])
    .where('idle_since', '<=', sql<Date>`(${before} at time zone 'UTC')::date`)
    .where('last_used_at', '<', before)
    .where(notResting('erase-idle-customers', keyOfColumns(sql`merchant_id`, plainUuid('id')), nowMs))
    .where(isNotMoving(sql`merchant_id`))
    .orderBy('idle_since')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ merchantId: row.merchant_id as MerchantId, id: idOf('cus', row.id) }))
}

/**
 * Parts of the statement that opens the next charge, `c`, of the intent, `i`. A customer can be named after an
 * earlier charge of the intent was refused. From then on, what is stored of that charge is a copy of the customer's
 * data.
 */
export const adoptCopies = (customer: RawBuilder<unknown>) => sql`,
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
    -- An event's id has the time of the settlement, which ids exceed by a second at most. An event of another object can
    -- contain the intent's id too, for example in metadata. CASE parses only bodies that contain it.
    adopted_events as (
      update events t set customer_id = ${customer}::uuid
      from earlier o where t.merchant_id = o.merchant_id and t.id >= uuid_v7_floor(o.settled_at)
        and t.id < uuid_v7_floor(o.settled_at + interval '2 seconds') and t.customer_id is null
        and case when position(o.intent in t.body) > 0 then t.body::jsonb #>> '{data,object,id}' = o.intent end
      returning t.merchant_id, t.id
    ),
    -- The worker, which records attempts of these deliveries, locks them in the same order.
    held_deliveries as materialized (
      select t.merchant_id, t.event_id, t.endpoint_id from adopted_events o
      join deliveries t on t.merchant_id = o.merchant_id and t.event_id = o.id
      order by t.merchant_id, t.event_id, t.endpoint_id for update of t
    ),
    adopted_deliveries as (
      update deliveries t set customer_id = ${customer}::uuid
      from held_deliveries o
      where t.merchant_id = o.merchant_id and t.event_id = o.event_id and t.endpoint_id = o.endpoint_id
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
