import type { InvoiceStatus } from '@merchant-payments/contract'
import { instant, instantOrNull, type InvoiceTable, type Reader, type Writer } from '@merchant-payments/db'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Attempts } from '../base/attempts.ts'
import { columnsIn, columnsOf } from '../base/columns.ts'
import { clientStatus, type Guarded } from '../base/client-status.ts'
import { type Find, guarded, type KeyedSelect, ofClient, oneRow, type Opened } from '../reads/store.ts'
import { recordEvent } from '../commit/write-events.ts'
import { customerErased } from '../commit/create-once.ts'
import type { KeyClaim, NewAnswer } from '../commit/key.ts'
import { claimKey } from '../commit/claim-keys.ts'
import {
  type CustomerId,
  idOf,
  idOrNull,
  type InvoiceId,
  type MerchantId,
  type PaymentIntentId,
  uuidOf,
  uuidOrNull,
} from '../base/ids.ts'
import { isOpenCharge } from '../charges/store.ts'
import type { InvoiceItem } from './item.ts'
import { itemColumns, itemOf, type ItemRow } from './item-row.ts'
import { type ListedTable, listOf } from '../pages/store.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { attemptsOf, intentRows, newIntentRow } from '../payment-intents/store.ts'
import { insertRow, type NewRow, newRows } from '../commit/new-rows.ts'
import type { RailCode } from '../rails/port.ts'
import type { Invoice, InvoiceChange, InvoiceFields } from './invoice.ts'
import { NUMBER_PLACEHOLDER } from './render.ts'
import { type PlainFields, plainColumns, plainInvoiceFields, plainNames, plainTexts } from './plain-fields.ts'

export type InvoiceRow = Selectable<InvoiceTable>

export function invoiceOf(row: InvoiceRow): Invoice {
  const fields: InvoiceFields = {
    merchantId: row.merchant_id as MerchantId,
    id: idOf('in', row.id),
    number: row.number,
    customerId: idOf('cus', row.customer_id),
    currency: row.currency,
    totalMinor: row.total,
    lineCount: row.line_count,
    ...plainInvoiceFields(row),
    dueAtMs: row.due_at,
    intentId: idOrNull('pi', row.payment_intent_id),
    paymentMethodTypes: row.payment_method_types as RailCode[],
    metadata: row.metadata,
    livemode: row.livemode,
    finalizedAtMs: row.finalized_at,
    paidAtMs: row.paid_at,
    voidedAtMs: row.voided_at,
    markedUncollectibleAtMs: row.marked_uncollectible_at,
    revision: row.revision,
  }
  return { ...fields, status: row.status }
}

export interface WholeInvoice {
  readonly invoice: Invoice
  readonly items: readonly InvoiceItem[]
}

const linesOf = sql<ItemRow[] | null>`(
  select json_agg(i order by i.id) from (
    select ${columnsOf('i', itemColumns)} from invoice_items i
    where i.merchant_id = v.merchant_id and i.invoice_id = v.id) i
)`.as('items')

interface WholeRow extends InvoiceRow {
  readonly items: ItemRow[] | null
}

const wholeOf = ({ items, ...row }: WholeRow): WholeInvoice => ({
  invoice: invoiceOf(row),
  items: (items ?? []).map(itemOf),
})

const wholeById = (keyed: KeyedSelect) =>
  keyed.leftJoin('invoices as v', ofClient('v')).select([linesOf, ...columnsIn('v', invoiceColumns)])

const readWhole = oneRow(wholeById)
const readStanding = oneRow((keyed) =>
  wholeById(keyed).select([standingIntentOf, chargingOf, customerErasedOf]),
)

export const findInvoice: Find<'in', WholeInvoice> = async (reader, merchantId, id) =>
  guarded(await readWhole(reader, { merchantId, id: uuidOf(id) }), wholeOf)

export interface Standing extends WholeInvoice {
  /** The last one that was minted. */
  readonly intent: StandingIntent | null
  /** Whether a charge of any of its intents may still take money. */
  readonly charging: boolean
  readonly customerErased: boolean
}

interface StandingIntent extends Pick<Intent, 'status' | 'paymentMethodTypes'> {
  readonly attempts: Attempts
}

export const findStanding: Find<'in', Standing> = async (reader, merchantId, id) => {
  const row = await readStanding(reader, { merchantId, id: uuidOf(id) })
  const { standing_intent: intent, charging, customer_erased: customerErased } = row
  const standingOf = (whole: WholeRow) => ({ ...wholeOf(whole), intent, charging, customerErased })
  return guarded(row, standingOf)
}

const standingIntentOf = sql<StandingIntent | null>`(
  select json_build_object('status', p.status, 'paymentMethodTypes', p.payment_method_types, 'attempts', ${attemptsOf})
  from payment_intents p where p.merchant_id = v.merchant_id and p.id = v.payment_intent_id
)`.as('standing_intent')

const customerErasedOf = sql<boolean>`exists (
  select 1 from customers c where c.merchant_id = v.merchant_id and c.id = v.customer_id and c.erased_at is not null
)`.as('customer_erased')

const chargingOf = sql<boolean>`exists (
  select 1 from payment_intents p
  cross join lateral (
    select 1 from charges c where c.merchant_id = p.merchant_id and c.payment_intent_id = p.id
      and ${isOpenCharge('c')} limit 1) c
  where p.merchant_id = v.merchant_id and p.invoice_id = v.id
)`.as('charging')

export const invoiceColumns = [
  'merchant_id',
  'id',
  'status',
  'number',
  'customer_id',
  'currency',
  'total',
  'line_count',
  'item_bytes',
  ...plainNames,
  'due_at',
  'payment_intent_id',
  'payment_method_types',
  'metadata',
  'livemode',
  'finalized_at',
  'paid_at',
  'voided_at',
  'marked_uncollectible_at',
  'revision',
] as const satisfies readonly (keyof InvoiceRow)[]

export const listedInvoiceHeads: ListedTable<InvoiceRow, 'invoices'> = {
  table: 'invoices',
  columns: invoiceColumns,
  measured: [...plainTexts, 'payment_method_types', 'metadata'],
}

/** Counts the lines too, and the commas between them. */
const listedInvoices: ListedTable<InvoiceRow> = {
  ...listedInvoiceHeads,
  extraBytes: sql`t.item_bytes + t.line_count`,
}

export interface InvoiceFilter {
  readonly customerId: CustomerId | null
  readonly status: InvoiceStatus | null
}

export const listInvoicePage = listOf({
  listed: listedInvoices,
  alias: 'v',
  itemOf: (row) => wholeOf(row as WholeRow),
  extra: { columns: sql`${linesOf}` },
  conditions: { customerId: 'customer_id' },
})

export async function loadInvoices(
  reader: Reader,
  intents: readonly Intent[],
): Promise<ReadonlyMap<PaymentIntentId, Invoice>> {
  const billed = intents.flatMap(({ id, merchantId, invoiceId }) =>
    invoiceId === null ? [] : [{ id, merchantId, invoiceId }],
  )
  if (billed.length === 0) return new Map()
  const merchants = billed.map(({ merchantId }) => merchantId)
  const uuids = billed.map(({ invoiceId }) => uuidOf(invoiceId))
  const rows = await reader
    .selectFrom('invoices')
    .select(invoiceColumns)
    .where(sql<boolean>`(merchant_id, id) in (select * from unnest(${merchants}::text[], ${uuids}::uuid[]))`)
    .execute()
  const invoices = new Map(rows.map((row) => [idOf('in', row.id), invoiceOf(row)]))
  return new Map(
    billed.flatMap(({ id, invoiceId }) => {
      const invoice = invoices.get(invoiceId)
      return invoice === undefined ? [] : [[id, invoice]]
    }),
  )
}

export const invoiceRows = newRows('invoices', {
  merchant_id: 'text',
  id: 'uuid',
  status: 'text',
  customer_id: 'uuid',
  currency: 'text',
  ...plainColumns,
  due_at: 'timestamptz',
  payment_method_types: 'text[]',
  metadata: 'jsonb',
  livemode: 'boolean',
})

export const newInvoiceRow = (invoice: Invoice<'draft'>): NewRow<typeof invoiceRows> => ({
  merchant_id: invoice.merchantId,
  id: uuidOf(invoice.id),
  status: invoice.status,
  customer_id: uuidOf(invoice.customerId),
  currency: invoice.currency,
  ...plainInvoiceFields(invoice),
  due_at: instantOrNull(invoice.dueAtMs),
  payment_method_types: invoice.paymentMethodTypes,
  metadata: invoice.metadata,
  livemode: invoice.livemode,
})

interface InvoiceWrite {
  readonly change: InvoiceChange
  readonly intent: Intent<'requires_payment_method'> | null
  readonly answer: NewAnswer
}

/**
 * The writer of every change that a merchant makes to an invoice. If nothing has changed, it writes only the answer.
 * A finalize and a pay use the customer, who must not be erased (spec 4.3.6). A finalize locks the merchant's
 * counter after invoice and customer. Only this statement knows the next number, so it puts the number into the
 * answer and the event, where `renderInvoice` left a placeholder.
 *
 * @returns null if the invoice has changed since it was read, or the key is taken
 * @throws Refusal customer_erased
 */
export async function writeInvoice(
  writer: Writer,
  claim: KeyClaim,
  { change: { before, after, event }, intent, answer }: InvoiceWrite,
  nowMs: number,
): Promise<NewAnswer | null> {
  const { merchantId } = before
  const customer = uuidOf(before.customerId)
  const assignsNumber = before.status === 'draft' && after.status !== 'draft'
  const usesCustomer = assignsNumber || intent !== null
  const textOf = (body: string) => (assignsNumber ? withNumber(body) : sql<string>`${body}::text`)
  const from = sql.join([
    sql`held`,
    ...(assignsNumber ? [sql`n`] : []),
    ...(usesCustomer ? [sql`payer`] : []),
  ])
  const source = assignsNumber ? sql`k, n` : sql`k`
  const stored = { ...answer, body: textOf(answer.body) }
  const eventWritten = event && { ...event, body: textOf(event.body) }
  const parts = [
    sql`held as materialized (
      select 1 from invoices v where ${isInvoice(before)} and v.revision = ${before.revision} for update)`,
    ...(usesCustomer ? [stampPayer(merchantId, customer, nowMs)] : []),
    ...(assignsNumber ? [lockCounter(merchantId)] : []),
    sql`k as (${claimKey(claim, stored, { from, customer, nowMs })})`,
    ...(assignsNumber ? [takeNumber(merchantId)] : []),
    ...(intent === null ? [] : [sql`p as (${insertRow(intentRows, newIntentRow(intent), source)})`]),
    ...(after === before ? [] : [sql`v as (${changeInvoice(after, assignsNumber, source)})`]),
    ...(eventWritten === null ? [] : [recordEvent(eventWritten, { ...claim, nowMs }, source)]),
  ]
  const result = await sql<{ written: boolean; body: string | null; erased: boolean }>`
    with ${sql.join(parts)}
    select exists (select 1 from k) as written, ${assignsNumber ? sql`(select body from k)` : sql`null::text`} as body, exists (
      select 1 from customers where merchant_id = ${merchantId} and id = ${customer}::uuid and erased_at is not null
    ) as erased`.execute(writer)
  const { written = false, body = null, erased = false } = result.rows[0] ?? {}
  if (written) return { ...answer, body: body ?? answer.body }
  if (usesCustomer && erased) throw customerErased()
  return null
}

const isInvoice = ({ merchantId, id }: Invoice) =>
  sql`v.merchant_id = ${merchantId} and v.id = ${uuidOf(id)}::uuid`

function withNumber(body: string) {
  const [before, after, ...more] = body.split(JSON.stringify(NUMBER_PLACEHOLDER))
  if (after === undefined || more.length > 0) throw new Error('a body must have one number placeholder')
  return sql<string>`${before}::text || '"' || n.number || '"' || ${after}::text`
}

// After the customer, so that no other finalize of the merchant waits for whoever holds that row.
const lockCounter = (merchantId: MerchantId) => sql`
  n as materialized (
    select c.last_number + 1 as number from payer, invoice_counters c where c.merchant_id = ${merchantId}
    for update of c)`

const takeNumber = (merchantId: MerchantId) => sql`
  counted as (
    update invoice_counters c set last_number = n.number from k, n where c.merchant_id = ${merchantId})`

const stampPayer = (merchantId: MerchantId, customer: string, nowMs: number) => sql`
  payer as (
    update customers c set last_used_at = greatest(c.last_used_at, ${instant(nowMs)}::timestamptz)
    from held where c.merchant_id = ${merchantId} and c.id = ${customer}::uuid and c.erased_at is null
    returning 1)`

const setPlain = (after: PlainFields) =>
  sql.join(plainNames.map((name) => sql`${sql.ref(name)} = ${after[name]}`))

// Leaves out paid_at, which only a settlement sets.
const changeInvoice = (after: Invoice, assignsNumber: boolean, source: RawBuilder<unknown>) => sql`
  update invoices v set
    status = ${after.status}, number = ${assignsNumber ? sql`n.number` : after.number}, ${setPlain(after)},
    due_at = ${instantOrNull(after.dueAtMs)}::timestamptz, payment_method_types = ${after.paymentMethodTypes}::text[],
    payment_intent_id = ${uuidOrNull(after.intentId)}::uuid,
    metadata = ${JSON.stringify(after.metadata)}::jsonb, finalized_at = ${instantOrNull(after.finalizedAtMs)}::timestamptz,
    voided_at = ${instantOrNull(after.voidedAtMs)}::timestamptz,
    marked_uncollectible_at = ${instantOrNull(after.markedUncollectibleAtMs)}::timestamptz, revision = v.revision + 1
  from ${source} where ${isInvoice(after)}`

/** raced: the invoice changed while the statement waited for its row, and stays as it is. */
type Deletion =
  | { readonly kind: 'deleted' | 'kept'; readonly whole: WholeInvoice }
  | { readonly kind: 'raced' | 'missing' }

/**
 * The lines come from the statement's snapshot, which may be older than the locked row. The delete requires its
 * revision, so the answer shows exactly what was deleted.
 */
export async function deleteDraft(
  writer: Writer,
  merchantId: MerchantId,
  id: InvoiceId,
): Promise<Guarded<Deletion>> {
  const result = await sql<Opened<WholeRow> & { held_revision: number | null; deleted: boolean }>`
    with client as (${clientStatus(merchantId)}),
    seen as materialized (
      select ${columnsOf('v', invoiceColumns)}, ${linesOf} from invoices v, client
      where client.open and v.merchant_id = ${merchantId} and v.id = ${uuidOf(id)}::uuid
    ),
    held as materialized (
      select v.merchant_id, v.id, v.status, v.revision from invoices v
      where v.merchant_id = ${merchantId} and v.id = (select id from seen)
      for update
    ),
    gone as (
      delete from invoices i using held, seen
      where held.status = 'draft' and held.revision = seen.revision
        and i.merchant_id = held.merchant_id and i.id = held.id
      returning 1
    )
    select client.open, held.revision as held_revision, exists (select 1 from gone) as deleted, ${columnsOf('seen', [...invoiceColumns, 'items'])}
    from client left join seen on true left join held on true`.execute(writer)
  const [row] = result.rows
  const { open, found } = guarded(row, wholeOf)
  return { open, found: deletionOf(found, row?.held_revision ?? null, row?.deleted === true) }
}

function deletionOf(
  whole: WholeInvoice | undefined,
  heldRevision: number | null,
  deleted: boolean,
): Deletion {
  if (whole === undefined || heldRevision === null) return { kind: 'missing' }
  if (heldRevision !== whole.invoice.revision) return { kind: 'raced' }
  return { kind: deleted ? 'deleted' : 'kept', whole }
}
