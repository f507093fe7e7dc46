import type { AmountRange, RefundStatus } from '@merchant-payments/contract'
import type { InstructionState, Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn } from '../../base/columns.ts'
import { type CustomerId, type MerchantId, type PaymentIntentId, uuidOf } from '../../base/ids.ts'
import { columnsOf, type Shown, shownColumns } from '../../pages/cut/store.ts'
import { cutPageOf, type Page } from '../../pages/page.ts'
import { listedRefunds, type RefundRow } from '../store.ts'
import { type Confirmed, confirmation, confirmedColumns } from '../../statements/confirmations/store.ts'
import type { StaffPage } from '../../pages/staff/page.ts'
import {
  all,
  amountWithin,
  cutRows,
  inOrder,
  newestRows,
  ofEachMerchant,
  onPage,
  rowsOfIntent,
  type Total,
  totalsOf,
} from '../../pages/staff/store.ts'

export type StaffRefundRow = RefundRow &
  Confirmed & {
    readonly tries: number | null
    readonly due_at: number | null
    readonly rested_at: number | null
  }

const rowColumns = columnsIn('r', [
  ...shownColumns(listedRefunds),
  'tries',
  'due_at',
  'rested_at',
  ...confirmedColumns,
])

const withJob = (refunds: RawBuilder<Shown<RefundRow>>) => sql<Shown<StaffRefundRow>>`(
  select ${columnsOf('r', shownColumns(listedRefunds))}, j.tries, j.due_at, j.rested_at,
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
}

/** Whether the refund of a job is neither accepted nor refused. A refused one keeps its job for two days. */
export const isToInstruct = (job: string) => sql<boolean>`exists (
  select from refunds r
  where r.merchant_id = ${sql.ref(`${job}.merchant_id`)} and r.id = ${sql.ref(`${job}.refund_id`)}
    and r.instruction in ('unsent', 'sent'))`

const ofJob = sql`
  refund_jobs j cross join lateral (
    select ${columnsOf('r', listedRefunds.columns)} from refunds r
    where r.merchant_id = j.merchant_id and r.id = j.refund_id limit 1) t`

/** Walks along each merchant's jobs, of which nearly all wait. */
function waiting(page: StaffPage, where: RawBuilder<boolean>) {
  const id = sql.ref('j.refund_id')
  const rows = sql`
    select ${columnsOf('t', listedRefunds.columns)} from ${ofJob}
    where j.merchant_id = tenant.merchant_id and j.rested_at is null and t.instruction in ('unsent', 'sent')
      and ${onPage(page, id)} and ${where} ${inOrder(page, id)}`
  const refunds = ofEachMerchant('refunds', page.merchantId, listedRefunds.columns, rows)
  return cutRows(listedRefunds, page, sql`${refunds} ${inOrder(page, sql.ref('r.id'))}`)
}

/** A partial index holds the jobs that rest. */
function resting(page: StaffPage, where: RawBuilder<boolean>) {
  const id = sql.ref('t.id')
  const ofMerchant = page.merchantId === null ? sql<boolean>`true` : sql`t.merchant_id = ${page.merchantId}`
  return cutRows(
    listedRefunds,
    page,
    sql`select ${columnsOf('t', listedRefunds.columns)} from ${ofJob}
      where j.rested_at is not null and ${ofMerchant} and ${onPage(page, id)} and ${where} ${inOrder(page, id)}`,
  )
}

const queues = { waiting, resting } as const

export async function listRefundRows(
  reader: Reader,
  page: StaffPage,
  filter: RefundFilter,
): Promise<Page<StaffRefundRow>> {
  const rows = await reader
    .selectFrom(withJob(refundsOf(page, filter)).as<'r'>(sql.ref('r')))
    .select(rowColumns)
    .orderBy('r.id', page.endingBefore === null ? 'desc' : 'asc')
    .execute()
  return cutPageOf(rows, page, (row) => row)
}

/** Counts what the list shows, page after page. */
export function totalRefunds(reader: Reader, page: StaffPage, filter: RefundFilter): Promise<Total[]> {
  const where = conditionOf(filter)
  const id = sql.ref('t.id')
  if (filter.queue !== null) {
    const ofMerchant = page.merchantId === null ? sql<boolean>`true` : sql`t.merchant_id = ${page.merchantId}`
    const inQueue =
      filter.queue === 'resting'
        ? sql`j.rested_at is not null`
        : sql`j.rested_at is null and t.instruction in ('unsent', 'sent')`
    return totalsOf(
      reader,
      sql`select t.amount, t.currency from ${ofJob} where ${inQueue} and ${ofMerchant} and ${onPage(page, id)} and ${where}`,
    )
  }
  const rows = sql`
    select t.amount, t.currency from refunds t
    where t.merchant_id = tenant.merchant_id and ${onPage(page, id)} and ${where}`
  return totalsOf(reader, ofEachMerchant('refunds', page.merchantId, ['amount', 'currency'], rows))
}

function refundsOf(page: StaffPage, filter: RefundFilter) {
  const where = conditionOf(filter)
  const { queue } = filter
  return queue === null ? newestRows(listedRefunds, page, where) : queues[queue](page, where)
}

const conditionOf = ({ status, instruction, rail, intentId, customerId, amount }: RefundFilter) =>
  all([
    status === null ? null : sql`t.status = ${status}`,
    instruction === null ? null : sql`t.instruction = ${instruction}`,
    rail === null ? null : sql`t.rail = ${rail}`,
    intentId === null ? null : sql`t.payment_intent_id = ${uuidOf(intentId)}::uuid`,
    customerId === null ? null : sql`t.customer_id = ${uuidOf(customerId)}::uuid`,
    amountWithin(sql`t.amount`, amount),
  ])

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
