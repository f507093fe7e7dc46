import type { Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import { type CustomerId, type MerchantId, type PaymentIntentId, uuidOf } from '../../base/ids.ts'
import type { Msisdn } from '../../base/phone.ts'
import { deriveSecret, mintSecret } from '../../base/secrets.ts'

/** A payment, by whose key its entries in the log hash numbers. */
interface Payment {
  readonly merchantId: MerchantId
  readonly intentId: PaymentIntentId
  readonly customerId: CustomerId | null
}

/** What an entry keeps of the number that is paid. A type, so that it is a part of an entry's facts. */
export type NumberFacts = {
  /** Whether it is known to be the number that paid. */
  readonly to_payer: boolean
  /** Keyed, so that it tells nothing once the key is destroyed; null of an erased customer's payment. */
  readonly number_hash: string | null
}

/** Within the transaction of the entry: the customer's row is held, so that an erasure misses no key. */
export async function numberFacts(
  writer: Writer,
  { merchantId, intentId, customerId }: Payment,
  msisdn: Msisdn,
  toPayer: boolean,
): Promise<NumberFacts> {
  const customer = customerId === null ? null : uuidOf(customerId)
  const { rows } = await sql<{ key: string }>`
    with alive as materialized (
      select 1 from customers
      where merchant_id = ${merchantId} and id = ${customer}::uuid and erased_at is null for key share
    )
    insert into audit_number_keys as k (merchant_id, payment_intent_id, customer_id, key)
    select ${merchantId}, ${uuidOf(intentId)}::uuid, ${customer}::uuid, ${mintSecret()}
    where ${customer}::uuid is null or exists (select from alive)
    on conflict (merchant_id, payment_intent_id) do update set key = k.key
    returning k.key`.execute(writer)
  const key = rows[0]?.key
  return { to_payer: toPayer, number_hash: key === undefined ? null : deriveSecret(key, msisdn) }
}
