import type { Reader } from '@merchant-payments/db'
import type { MerchantId } from './ids.ts'

type Table = 'payment_intents' | 'charges' | 'refunds' | 'charge_returns'

/** Finds the next merchant, by name, that has rows in the table. One look-up in the primary key. */
export async function findNextMerchant(
  reader: Pick<Reader, 'selectFrom'>,
  table: Table,
  after: MerchantId | null,
): Promise<MerchantId | null> {
  const row = await reader
    .selectFrom(table)
    .select('merchant_id')
    .where('merchant_id', '>', after ?? '')
    .orderBy('merchant_id')
    .limit(1)
    .executeTakeFirst()
  return (row?.merchant_id ?? null) as MerchantId | null
}
