import type { AmountRange, Currency, IntentStatus } from '@merchant-payments/contract'
import type { ChargeStatus, Reader } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { MINUTE_MS } from '../../base/clock.ts'
import { columnsIn, columnsOf } from '../../base/columns.ts'
import {
  type CustomerId,
  idOf,
  type MerchantId,
  msOfUuid,
  type PaymentIntentId,
  uuidFloorOf,
  uuidOf,
} from '../../base/ids.ts'
import { type Shown, shownColumns } from '../../pages/cut.ts'
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
  hasId,
  idsOf,
  inCurrency,
  inOrder,
  onPage,
  rowById,
} from '../../pages/staff/store.ts'
import { endedPage, foundPageOf, newestRows } from '../../pages/staff/search-store.ts'
import { isBeyondTotal, searchTotals, type Total, totalsOf } from '../../pages/staff/totals-store.ts'

export interface IntentFilter {
  readonly status: IntentStatus | null
  readonly rail: string | null
  readonly customerId: CustomerId | null
  readonly phone: Msisdn | null
  readonly amount: AmountRange | null
  readonly currency: Currency | null
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

/** Repeats the expression of the index. */
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
  const chosen = chosenBy(filter, page)
  if (chosen === null) return searchIntents(reader, page, where)
  const { isInOrder } = chosen
  const rows = among(chosen, page, { columns: listedIntents.columns, where, isUsedIfCut: isInOrder })
  const found = await readShown(
    reader,
    page,
    cutRows<ListedIntentRow>(listedIntents, page, sql`${rows} ${inOrder(page, sql.ref('t.id'))}`),
    shownColumns(listedIntents),
  )
  const isKnownWhole = found.hasMore || (!isInOrder && found.items.length > 0)
  if (isKnownWhole || !(await isCut(reader, chosen))) return found
  return isInOrder ? endedPage(found) : searchIntents(reader, page, all([where, paidAs(filter)]))
}

const searchIntents = (reader: Reader, page: StaffPage, where: RawBuilder<boolean>) =>
  readShown(reader, page, newestRows(listedIntents, page, where), [...shownColumns(listedIntents), 'fits'])

async function readShown(
  reader: Reader,
  page: StaffPage,
  intents: RawBuilder<unknown>,
  named: readonly (keyof Found)[],
): Promise<Page<StaffIntentRow>> {
  const rows = await reader
    .selectFrom(withCharge(intents as RawBuilder<Found>, named).as<'r'>(sql.ref('r')))
    .select(columnsIn('r', [...named, ...chargeColumns]))
    .orderBy('r.id', page.endingBefore === null ? 'desc' : 'asc')
    .execute()
  return foundPageOf(rows, page, (row) => row)
}

type Found = Shown<ListedIntentRow> & { readonly fits?: boolean }

export async function totalIntents(reader: Reader, page: StaffPage, filter: IntentFilter): Promise<Total[]> {
  const where = conditionOf(filter)
  const chosen = chosenBy(filter, page)
  if (chosen === null) return searchTotals(reader, 'payment_intents', page, where)
  const rows = among(chosen, page, { columns: ['amount', 'currency'], where, isUsedIfCut: true })
  const totals = await totalsOf(reader, rows)
  if (isBeyondTotal(totals) || !(await isCut(reader, chosen))) return totals
  return searchTotals(reader, 'payment_intents', page, all([where, paidAs(filter)]))
}

/** docs/spec-gaps.md, staff: the index of a filter gives at most this many payments or charges. */
const CHOSEN_MAX = 10_000
const READ_MAX = CHOSEN_MAX + 1

interface Chosen {
  readonly counted: RawBuilder<unknown>
  readonly payments: RawBuilder<unknown>
  /** Whether a set that is cut begins as the page does. */
  readonly isInOrder: boolean
}

const asPayments = sql`select n.merchant_id, n.id from counted n`

/**
 * Finds rare payments by a filter's index, because a search along all payments meets them late. Null if no filter
 * has an index, or its index has most payments.
 */
function chosenBy(
  { phone, metadata, customerId, status, charge }: IntentFilter,
  page: StaffPage,
): Chosen | null {
  if (phone !== null) return ofPayer(phone, page)
  const id = sql.ref('p.id')
  if (metadata !== null) {
    return {
      counted: sql`
        select p.merchant_id, p.id from payment_intents p
        where ${hasMetadata('p', metadata)} and ${onPage(page, id)} limit ${READ_MAX}`,
      payments: asPayments,
      isInOrder: false,
    }
  }
  if (customerId !== null) {
    return {
      counted: sql`
        select p.merchant_id, p.id from payment_intents p
        where p.customer_id = ${uuidOf(customerId)}::uuid and ${onPage(page, id)}
        order by p.merchant_id ${direction(page)}, p.id ${direction(page)} limit ${READ_MAX}`,
      payments: asPayments,
      isInOrder: true,
    }
  }
  // A payment is processing while it has an open charge.
  if (status === 'processing' || openStatuses.some((open) => open === charge))
    return ofCharges(isOpenCharge('c'), page)
  return charge === 'duplicate' ? ofCharges(sql`c.status = 'duplicate'`, page) : null
}

/** A charge can be opened long after its payment, so the page's latest time does not bound charges. */
function ofPayer(phone: Msisdn, page: StaffPage): Chosen {
  const { from } = idsOf(page)
  const since =
    from === null
      ? sql`true`
      : sql`p.id >= ${uuidFloorOf(Math.max(0, msOfUuid(from) - PROCESSES_DIFFER_MS))}::uuid`
  return {
    counted: sql`
      select p.id from charges p where ${paidBy('p', phone)} and ${since} order by p.id desc limit ${READ_MAX}`,
    payments: sql`
      select c.merchant_id, c.payment_intent_id as id from counted n cross join lateral (
        select o.merchant_id, o.payment_intent_id from charges o where ${hasId('o', sql`= n.id`)} limit 1) c`,
    isInOrder: false,
  }
}

/** How far the clock of the process that opens a charge can be behind the one that made its payment. */
const PROCESSES_DIFFER_MS = 5 * MINUTE_MS

/** `greatest` prevents use of the number's index, which has all of the payer's charges. */
const paidAs = ({ phone }: IntentFilter) =>
  phone === null
    ? null
    : sql<boolean>`(
        select true from charges c
        where c.merchant_id = t.merchant_id and c.payment_intent_id = t.id
          and greatest(c.payer_msisdn) = ${phone} limit 1)`

function ofCharges(state: RawBuilder<unknown>, page: StaffPage): Chosen {
  const id = sql.ref('c.payment_intent_id')
  return {
    counted: sql`
      select c.merchant_id, c.payment_intent_id as id from charges c where ${state} and ${onPage(page, id)}
      order by ${id} ${direction(page)} limit ${READ_MAX}`,
    payments: asPayments,
    isInOrder: true,
  }
}

async function isCut(reader: Reader, { counted }: Chosen): Promise<boolean> {
  const { count } = await reader
    .selectNoFrom(sql<number>`(select count(*) from (${counted}) n)`.as('count'))
    .executeTakeFirstOrThrow()
  return count > CHOSEN_MAX
}

interface Choice {
  readonly columns: readonly string[]
  readonly where: RawBuilder<boolean>
  readonly isUsedIfCut: boolean
}

function among({ counted, payments }: Chosen, page: StaffPage, { columns, where, isUsedIfCut }: Choice) {
  const ofMerchant = page.merchantId === null ? sql<boolean>`true` : sql`t.merchant_id = ${page.merchantId}`
  const isUsed = isUsedIfCut ? sql`true` : sql`(select count(*) from counted) <= ${sql.lit(CHOSEN_MAX)}`
  return sql`
    with counted as materialized (${counted}),
      chosen as materialized (select distinct n.merchant_id, n.id from (${payments} where ${isUsed}) n)
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

export async function findSessionOf(reader: Reader, merchantId: MerchantId, id: PaymentIntentId) {
  const row = await reader
    .selectFrom('checkout_sessions')
    .select('id')
    .where('merchant_id', '=', merchantId)
    .where('payment_intent_id', '=', uuidOf(id))
    .executeTakeFirst()
  return row === undefined ? null : idOf('cs', row.id)
}
