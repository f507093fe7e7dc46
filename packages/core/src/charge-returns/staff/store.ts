import type { Reader } from '@merchant-payments/db'
import { sql } from 'kysely'
import { columnsOf } from '../../base/columns.ts'
import { type ReturnRow, returnColumns } from '../store.ts'
import { type Confirmed, confirmation, confirmedColumns } from '../../statements/confirmation-store.ts'
import { type ChargeId, type MerchantId, type PaymentIntentId, uuidOf } from '../../base/ids.ts'

export type StaffReturnRow = ReturnRow &
  Confirmed & {
    readonly tries: number | null
    readonly due_at: number | null
    readonly rested_at: number | null
  }

export async function isReturned(reader: Reader, id: ChargeId): Promise<boolean> {
  const row = await reader
    .selectFrom('charge_returns')
    .select('id')
    .where('charge_id', '=', uuidOf(id))
    .where('instruction', '<>', 'refused')
    .executeTakeFirst()
  return row !== undefined
}

export function listReturnsOf(
  reader: Reader,
  merchantId: MerchantId,
  intentId: PaymentIntentId,
  max: number,
): Promise<StaffReturnRow[]> {
  const returns = sql<StaffReturnRow>`(
    select ${columnsOf('r', returnColumns)}, j.tries, j.due_at, j.rested_at,
      ${columnsOf('k', confirmedColumns)}
    from charge_returns r left join return_jobs j on j.merchant_id = r.merchant_id and j.return_id = r.id
    ${confirmation}
    where r.merchant_id = ${merchantId} and r.payment_intent_id = ${uuidOf(intentId)}::uuid
    order by r.id desc limit ${max})`
  const columns = [...returnColumns, 'tries', 'due_at', 'rested_at', ...confirmedColumns] as const
  return reader
    .selectFrom(returns.as<'r'>(sql.ref('r')))
    .select(columns)
    .orderBy('r.id', 'desc')
    .execute()
}
