import type { AmountRange, IntentStatus } from '@merchant-payments/contract'
import type { ChargeStatus, Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn } from '../../base/columns.ts'
import { type CustomerId, idOf, type MerchantId, type PaymentIntentId, uuidOf } from '../../base/ids.ts'
import { columnsOf, shownColumns } from '../../pages/cut/store.ts'
import { cutPageOf, type Page } from '../../pages/page.ts'
import { type ListedIntentRow, listedIntents } from '../store.ts'
import type { Msisdn } from '../../base/phone.ts'
import { paidBy } from '../../charges/staff/store.ts'
import type { MetadataFilter } from './metadata.ts'
import type { StaffPage } from '../../pages/staff/page.ts'
import {
  all,
  amountWithin,
  cutRows,
  inOrder,
  newestRows,
  ofEachMerchant,
  onPage,
  rowById,
  type Total,
  totalsOf,
} from '../../pages/staff/store.ts'

export interface IntentFilter {
  readonly status: IntentStatus | null
  readonly rail: string | null
  readonly customerId: CustomerId | null
  readonly phone: Msisdn | null
  readonly amount: AmountRange | null
  /** The state of the newest charge. */
  readonly charge: ChargeStatus | null
  readonly decline: string | null
  readonly metadata: MetadataFilter | null
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

/** docs/spec-gaps.md, staff: payments with a value in their metadata are found among this many. */
const METADATA_ROWS_MAX = 10_000

/** Whether an intent has this value in its metadata, under this key if one is given. In the words of its index. */
export const hasMetadata = (intent: string, { key, value }: MetadataFilter) => {
  const metadata = sql.ref(`${intent}.metadata`)
  const ofKey = key === null ? sql`` : sql`and ${metadata} ->> ${key} = ${value}`
  return sql<boolean>`${metadata} <> '{}'
    and jsonb_path_query_array(${metadata}, '$.*') @> ${JSON.stringify([value])}::jsonb ${ofKey}`
}

function conditionOf({ status, rail, customerId, amount, charge, decline, metadata }: IntentFilter) {
  const charged = (condition: RawBuilder<unknown>) => sql<boolean>`exists (
    select from charges c where c.merchant_id = t.merchant_id and c.payment_intent_id = t.id and ${condition})`
  return all([
    status === null ? null : sql`t.status = ${status}`,
    customerId === null ? null : sql`t.customer_id = ${uuidOf(customerId)}::uuid`,
    rail === null ? null : charged(sql`c.rail = ${rail}`),
    amountWithin(sql`t.amount`, amount),
    charge === null
      ? null
      : sql`(select c.status from charges c where c.merchant_id = t.merchant_id and c.payment_intent_id = t.id
          order by c.id desc limit 1) = ${charge}`,
    decline === null ? null : sql`t.error_code = ${decline}`,
    metadata === null ? null : hasMetadata('t', metadata),
  ])
}

export async function listIntentRows(
  reader: Reader,
  page: StaffPage,
  filter: IntentFilter,
): Promise<Page<StaffIntentRow>> {
  const where = conditionOf(filter)
  const shown = shownColumns(listedIntents)
  const { columns } = listedIntents
  const chosen = chosenBy(filter)
  const intents =
    chosen === null
      ? newestRows(listedIntents, page, where)
      : cutRows(
          listedIntents,
          page,
          sql`${among(chosen, page, columns, where)} ${inOrder(page, sql.ref('t.id'))}`,
        )
  const rows = await reader
    .selectFrom(withCharge(intents, shown).as<'r'>(sql.ref('r')))
    .select(columnsIn('r', [...shown, ...chargeColumns]))
    .orderBy('r.id', page.endingBefore === null ? 'desc' : 'asc')
    .execute()
  return cutPageOf(rows, page, (row) => row)
}

export function totalIntents(reader: Reader, page: StaffPage, filter: IntentFilter): Promise<Total[]> {
  const where = conditionOf(filter)
  const columns = ['amount', 'currency'] as const
  const chosen = chosenBy(filter)
  if (chosen !== null) return totalsOf(reader, among(chosen, page, columns, where))
  const rows = sql`
    select t.amount, t.currency from payment_intents t
    where t.merchant_id = tenant.merchant_id and ${onPage(page, sql.ref('t.id'))} and ${where}`
  return totalsOf(reader, ofEachMerchant('payment_intents', page.merchantId, columns, rows))
}

/** docs/spec-gaps.md, staff: payments of one number are found among this many of its newest charges. */
const PAYER_CHARGES_MAX = 1_000

/**
 * Finds the payer's charges, or the value of the metadata, by its index first. A walk along all payments would pass
 * over those of other payers. Null if neither is asked for.
 */
function chosenBy({ phone, metadata }: IntentFilter): RawBuilder<unknown> | null {
  if (phone !== null) {
    return sql`
      select distinct merchant_id, payment_intent_id as id from (
        select c.merchant_id, c.payment_intent_id from charges c where ${paidBy('c', phone)}
        order by c.id desc limit ${PAYER_CHARGES_MAX}) newest`
  }
  if (metadata === null) return null
  return sql`
    select p.merchant_id, p.id from payment_intents p where ${hasMetadata('p', metadata)} limit ${METADATA_ROWS_MAX}`
}

function among(
  chosen: RawBuilder<unknown>,
  page: StaffPage,
  columns: readonly string[],
  where: RawBuilder<boolean>,
) {
  const ofMerchant = page.merchantId === null ? sql<boolean>`true` : sql`t.merchant_id = ${page.merchantId}`
  return sql`
    with chosen as materialized (${chosen})
    select ${columnsOf('t', columns)} from chosen
    join payment_intents t on t.merchant_id = chosen.merchant_id and t.id = chosen.id
    where ${ofMerchant} and ${onPage(page, sql.ref('t.id'))} and ${where}`
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
