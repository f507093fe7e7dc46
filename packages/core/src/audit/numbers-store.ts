import type { Writer } from '@merchant-payments/db'
import { sql } from 'kysely'
import { type CustomerId, type MerchantId, type PaymentIntentId, uuidOf, uuidOrNull } from '../base/ids.ts'
import type { Msisdn } from '../base/phone.ts'
import { deriveSecret, mintSecret } from '../base/secrets.ts'

interface Payment {
  readonly merchantId: MerchantId
  readonly intentId: PaymentIntentId
  readonly customerId: CustomerId | null
}

/** An alias and not an interface, so that `AuditFacts` accepts it. */
export type NumberFacts = {
  readonly to_payer: boolean
  /** Keyed hash, which reveals nothing once the key is destroyed. Null for an erased customer's payment. */
  readonly number_hash: string | null
}

/** The lock on the customer's row makes an erasure wait and then find this key. */
export async function numberFacts(
  writer: Writer,
  { merchantId, intentId, customerId }: Payment,
  msisdn: Msisdn,
  toPayer: boolean,
): Promise<NumberFacts> {
  const customer = uuidOrNull(customerId)
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
