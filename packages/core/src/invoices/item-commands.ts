import {
  type Currency,
  type DeletedInvoiceItem,
  INVOICE_LINES_BYTES_MAX,
  INVOICE_LINES_MAX,
  type InvoiceItem as WireItem,
  Refusal,
} from '@merchant-payments/contract'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import { answerOnce } from '../commit/answer-once.ts'
import { type Answer, type KeyClaim, okAnswer } from '../commit/key.ts'
import { type MerchantId, mintId, parseId } from '../base/ids.ts'
import { invoiceNotDraft, noInvoiceOfBody, noSuchItem } from './refusals.ts'
import { getById } from '../reads/get-by-id.ts'
import { mergeMetadata, type Metadata } from '../base/metadata.ts'
import { type InvoiceItem, type Price, priceOf, type SentPrice } from './item.ts'
import { measured, renderInvoiceItem } from './item-render.ts'
import {
  deleteDraftItem,
  findHeading,
  findItem,
  type Heading,
  insertItems,
  newItems,
  writeItem,
} from './item-store.ts'

type ItemDeps = Pick<Deps, 'db' | 'clock'>
type CreateItemDeps = ItemDeps & Pick<Deps, 'writes'>

interface CreateItem extends SentPrice {
  readonly invoice: string
  readonly customer: string | null
  readonly currency: Currency | undefined
  readonly description: string | null
  readonly metadata: Metadata
}

/** Writes no event: none of the fifteen types is about a line (spec 6.1). */
export function createInvoiceItem(
  deps: CreateItemDeps,
  claim: KeyClaim,
  wanted: CreateItem,
): Promise<Answer> {
  return answerOnce(deps, claim, {
    table: 'invoices',
    idText: wanted.invoice,
    read: (db) => getHeading(db, claim, wanted.invoice),
    write: async (session, invoice, nowMs) => {
      judgeNewItem(invoice, wanted)
      const price = priceOf(wanted, noPrice)
      if (price instanceof Refusal) throw price
      const { description, metadata } = wanted
      const id = mintId('ii', nowMs)
      const item = measured({ id, ...price, description, metadata, revision: 0 }, invoice)
      if (invoice.itemBytes + item.bytes > INVOICE_LINES_BYTES_MAX) throw noRoom('invoice')
      const answer = okAnswer(claim, renderInvoiceItem(item, invoice))
      const line = { claim, item, invoice, answer, nowMs }
      // A transaction that holds the invoice adds the line itself.
      const isAdded =
        session === deps.db
          ? await deps.writes.together(newItems, line)
          : (await insertItems(session.writer, [line], 'wait'))[0]
      return isAdded === true ? answer : null
    },
  })
}

const noPrice: Omit<Price, 'amountMinor'> = { unitAmountMinor: 0, quantity: 1 }

const getHeading = getById('in', findHeading, noInvoiceOfBody)

function judgeNewItem(invoice: Heading, wanted: CreateItem): void {
  if (wanted.customer !== null && wanted.customer !== invoice.customerId) throw differs('customer')
  if (wanted.currency !== undefined && wanted.currency !== invoice.currency) throw differs('currency')
  if (invoice.status !== 'draft') throw invoiceNotDraft()
  if (invoice.lineCount >= INVOICE_LINES_MAX) {
    const message = `has ${INVOICE_LINES_MAX} lines, which is as many as an invoice can have`
    throw new Refusal('invalid_request', message, { param: 'invoice' })
  }
}

const differs = (param: 'customer' | 'currency') =>
  new Refusal('invalid_request', `must be the ${param} of the invoice`, { param })

const noRoom = (param: string) =>
  new Refusal(
    'invalid_request',
    `leaves no room: the lines of an invoice have at most ${INVOICE_LINES_BYTES_MAX} bytes of JSON together. Shorten descriptions or metadata, or bill the rest on another invoice.`,
    { param },
  )

interface ItemChanges extends SentPrice {
  readonly description: string | null | undefined
  readonly metadata: Metadata | null | undefined
}

export function updateInvoiceItem(
  deps: ItemDeps,
  claim: KeyClaim,
  idText: string,
  changes: ItemChanges,
): Promise<Answer> {
  return answerOnce(deps, claim, {
    table: 'invoice_items',
    idText,
    read: (db) => getItem(db, claim, idText),
    write: async ({ writer }, { item: before, invoice }, nowMs) => {
      if (invoice.status !== 'draft') throw invoiceNotDraft()
      const price = priceOf(changes, before)
      if (price instanceof Refusal) throw price
      const description = changes.description === undefined ? before.description : changes.description
      const metadata = mergeMetadata(before.metadata, changes.metadata)
      const after = measured({ ...before, ...price, description, metadata }, invoice)
      const moreBytes = after.bytes - before.bytes
      if (moreBytes > 0 && invoice.itemBytes + moreBytes > INVOICE_LINES_BYTES_MAX)
        throw noRoom(grownBy(changes, before))
      const answer = okAnswer(claim, renderInvoiceItem(after, invoice))
      return (await writeItem(writer, claim, { before, after }, invoice, answer, nowMs)) ? answer : null
    },
  })
}

/** Names a price last, because it takes only a few bytes. */
function grownBy(changes: ItemChanges, before: InvoiceItem): string {
  const { metadata, description, amountMinor, unitAmountMinor } = changes
  if (metadata && sizeOf(mergeMetadata(before.metadata, metadata)) > sizeOf(before.metadata))
    return 'metadata'
  if (description && sizeOf(description) > sizeOf(before.description)) return 'description'
  if (amountMinor !== undefined) return 'amount'
  return unitAmountMinor === undefined ? 'quantity' : 'unit_amount'
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

const getItem = getById('ii', findItem, noSuchItem)

export async function getInvoiceItem(
  { db }: Pick<Deps, 'db'>,
  merchantId: MerchantId,
  idText: string,
): Promise<WireItem> {
  const { item, invoice } = await getItem(db, { merchantId }, idText)
  return renderInvoiceItem(item, invoice)
}

export async function deleteInvoiceItem(
  { db }: Pick<Deps, 'db'>,
  merchantId: MerchantId,
  idText: string,
): Promise<DeletedInvoiceItem> {
  const id = parseId('ii', idText)
  if (id === null) throw noSuchItem()
  const { open, found } = await deleteDraftItem(db.writer, merchantId, id)
  if (!open) throw clientDisabled()
  if (found === undefined) throw noSuchItem()
  if (found === 'kept') throw invoiceNotDraft()
  return { ...renderInvoiceItem(found.item, found.invoice), deleted: true }
}
