import { INVOICE_LINES_BYTES_MAX, INVOICE_LINES_MAX, type InvoiceStatus } from '@merchant-payments/contract'
import { forEachShape, instant, type InvoiceTable, statement, type Writer } from '@merchant-payments/db'
import { type Selectable, sql } from 'kysely'
import { columnsIn, columnsOf } from '../base/columns.ts'
import { clientStatus, type Guarded } from '../base/client-status.ts'
import { identityOfClaim, type KeyClaim, type NewAnswer } from '../commit/key.ts'
import { claimKey } from '../commit/claim-keys.ts'
import { claimReady, keyFields, keyRecord } from '../commit/key-effects.ts'
import { byKey, type LockPolicy, lockWait, skipped, skipping } from '../commit/lock-policy.ts'
import type { SharedWrite } from '../commit/writes.ts'
import { rowsJson } from '../base/rows-json.ts'
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

export interface NewItem {
  readonly claim: KeyClaim
  readonly item: InvoiceItem
  readonly invoice: Heading
  readonly answer: NewAnswer
  readonly nowMs: number
}

const NEW_ITEMS_MAX = 64

const insertStatement = forEachShape(({ ifLocked }: { readonly ifLocked: LockPolicy }) =>
  statement<{ readonly lines: string; readonly now: string }, { n: number; added: boolean }>(
    (value) => sql`
    with ready as materialized (
      select t.* from json_to_recordset(${value('lines')}::json) as t (${sql.raw(newItemRecord)})${lockWait(ifLocked)}
      cross join lateral (
        select from invoices v
        where v.merchant_id = t.merchant_id and v.id = t.invoice and v.status = 'draft'
          and v.line_count < ${sql.lit(INVOICE_LINES_MAX)}
          and v.item_bytes + t.bytes <= ${sql.lit(INVOICE_LINES_BYTES_MAX)}
        for update${skipping(ifLocked)}) v
    ),
    ${sql.join(claimReady(value('now')), sql`, `)},
    v as (
      update invoices v set total = v.total + ok.amount, line_count = v.line_count + 1,
        item_bytes = v.item_bytes + ok.bytes, revision = v.revision + 1
      from ok where v.merchant_id = ok.merchant_id and v.id = ok.invoice
    ),
    i as (
      insert into invoice_items
        (merchant_id, id, invoice_id, amount, unit_amount, quantity, description, metadata, bytes)
      select merchant_id, id, invoice, amount, unit_amount, quantity, description, metadata, bytes from ok
    )
    select r.n, ok.n is not null as added from ready r left join ok using (n)`,
  ),
)

const newItemRecord = `n integer, merchant_id text, id uuid, invoice uuid, amount integer, unit_amount integer,
  quantity integer, description text, metadata jsonb, bytes integer, ${keyRecord}`

/**
 * Adds lines to drafts, each with its answer. No two may be of one invoice or have one key. Locks the invoices, then
 * the keys, each in order.
 *
 * @returns for each, in order, whether it was added. It is not if its invoice is no longer a draft or has no room, or
 * if its key is taken. `skipped` if its invoice may be locked instead
 */
export async function insertItems(
  writer: Writer,
  items: readonly NewItem[],
  ifLocked: LockPolicy,
): Promise<(boolean | typeof skipped)[]> {
  if (items.length > NEW_ITEMS_MAX) throw new RangeError('too many new lines in one statement')
  const nowMs = Math.max(...items.map((one) => one.nowMs))
  const lines = items.map((one, n) => newItemRow(one, n)).sort(byInvoice)
  const rows = await insertStatement({ ifLocked })(writer, { lines: rowsJson(lines), now: instant(nowMs) })
  const found = new Map(rows.map(({ n, added }) => [n, added]))
  return items.map((_, n) => found.get(n) ?? (ifLocked === 'skip' ? skipped : false))
}

function newItemRow({ claim, item, invoice, answer, nowMs }: NewItem, n: number) {
  return {
    n,
    merchant_id: invoice.merchantId,
    id: uuidOf(item.id),
    invoice: uuidOf(invoice.id),
    amount: item.amountMinor,
    unit_amount: item.unitAmountMinor,
    quantity: item.quantity,
    description: item.description,
    metadata: item.metadata,
    bytes: item.bytes,
    ...keyFields({ kind: 'claim', claim, answer }, uuidOf(invoice.customerId), nowMs),
  }
}

const byInvoice = byKey((row: ReturnType<typeof newItemRow>) => [row.merchant_id, row.invoice])

export const newItems: SharedWrite<NewItem, boolean> = {
  write: insertItems,
  identitiesOf: ({ claim, invoice }) => [identityOfClaim(claim), invoice.id],
  ownerOf: ({ claim }) => claim.merchantId,
  itemsMax: NEW_ITEMS_MAX,
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
