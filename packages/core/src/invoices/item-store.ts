import { INVOICE_LINES_BYTES_MAX, INVOICE_LINES_MAX, type InvoiceStatus } from '@merchant-payments/contract'
import type { InvoiceTable, Writer } from '@merchant-payments/db'
import { type Selectable, sql } from 'kysely'
import { columnsIn, columnsOf } from '../base/columns.ts'
import { clientStatus, type Guarded } from '../base/client-status.ts'
import type { KeyClaim, NewAnswer } from '../commit/key.ts'
import { claimKey } from '../commit/claim-keys.ts'
import { idOf, type InvoiceItemId, type MerchantId, uuidOf } from '../base/ids.ts'
import { type Find, guarded, ofClient, smallRow } from '../reads/store.ts'
import type { InvoiceItem } from './item.ts'
import type { InvoiceOfItem } from './item-render.ts'
import { itemColumns, itemOf, type ItemRow } from './item-row.ts'

export interface Heading extends InvoiceOfItem {
  readonly merchantId: MerchantId
  readonly status: InvoiceStatus
  readonly lineCount: number
  readonly itemBytes: number
}

const headingColumns = [
  'id',
  'merchant_id',
  'status',
  'customer_id',
  'currency',
  'line_count',
  'item_bytes',
  'livemode',
] as const satisfies readonly (keyof InvoiceTable)[]

type HeadingRow = Pick<Selectable<InvoiceTable>, (typeof headingColumns)[number]>

const headingOf = (row: HeadingRow): Heading => ({
  merchantId: row.merchant_id as MerchantId,
  id: idOf('in', row.id),
  status: row.status,
  customerId: idOf('cus', row.customer_id),
  currency: row.currency,
  lineCount: row.line_count,
  itemBytes: row.item_bytes,
  livemode: row.livemode,
})

const headingById = smallRow((keyed) =>
  keyed.leftJoin('invoices as v', ofClient('v')).select(columnsIn('v', headingColumns)),
)

export const findHeading: Find<'in', Heading> = async (reader, merchantId, id) =>
  guarded(await headingById(reader, { merchantId, id: uuidOf(id) }), headingOf)

const headingOfItem = sql<HeadingRow | null>`(
  select to_json(heading) from (
    select ${columnsOf('v', headingColumns)} from invoices v
    where v.merchant_id = i.merchant_id and v.id = i.invoice_id) heading
)`.as('invoice')

const itemById = smallRow((keyed) =>
  keyed.leftJoin('invoice_items as i', ofClient('i')).select([headingOfItem, ...columnsIn('i', itemColumns)]),
)

export interface FoundItem {
  readonly item: InvoiceItem
  readonly invoice: Heading
}

export const findItem: Find<'ii', FoundItem> = async (reader, merchantId, id) =>
  guarded(
    await itemById(reader, { merchantId, id: uuidOf(id) }),
    ({ invoice, ...row }: ItemRow & { readonly invoice: HeadingRow }) => ({
      item: itemOf(row),
      invoice: headingOf(invoice),
    }),
  )

// Every change of a line locks its invoice first, and updates its sum, count and revision in the same statement.
const holdDraft = (merchantId: MerchantId, invoice: string) => sql`
  held as materialized (
    select v.merchant_id, v.id, v.line_count, v.item_bytes from invoices v
    where v.merchant_id = ${merchantId} and v.id = ${invoice}::uuid and v.status = 'draft'
    for update
  )`

/** @returns false if the invoice is no longer a draft, has no room, or the key is taken */
export async function insertItem(
  writer: Writer,
  claim: KeyClaim,
  item: InvoiceItem,
  { merchantId, id: invoiceId, customerId }: Heading,
  answer: NewAnswer,
  nowMs: number,
): Promise<boolean> {
  const invoice = uuidOf(invoiceId)
  const hasRoom = sql`
    line_count < ${INVOICE_LINES_MAX} and item_bytes + ${item.bytes}::integer <= ${INVOICE_LINES_BYTES_MAX}`
  const result = await sql`
    with ${holdDraft(merchantId, invoice)},
    k as (${claimKey(claim, answer, { from: sql`held`, where: hasRoom, customer: uuidOf(customerId), nowMs })}),
    v as (
      update invoices set total = total + ${item.amountMinor}::integer, line_count = invoices.line_count + 1,
        item_bytes = invoices.item_bytes + ${item.bytes}::integer, revision = revision + 1
      from k where invoices.merchant_id = ${merchantId} and id = ${invoice}::uuid
    ),
    i as (
      insert into invoice_items
        (merchant_id, id, invoice_id, amount, unit_amount, quantity, description, metadata, bytes)
      select ${merchantId}, ${uuidOf(item.id)}::uuid, ${invoice}::uuid, ${item.amountMinor}::integer,
        ${item.unitAmountMinor}::integer, ${item.quantity}::integer, ${item.description},
        ${JSON.stringify(item.metadata)}::jsonb, ${item.bytes}::integer
      from k
    )
    select 1 from k`.execute(writer)
  return result.rows.length > 0
}

export interface ItemChange {
  readonly before: InvoiceItem
  readonly after: InvoiceItem
}

/** @returns false if the line has changed, its invoice is no longer a draft or has no room, or the key is taken */
export async function writeItem(
  writer: Writer,
  claim: KeyClaim,
  { before, after }: ItemChange,
  { merchantId, id: invoiceId, customerId }: Heading,
  answer: NewAnswer,
  nowMs: number,
): Promise<boolean> {
  const [invoice, line] = [uuidOf(invoiceId), uuidOf(before.id)]
  const moreBytes = after.bytes - before.bytes
  const fits =
    moreBytes <= 0 ? sql`true` : sql`held.item_bytes + ${moreBytes}::integer <= ${INVOICE_LINES_BYTES_MAX}`
  const result = await sql`
    with ${holdDraft(merchantId, invoice)},
    same as materialized (
      select i.id from held join invoice_items i on i.merchant_id = held.merchant_id and i.id = ${line}::uuid
      where i.revision = ${before.revision} and ${fits}
      for update of i
    ),
    k as (${claimKey(claim, answer, { from: sql`same`, customer: uuidOf(customerId), nowMs })}),
    v as (
      update invoices set total = total + ${after.amountMinor - before.amountMinor}::integer,
        item_bytes = item_bytes + ${moreBytes}::integer, revision = revision + 1
      from k where invoices.merchant_id = ${merchantId} and id = ${invoice}::uuid
    ),
    i as (
      update invoice_items set amount = ${after.amountMinor}::integer, unit_amount = ${after.unitAmountMinor}::integer,
        quantity = ${after.quantity}::integer, description = ${after.description},
        metadata = ${JSON.stringify(after.metadata)}::jsonb, bytes = ${after.bytes}::integer, revision = revision + 1
      from k where invoice_items.merchant_id = ${merchantId} and id = ${line}::uuid
    )
    select 1 from k`.execute(writer)
  return result.rows.length > 0
}

/** @returns the line as it was; `kept` if its invoice is not a draft, undefined if there is no such line */
export async function deleteDraftItem(
  writer: Writer,
  merchantId: MerchantId,
  id: InvoiceItemId,
): Promise<Guarded<FoundItem | 'kept' | undefined>> {
  const line = uuidOf(id)
  const result = await sql<{ open: boolean; invoice: HeadingRow | null; item: ItemRow | null }>`
    with client as (${clientStatus(merchantId)}),
    held as materialized (
      select ${columnsOf('v', headingColumns)} from invoices v, client
      where client.open and v.merchant_id = ${merchantId} and v.id = (
        select i.invoice_id from invoice_items i where i.merchant_id = ${merchantId} and i.id = ${line}::uuid)
      for update of v
    ),
    gone as (
      delete from invoice_items i using held
      where held.status = 'draft' and i.merchant_id = held.merchant_id and i.id = ${line}::uuid
      returning ${columnsOf('i', itemColumns)}
    ),
    v as (
      update invoices v set total = v.total - gone.amount, line_count = v.line_count - 1,
        item_bytes = v.item_bytes - gone.bytes, revision = v.revision + 1
      from gone, held where v.merchant_id = held.merchant_id and v.id = held.id
    )
    select client.open, (select to_json(held) from held) as invoice, (select to_json(gone) from gone) as item
    from client`.execute(writer)
  const { open = false, invoice = null, item = null } = result.rows[0] ?? {}
  return { open, found: removedOf(invoice, item) }
}

function removedOf(invoice: HeadingRow | null, item: ItemRow | null): FoundItem | 'kept' | undefined {
  if (invoice === null) return undefined
  if (item !== null) return { item: itemOf(item), invoice: headingOf(invoice) }
  return invoice.status === 'draft' ? undefined : 'kept'
}
