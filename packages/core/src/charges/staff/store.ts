import {
  type ChargeRuling,
  instant,
  type Reader,
  sqlState,
  type Tx,
  type Writer,
} from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn } from '../../base/columns.ts'
import type { ChargeId, MerchantId, PaymentIntentId } from '../../base/ids.ts'
import { columnsOf } from '../../pages/cut/store.ts'
import { type Page, pageOf } from '../../pages/page.ts'
import type { StaffPage } from '../../pages/staff/page.ts'
import { all, inOrder, onPage, rowById, rowsOfIntent } from '../../pages/staff/store.ts'
import { chargeColumns, type ChargeRow } from './render.ts'

const rowColumns = columnsIn('r', [
  ...chargeColumns,
  'next_query_at',
  'last_query_at',
  'not_found_count',
  'unproven',
])

/** A charge that is no longer queried has no job. */
const withJobs = (rows: RawBuilder<unknown>, order: RawBuilder<unknown>) =>
  sql<ChargeRow>`(
    select ${columnsOf('r', chargeColumns)}, j.due_at as next_query_at, j.last_query_at, coalesce(j.not_found_count, 0) as not_found_count,
      is_unproven(r.merchant_id, r.id, r.ruling, r.rail_txn_id) as unproven
    from ${rows} r
    left join charge_jobs j on j.merchant_id = r.merchant_id and j.charge_id = r.id
    ${order})`.as<'r'>(sql.ref('r'))

/** The index of live charges holds only rows in these three states. */
export async function listLiveCharges(
  reader: Reader,
  page: StaffPage,
  { openedBeforeMs, rail }: { openedBeforeMs: number; rail: string | null },
): Promise<Page<ChargeRow>> {
  const id = sql.ref('t.id')
  const where = all([
    sql`t.status in ('submitting', 'live', 'unconfirmed')`,
    sql`t.opened_at < ${instant(openedBeforeMs)}::timestamptz`,
    page.merchantId === null ? null : sql`t.merchant_id = ${page.merchantId}`,
    rail === null ? null : sql`t.rail = ${rail}`,
    onPage(page, id),
  ])
  const rows = await reader
    .selectFrom(
      withJobs(
        sql`(select ${columnsOf('t', chargeColumns)} from charges t where ${where} ${inOrder(page, id)})`,
        inOrder(page, sql.ref('r.id')),
      ),
    )
    .select(rowColumns)
    .execute()
  return pageOf(rows, page)
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

export async function holdCharge(tx: Tx, id: ChargeId): Promise<void> {
  await sql`
    select from charges c join ${rowById<ChargeRow>('charges', id, ['merchant_id', 'id'])} r on r.merchant_id = c.merchant_id and r.id = c.id
    for update of c`.execute(tx)
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
  try {
    await sql`select ops_resolve_charge(${id}, ${outcome}, ${reason}, ${operator}, ${statement})`.execute(
      writer,
    )
    return true
  } catch (error) {
    if (sqlState(error) === NOT_RESOLVABLE) return false
    throw error
  }
}

/** check_violation, which `ops_resolve_charge` raises. */
const NOT_RESOLVABLE = '23514'
