import type { RefundStatus } from '@merchant-payments/contract'
import type { InstructionState, Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn } from '../../base/columns.ts'
import { type CustomerId, type MerchantId, type PaymentIntentId, uuidOf } from '../../base/ids.ts'
import { columnsOf, type Shown, shownColumns } from '../../pages/cut/store.ts'
import { cutPageOf, type Page } from '../../pages/page.ts'
import { listedRefunds, type RefundRow } from '../store.ts'
import type { StaffPage } from '../../pages/staff/page.ts'
import { all, cutRows, newestRows, rowsOfIntent } from '../../pages/staff/store.ts'

export type StaffRefundRow = RefundRow & {
  readonly tries: number | null
  readonly due_at: number | null
  readonly rested_at: number | null
}

const rowColumns = columnsIn('r', [...shownColumns(listedRefunds), 'tries', 'due_at', 'rested_at'])

const withJob = (refunds: RawBuilder<Shown<RefundRow>>) => sql<Shown<StaffRefundRow>>`(
  select ${columnsOf('r', shownColumns(listedRefunds))}, j.tries, j.due_at, j.rested_at from ${refunds} r
  left join refund_jobs j on j.merchant_id = r.merchant_id and j.refund_id = r.id)`

export interface RefundFilter {
  readonly status: RefundStatus | null
  readonly instruction: InstructionState | null
  readonly rail: string | null
  readonly intentId: PaymentIntentId | null
  readonly customerId: CustomerId | null
}

export async function listRefundRows(
  reader: Reader,
  page: StaffPage,
  { status, instruction, rail, intentId, customerId }: RefundFilter,
): Promise<Page<StaffRefundRow>> {
  const where = all([
    status === null ? null : sql`t.status = ${status}`,
    instruction === null ? null : sql`t.instruction = ${instruction}`,
    rail === null ? null : sql`t.rail = ${rail}`,
    intentId === null ? null : sql`t.payment_intent_id = ${uuidOf(intentId)}::uuid`,
    customerId === null ? null : sql`t.customer_id = ${uuidOf(customerId)}::uuid`,
  ])
  const rows = await reader
    .selectFrom(withJob(newestRows(listedRefunds, page, where)).as<'r'>(sql.ref('r')))
    .select(rowColumns)
    .orderBy('r.id', page.endingBefore === null ? 'desc' : 'asc')
    .execute()
  return cutPageOf(rows, page, (row) => row)
}

export const listRefundsOf = (
  reader: Reader,
  merchantId: MerchantId,
  intentId: PaymentIntentId,
  max: number,
): Promise<StaffRefundRow[]> =>
  reader
    .selectFrom(
      withJob(
        cutRows(
          listedRefunds,
          { limit: max, endingBefore: null },
          rowsOfIntent<RefundRow>(
            { table: 'refunds', columns: listedRefunds.columns },
            merchantId,
            intentId,
            max,
          ),
        ),
      ).as<'r'>(sql.ref('r')),
    )
    .select(rowColumns)
    .orderBy('r.id', 'desc')
    .execute()
