import type { AmountRange, Currency, RefundStatus } from '@merchant-payments/contract'
import type { InstructionState, Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { livesHere } from '../../base/client-status.ts'
import { columnsIn, columnsOf } from '../../base/columns.ts'
import { type CustomerId, type MerchantId, type PaymentIntentId, uuidOf } from '../../base/ids.ts'
import { type Shown, shownColumns } from '../../pages/cut.ts'
import type { Page } from '../../pages/page.ts'
import { listedRefunds, type RefundRow } from '../store.ts'
import { type Confirmed, confirmation, confirmedColumns } from '../../statements/confirmation-store.ts'
import type { StaffPage } from '../../pages/staff/page.ts'
import {
  all,
  amountWithin,
  cutRows,
  inCurrency,
  inOrder,
  onPage,
  rowsOfIntent,
} from '../../pages/staff/store.ts'
import { foundPageOf, newestRows } from '../../pages/staff/search-store.ts'
import { searchTotals, type Total, totalsOf } from '../../pages/staff/totals-store.ts'

export type StaffRefundRow = RefundRow &
  Confirmed & {
    readonly tries: number | null
    readonly due_at: number | null
    readonly rested_at: number | null
  }

const jobColumns = ['tries', 'due_at', 'rested_at', ...confirmedColumns] as const

const rowColumns = columnsIn('r', [...shownColumns(listedRefunds), ...jobColumns])

interface Fits {
  readonly fits?: boolean
}

const withJob = (
  refunds: RawBuilder<Shown<RefundRow> & Fits>,
  columns: readonly string[] = shownColumns(listedRefunds),
) => sql<Shown<StaffRefundRow> & Fits>`(
  select ${columnsOf('r', columns)}, j.tries, j.due_at, j.rested_at,
    ${columnsOf('k', confirmedColumns)}
  from ${refunds} r
  left join refund_jobs j on j.merchant_id = r.merchant_id and j.refund_id = r.id
  ${confirmation})`

export interface RefundFilter {
  readonly status: RefundStatus | null
  readonly instruction: InstructionState | null
  readonly rail: string | null
  readonly intentId: PaymentIntentId | null
  readonly customerId: CustomerId | null
  readonly queue: 'waiting' | 'resting' | null
  readonly amount: AmountRange | null
  readonly currency: Currency | null
}

/** An accepted or refused refund keeps its job while it is watched. */
export const isToInstruct = (job: string) => sql<boolean>`exists (
  select from refunds r
  where r.merchant_id = ${sql.ref(`${job}.merchant_id`)} and r.id = ${sql.ref(`${job}.refund_id`)}
    and r.instruction in ('unsent', 'sent'))`

const ofJob = sql`
  refund_jobs j cross join lateral (
    select ${columnsOf('r', listedRefunds.columns)} from refunds r
    where r.merchant_id = j.merchant_id and r.id = j.refund_id limit 1) t`

const inQueue = {
  /** In the words of its index, whose order lets the page stop early. */
  waiting: sql<boolean>`j.rested_at is null and t.instruction in ('unsent', 'sent')`,
  resting: sql<boolean>`j.rested_at is not null`,
} as const

/** A partial index holds the jobs that wait, another those that rest. */
function queued(
  page: StaffPage,
  queue: keyof typeof inQueue,
  columns: readonly string[],
  where: RawBuilder<boolean>,
) {
  const ofMerchant = page.merchantId === null ? null : sql<boolean>`j.merchant_id = ${page.merchantId}`
  const conditions = all([
    inQueue[queue],
    livesHere(sql`j.merchant_id`),
    ofMerchant,
    onPage(page, sql.ref('j.refund_id')),
    where,
  ])
  return sql`select ${columnsOf('t', columns)} from ${ofJob} where ${conditions}`
}

export async function listRefundRows(
  reader: Reader,
  page: StaffPage,
  filter: RefundFilter,
): Promise<Page<StaffRefundRow>> {
  const where = conditionOf(filter)
  const { queue } = filter
  const shown = shownColumns(listedRefunds)
  const named = queue === null ? [...shown, 'fits' as const] : shown
  const refunds =
    queue === null
      ? newestRows(listedRefunds, page, where)
      : cutRows<RefundRow>(
          listedRefunds,
          page,
          sql`${queued(page, queue, listedRefunds.columns, where)} ${inOrder(page, sql.ref('j.refund_id'))}`,
        )
  const rows = await reader
    .selectFrom(withJob(refunds as RawBuilder<Shown<RefundRow> & Fits>, named).as<'r'>(sql.ref('r')))
    .select(columnsIn('r', [...named, ...jobColumns]))
    .orderBy('r.id', page.endingBefore === null ? 'desc' : 'asc')
    .execute()
  return foundPageOf(rows, page, (row) => row)
}

export function totalRefunds(reader: Reader, page: StaffPage, filter: RefundFilter): Promise<Total[]> {
  const where = conditionOf(filter)
  return filter.queue === null
    ? searchTotals(reader, 'refunds', page, where)
    : totalsOf(reader, queued(page, filter.queue, ['amount', 'currency'], where))
}

const conditionOf = ({ status, instruction, rail, intentId, customerId, amount, currency }: RefundFilter) =>
  all([
    status === null ? null : sql`t.status = ${status}`,
    instruction === null ? null : sql`t.instruction = ${instruction}`,
    rail === null ? null : sql`t.rail = ${rail}`,
    intentId === null ? null : sql`t.payment_intent_id = ${uuidOf(intentId)}::uuid`,
    customerId === null ? null : sql`t.customer_id = ${uuidOf(customerId)}::uuid`,
    amountWithin(sql`t.amount`, amount),
    inCurrency(sql`t.currency`, currency),
  ])

export const listRefundsOf = (
  reader: Reader,
  merchantId: MerchantId,
  intentId: PaymentIntentId,
  max: number,
): Promise<Shown<StaffRefundRow>[]> =>
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
            max + 1,
          ),
        ),
      ).as<'r'>(sql.ref('r')),
    )
    .select(rowColumns)
    .orderBy('r.id', 'desc')
    .execute()
