import type { IntentStatus } from '@merchant-payments/contract'
import type { ChargeStatus, Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn } from '../../base/columns.ts'
import { type CustomerId, idOf, type MerchantId, type PaymentIntentId, uuidOf } from '../../base/ids.ts'
import { columnsOf, shownColumns } from '../../pages/cut/store.ts'
import { cutPageOf, type Page } from '../../pages/page.ts'
import { type ListedIntentRow, listedIntents } from '../store.ts'
import type { Msisdn } from '../../base/phone.ts'
import { paidBy } from '../../charges/staff/store.ts'
import type { StaffPage } from '../../pages/staff/page.ts'
import { all, cutRows, inOrder, newestRows, onPage, rowById } from '../../pages/staff/store.ts'

export interface IntentFilter {
  readonly status: IntentStatus | null
  readonly rail: string | null
  readonly customerId: CustomerId | null
  readonly phone: Msisdn | null
}

export type StaffIntentRow = ListedIntentRow & NewestCharge

interface NewestCharge {
  readonly charge_id: string | null
  readonly charge_rail: string | null
  readonly charge_status: ChargeStatus | null
}

const chargeColumns = ['charge_id', 'charge_rail', 'charge_status'] as const

const withCharge = <Row extends ListedIntentRow>(
  intents: RawBuilder<Row>,
  columns: readonly (keyof Row & string)[],
) => sql<Row & NewestCharge>`(
  select ${columnsOf('p', columns)}, c.id as charge_id, c.rail as charge_rail, c.status as charge_status
  from ${intents} p
  left join lateral (
    select id, rail, status from charges
    where merchant_id = p.merchant_id and payment_intent_id = p.id order by id desc limit 1) c on true)`

export async function listIntentRows(
  reader: Reader,
  page: StaffPage,
  { status, rail, customerId, phone }: IntentFilter,
): Promise<Page<StaffIntentRow>> {
  const charged = (condition: RawBuilder<unknown>) => sql<boolean>`exists (
    select from charges c where c.merchant_id = t.merchant_id and c.payment_intent_id = t.id and ${condition})`
  const where = all([
    status === null ? null : sql`t.status = ${status}`,
    customerId === null ? null : sql`t.customer_id = ${uuidOf(customerId)}::uuid`,
    rail === null ? null : charged(sql`c.rail = ${rail}`),
  ])
  const shown = shownColumns(listedIntents)
  const intents = phone === null ? newestRows(listedIntents, page, where) : intentsOfPayer(page, phone, where)
  const rows = await reader
    .selectFrom(withCharge(intents, shown).as<'r'>(sql.ref('r')))
    .select(columnsIn('r', [...shown, ...chargeColumns]))
    .orderBy('r.id', page.endingBefore === null ? 'desc' : 'asc')
    .execute()
  return cutPageOf(rows, page, (row) => row)
}

/** docs/spec-gaps.md, staff: payments of one number are found among this many of its newest charges. */
const PAYER_CHARGES_MAX = 1_000

/** Finds the payer's charges by their index first. A walk along all payments would pass over those of other payers. */
function intentsOfPayer(page: StaffPage, phone: Msisdn, where: RawBuilder<boolean>) {
  const id = sql.ref('t.id')
  const ofMerchant = page.merchantId === null ? sql<boolean>`true` : sql`t.merchant_id = ${page.merchantId}`
  return cutRows(
    listedIntents,
    page,
    sql`
    with paid as materialized (
      select distinct merchant_id, payment_intent_id from (
        select c.merchant_id, c.payment_intent_id from charges c where ${paidBy('c', phone)}
        order by c.id desc limit ${PAYER_CHARGES_MAX}) newest)
    select ${columnsOf('t', listedIntents.columns)} from paid
    join payment_intents t on t.merchant_id = paid.merchant_id and t.id = paid.payment_intent_id
    where ${ofMerchant} and ${onPage(page, id)} and ${where} ${inOrder(page, id)}`,
  )
}

export function findIntentRow(reader: Reader, id: PaymentIntentId): Promise<StaffIntentRow | undefined> {
  const { columns } = listedIntents
  return reader
    .selectFrom(
      withCharge(rowById<ListedIntentRow>('payment_intents', id, columns), columns).as<'r'>(sql.ref('r')),
    )
    .select(columnsIn('r', [...columns, ...chargeColumns]))
    .executeTakeFirst()
}

/** An intent has at most one session. */
export async function findSessionOf(reader: Reader, merchantId: MerchantId, id: PaymentIntentId) {
  const row = await reader
    .selectFrom('checkout_sessions')
    .select('id')
    .where('merchant_id', '=', merchantId)
    .where('payment_intent_id', '=', uuidOf(id))
    .executeTakeFirst()
  return row === undefined ? null : idOf('cs', row.id)
}
