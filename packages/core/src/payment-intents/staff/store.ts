import type { AmountRange, Currency, IntentStatus } from '@merchant-payments/contract'
import type { ChargeStatus, Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { columnsIn } from '../../base/columns.ts'
import { type CustomerId, idOf, type MerchantId, type PaymentIntentId, uuidOf } from '../../base/ids.ts'
import { columnsOf, type Shown, shownColumns } from '../../pages/cut.ts'
import type { Page } from '../../pages/page.ts'
import { type ListedIntentRow, listedIntents } from '../store.ts'
import type { Msisdn } from '../../base/phone.ts'
import { openStatuses } from '../../charges/lifecycle.ts'
import { paidBy } from '../../charges/staff/store.ts'
import { isOpenCharge } from '../../charges/store.ts'
import type { MetadataFilter } from './metadata.ts'
import type { StaffPage } from '../../pages/staff/page.ts'
import {
  all,
  amountWithin,
  cutRows,
  direction,
  foundPageOf,
  hasId,
  inCurrency,
  inOrder,
  newestRows,
  onPage,
  rowById,
  searchTotals,
  type Total,
  totalsOf,
} from '../../pages/staff/store.ts'

export interface IntentFilter {
  readonly status: IntentStatus | null
  readonly rail: string | null
  readonly customerId: CustomerId | null
  readonly phone: Msisdn | null
  readonly amount: AmountRange | null
  readonly currency: Currency | null
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

/** Whether an intent has this value in its metadata, under this key if one is given. Repeats the expression of its index. */
export const hasMetadata = (intent: string, { key, value }: MetadataFilter) => {
  const metadata = sql.ref(`${intent}.metadata`)
  const ofKey = key === null ? sql`` : sql`and ${metadata} ->> ${key} = ${value}`
  return sql<boolean>`${metadata} <> '{}'
    and jsonb_path_query_array(${metadata}, '$.*') @> ${JSON.stringify([value])}::jsonb ${ofKey}`
}

const ofNewestCharge = (intent: string, status: ChargeStatus) => sql<boolean>`(
  select c.status from charges c
  where c.merchant_id = ${sql.ref(`${intent}.merchant_id`)} and c.payment_intent_id = ${sql.ref(`${intent}.id`)}
  order by c.id desc limit 1) = ${status}`

function conditionOf({
  status,
  rail,
  customerId,
  amount,
  currency,
  charge,
  decline,
  metadata,
}: IntentFilter) {
  return all([
    status === null ? null : sql`t.status = ${status}`,
    customerId === null ? null : sql`t.customer_id = ${uuidOf(customerId)}::uuid`,
    rail === null
      ? null
      : // Without the limit PostgreSQL may read all charges of the rail into a hash table first.
        sql`(
          select true from charges c
          where c.merchant_id = t.merchant_id and c.payment_intent_id = t.id and c.rail = ${rail} limit 1)`,
    amountWithin(sql`t.amount`, amount),
    inCurrency(sql`t.currency`, currency),
    charge === null ? null : ofNewestCharge('t', charge),
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
  const { columns } = listedIntents
  const chosen = chosenBy(filter, page)
  const shown = shownColumns(listedIntents)
  const named = chosen === null ? [...shown, 'fits' as const] : shown
  const intents =
    chosen === null
      ? newestRows(listedIntents, page, where)
      : cutRows<ListedIntentRow>(
          listedIntents,
          page,
          sql`${among(chosen, page, columns, where)} ${inOrder(page, sql.ref('t.id'))}`,
        )
  const rows = await reader
    .selectFrom(
      withCharge(intents as RawBuilder<Shown<ListedIntentRow> & { fits?: boolean }>, named).as<'r'>(
        sql.ref('r'),
      ),
    )
    .select(columnsIn('r', [...named, ...chargeColumns]))
    .orderBy('r.id', page.endingBefore === null ? 'desc' : 'asc')
    .execute()
  return foundPageOf(rows, page, (row) => row)
}

export function totalIntents(reader: Reader, page: StaffPage, filter: IntentFilter): Promise<Total[]> {
  const where = conditionOf(filter)
  const chosen = chosenBy(filter, page)
  return chosen === null
    ? searchTotals(reader, 'payment_intents', page, where)
    : totalsOf(reader, among(chosen, page, ['amount', 'currency'], where))
}

/** docs/spec-gaps.md, staff: payments of one number are found among this many of its newest charges. */
const PAYER_CHARGES_MAX = 1_000
/** docs/spec-gaps.md, staff: payments of one customer, or of a queue of charges, are found among this many. */
const CHOSEN_MAX = 10_000

/**
 * Finds rare payments by the index of a filter, which a search along all payments would take long to meet. Null if no
 * filter has an index, or its index has most payments.
 */
function chosenBy(
  { phone, metadata, customerId, status, charge }: IntentFilter,
  page: StaffPage,
): RawBuilder<unknown> | null {
  if (phone !== null) {
    return sql`
      select distinct merchant_id, payment_intent_id as id from (
        select c.merchant_id, c.payment_intent_id from (
          select p.id from charges p where ${paidBy('p', phone)} order by p.id desc limit ${PAYER_CHARGES_MAX}) i
        cross join lateral (
          select n.merchant_id, n.payment_intent_id from charges n where ${hasId('n', sql`= i.id`)} limit 1) c) newest`
  }
  if (metadata !== null) {
    return sql`
      select p.merchant_id, p.id from payment_intents p where ${hasMetadata('p', metadata)} limit ${METADATA_ROWS_MAX}`
  }
  if (customerId !== null) {
    const id = sql.ref('p.id')
    return sql`
      select p.merchant_id, p.id from payment_intents p
      where p.customer_id = ${uuidOf(customerId)}::uuid and ${onPage(page, id)}
      order by p.merchant_id ${direction(page)}, p.id ${direction(page)} limit ${CHOSEN_MAX}`
  }
  // A payment is processing while it has an open charge.
  if (status === 'processing' || openStatuses.some((open) => open === charge))
    return ofCharges(isOpenCharge('c'), page)
  return charge === 'duplicate' ? ofCharges(sql`c.status = 'duplicate'`, page) : null
}

function ofCharges(state: RawBuilder<unknown>, page: StaffPage) {
  const id = sql.ref('c.payment_intent_id')
  return sql`
    select distinct n.merchant_id, n.payment_intent_id as id from (
      select c.merchant_id, c.payment_intent_id from charges c where ${state} and ${onPage(page, id)}
      order by ${id} ${direction(page)} limit ${CHOSEN_MAX}) n`
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
    cross join lateral (
      select ${columnsOf('p', listedIntents.columns)} from payment_intents p
      where p.merchant_id = chosen.merchant_id and p.id = chosen.id limit 1) t
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
