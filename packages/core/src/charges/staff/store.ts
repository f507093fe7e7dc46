import type { AmountRange, Currency } from '@merchant-payments/contract'
import { type ChargeRuling, instant, type Reader, type Tx, type Writer } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { livesHere } from '../../base/client-status.ts'
import { columnsIn, columnsOf } from '../../base/columns.ts'
import { type ChargeId, idOrNull, type MerchantId, type PaymentIntentId, uuidOf } from '../../base/ids.ts'
import { unlessState } from '../../base/refused-statements.ts'
import type { Page } from '../../pages/page.ts'
import type { StaffPage } from '../../pages/staff/page.ts'
import {
  all,
  amountWithin,
  hasId,
  holdRow,
  inCurrency,
  inOrder,
  onPage,
  rowById,
  rowsOfIntent,
} from '../../pages/staff/store.ts'
import { foundPage, searchRows } from '../../pages/staff/search-store.ts'
import { searchTotals, type Total, totalsOf } from '../../pages/staff/totals-store.ts'
import { isOpenCharge } from '../store.ts'
import { chargeColumns, type ChargeRow } from './render.ts'

const rowColumns = columnsIn('r', [
  ...chargeColumns,
  'next_query_at',
  'last_query_at',
  'not_found_count',
  'unproven',
  'returned',
  'reported_at',
  'reported_amount',
  'reported_currency',
])

const isReturned = (charge: string) => sql<boolean>`exists (
  select from charge_returns b
  where b.charge_id = ${sql.ref(`${charge}.id`)} and b.merchant_id = ${sql.ref(`${charge}.merchant_id`)}
    and b.instruction <> 'refused')`

const withJobs = <Row = ChargeRow>(
  rows: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
  columns: readonly string[] = chargeColumns,
) =>
  sql<Row>`(
    select ${columnsOf('r', columns)}, j.due_at as next_query_at, j.last_query_at, coalesce(j.not_found_count, 0) as not_found_count,
      is_unproven(r.merchant_id, r.id, r.ruling, r.rail_txn_id) as unproven, ${isReturned('r')} as returned,
      j.reported_at, j.reported_amount, j.reported_currency
    from ${rows} r
    left join charge_jobs j on j.merchant_id = r.merchant_id and j.charge_id = r.id
    ${order})`.as<'r'>(sql.ref('r'))

export const isDuplicate = (charge: string) =>
  sql<boolean>`${sql.ref(`${charge}.status`)} = 'duplicate' and not ${isReturned(charge)}`

export const isMismatch = (
  job: string,
) => sql<boolean>`${sql.ref(`${job}.reported_at`)} is not null and exists (
  select from charges m
  where m.merchant_id = ${sql.ref(`${job}.merchant_id`)} and m.id = ${sql.ref(`${job}.charge_id`)}
    and m.status not in ('succeeded', 'duplicate'))`

const reportedCharges = sql`charge_jobs j cross join lateral (
  select ${columnsOf('c', chargeColumns)} from charges c
  where c.merchant_id = j.merchant_id and c.id = j.charge_id limit 1) t`

/** Digits of the index `charges_payer_number`. A search needs at least these. docs/spec-gaps.md, staff. */
export const ENDING_DIGITS_MIN = 4

/** Whether a charge's payer has a number with this ending: at least four digits, or the whole number. */
export const paidBy = (charge: string, ending: string) => {
  const number = sql.ref(`${charge}.payer_msisdn`)
  return sql<boolean>`right(${number}, ${sql.lit(ENDING_DIGITS_MIN)}) = ${ending.slice(-ENDING_DIGITS_MIN)}
    and right(${number}, ${ending.length}) = ${ending} and ${number} <> '[redacted]'`
}

/** Must be written exactly as the expression of the index `charges_payer_number`. */
export const endsAs = (number: RawBuilder<unknown>) => {
  const own = sql.ref('c.payer_msisdn')
  const digits = sql.lit(ENDING_DIGITS_MIN)
  return sql<boolean>`right(${own}, ${digits}) = right(${number}, ${digits}) and ${own} <> '[redacted]'`
}

export interface ChargeFilter {
  /** Null for charges in every state. */
  readonly queue: 'open' | 'duplicate' | 'mismatch' | null
  readonly openedBeforeMs: number | null
  readonly rail: string | null
  readonly amount: AmountRange | null
  readonly currency: Currency | null
}

export async function listChargeRows(
  reader: Reader,
  page: StaffPage,
  filter: ChargeFilter,
): Promise<Page<ChargeRow>> {
  const order = inOrder(page, sql.ref('r.id'))
  const names = sql`${columnsOf('t', chargeColumns)}, true as fits`
  const charges =
    filter.queue === null
      ? searchRows('charges', page, chargeColumns, conditionOf(filter))
      : sql`${queued(page, filter, names)} ${inOrder(page, sql.ref('t.id'))}`
  const rows = await reader
    .selectFrom(
      withJobs<ChargeRow & { readonly fits: boolean }>(sql`(${charges})`, order, [...chargeColumns, 'fits']),
    )
    .select([...rowColumns, 'r.fits'])
    .execute()
  return foundPage(rows, page)
}

export const totalCharges = (reader: Reader, page: StaffPage, filter: ChargeFilter): Promise<Total[]> =>
  filter.queue === null
    ? searchTotals(reader, 'charges', page, conditionOf(filter))
    : totalsOf(reader, queued(page, filter, columnsOf('t', ['amount', 'currency'])))

const conditionOf = ({ openedBeforeMs, rail, amount, currency }: ChargeFilter) =>
  all([
    openedBeforeMs === null ? null : sql`t.opened_at < ${instant(openedBeforeMs)}::timestamptz`,
    rail === null ? null : sql`t.rail = ${rail}`,
    amountWithin(sql`t.amount`, amount),
    inCurrency(sql`t.currency`, currency),
  ])

/** A queue has a partial index over all merchants. */
function queued(page: StaffPage, filter: ChargeFilter, names: RawBuilder<unknown>) {
  const { queue } = filter
  const where = all([
    queue === 'open' ? isOpenCharge('t') : null,
    queue === 'duplicate' ? isDuplicate('t') : null,
    queue === 'mismatch'
      ? sql`t.status not in ('succeeded', 'duplicate') and j.reported_at is not null`
      : null,
    conditionOf(filter),
    livesHere(sql`t.merchant_id`),
    onPage(page, sql.ref('t.id')),
    page.merchantId === null ? null : sql`t.merchant_id = ${page.merchantId}`,
  ])
  return sql`
    select ${names} from ${queue === 'mismatch' ? reportedCharges : sql`charges t`} where ${where}`
}

export const listChargesOf = (
  reader: Reader,
  merchantId: MerchantId,
  intentId: PaymentIntentId,
  max: number,
): Promise<ChargeRow[]> =>
  reader
    .selectFrom(
      withJobs(
        rowsOfIntent<ChargeRow>({ table: 'charges', columns: chargeColumns }, merchantId, intentId, max),
        sql``,
      ),
    )
    .select(rowColumns)
    .orderBy('r.id', 'desc')
    .execute()

export const findCharge = (reader: Reader, id: ChargeId): Promise<ChargeRow | undefined> =>
  reader
    .selectFrom(withJobs(rowById<ChargeRow>('charges', id, chargeColumns), sql``))
    .select(rowColumns)
    .executeTakeFirst()

export const findCharges = (reader: Reader, uuids: readonly string[]): Promise<ChargeRow[]> =>
  reader
    .selectFrom(
      withJobs(
        sql`(
          select ${columnsOf('c', chargeColumns)} from charges c where ${hasId('c', sql`= any (${uuids}::uuid[])`)})`,
        sql``,
      ),
    )
    .select(rowColumns)
    .orderBy('r.id')
    .execute()

export const holdCharge = (tx: Tx, id: ChargeId): Promise<void> => holdRow(tx, 'charges', id)

/** Holds the charge's job, so that the time of its next query stays. */
export async function holdQueries(tx: Tx, id: ChargeId): Promise<void> {
  await sql`select from charge_jobs where charge_id = ${uuidOf(id)}::uuid for update`.execute(tx)
}

interface Ruling {
  readonly outcome: ChargeRuling
  readonly reason: string
  readonly operator: string
  readonly statement: string | null
}

/** @returns false if the charge can no longer, or not yet, be ruled so */
export async function rule(
  writer: Writer,
  id: ChargeId,
  { outcome, reason, operator, statement }: Ruling,
): Promise<boolean> {
  return unlessState(notResolvable, () =>
    sql`select ops_resolve_charge(${id}, ${outcome}, ${reason}, ${operator}, ${statement})`.execute(writer),
  )
}

export async function findProvenBy(
  tx: Tx,
  rail: string,
  transaction: string,
  except: ChargeId,
): Promise<ChargeId | null> {
  const { rows } = await sql<{ id: string | null }>`
    select proven_by(${rail}, ${transaction}, ${uuidOf(except)}::uuid) as id`.execute(tx)
  return idOrNull('ch', rows[0]?.id ?? null)
}

/**
 * `ops_resolve_charge` raises the first. The index raises the second if another ruling gives the transaction at
 * once.
 */
const notResolvable = ['23514', '23505']
