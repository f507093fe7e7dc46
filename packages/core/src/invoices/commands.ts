import { type Currency, type DeletedInvoice, Refusal } from '@merchant-payments/contract'
import { DAY_MS } from '../base/clock.ts'
import type { Deps } from '../deps.ts'
import { clientDisabled } from '../base/client-status.ts'
import { settleRefusal } from '../commit/answers.ts'
import { answerOnce, orRefusal } from '../commit/answer-once.ts'
import { untilWritten } from '../commit/until-written.ts'
import { createOnce, noCustomerOfBody } from '../commit/create-once.ts'
import { type Answer, type KeyClaim, okAnswer } from '../commit/key.ts'
import { type MerchantId, mintId, parseId } from '../base/ids.ts'
import { mergeMetadata, type Metadata } from '../base/metadata.ts'
import { unknownRail } from '../payment-intents/refusals.ts'
import type { RailCode, Rails } from '../rails/port.ts'
import { type Invoice, invoiceEventOf } from './invoice.ts'
import { getWhole } from './queries.ts'
import { invoiceNotDraft, noSuchInvoice } from './refusals.ts'
import { renderInvoice } from './render.ts'
import { newInvoices } from './insertions.ts'
import { deleteDraft, writeInvoice } from './store.ts'
import {
  hasPlainChange,
  changePlain,
  type PlainChanges,
  type PlainFields,
  plainInvoiceFields,
} from './plain-fields.ts'

type InvoiceDeps = Pick<Deps, 'db' | 'clock' | 'rails' | 'deployment'>
type CreateDeps = InvoiceDeps & Pick<Deps, 'writes'>

interface CreateInvoice extends Due, PlainFields {
  readonly customer: string
  readonly currency: Currency
  readonly paymentMethodTypes: readonly string[]
  readonly metadata: Metadata
}

interface Due {
  readonly dueDateSec: number | null | undefined
  readonly daysUntilDue: number | undefined
}

function dueAtMs({ dueDateSec, daysUntilDue }: Due, beforeMs: number | null, nowMs: number): number | null {
  if (daysUntilDue !== undefined) return nowMs + daysUntilDue * DAY_MS
  if (dueDateSec === undefined) return beforeMs
  return dueDateSec === null ? null : dueDateSec * 1_000
}

export async function createInvoice(
  deps: CreateDeps,
  claim: KeyClaim,
  wanted: CreateInvoice,
): Promise<Answer> {
  const nowMs = deps.clock()
  const invoice = orRefusal(() => draftOf(deps, claim.merchantId, wanted, nowMs))
  if (invoice instanceof Refusal) return settleRefusal(deps.db, claim, invoice, nowMs)
  const event = invoiceEventOf('invoice.created', invoice, nowMs)
  return createOnce(deps, newInvoices, {
    claim,
    invoice,
    event,
    answer: okAnswer(claim, renderInvoice(invoice, [])),
    nowMs,
  })
}

function draftOf(
  { rails, deployment }: InvoiceDeps,
  merchantId: MerchantId,
  wanted: CreateInvoice,
  nowMs: number,
): Invoice<'draft'> {
  const due = dueAtMs(wanted, null, nowMs)
  const paymentMethodTypes = railsOf(rails, wanted.paymentMethodTypes)
  const customerId = parseId('cus', wanted.customer)
  // After all other parameters, as for an unknown id.
  if (customerId === null) throw noCustomerOfBody()
  return {
    merchantId,
    id: mintId('in', nowMs),
    status: 'draft',
    number: null,
    customerId,
    currency: wanted.currency,
    totalMinor: 0,
    lineCount: 0,
    ...plainInvoiceFields(wanted),
    dueAtMs: due,
    intentId: null,
    paymentMethodTypes,
    metadata: wanted.metadata,
    livemode: deployment.livemode,
    finalizedAtMs: null,
    paidAtMs: null,
    voidedAtMs: null,
    markedUncollectibleAtMs: null,
    revision: 0,
  }
}

interface InvoiceChanges extends Due, PlainChanges {
  readonly paymentMethodTypes: readonly string[] | null | undefined
  readonly metadata: Metadata | null | undefined
}

/** Finalizing fixes what an invoice bills, but not its description and metadata. Writes no event (spec 6.1). */
export function updateInvoice(
  deps: InvoiceDeps,
  claim: KeyClaim,
  idText: string,
  changes: InvoiceChanges,
): Promise<Answer> {
  return answerOnce(deps, claim, {
    table: 'invoices',
    idText,
    read: (db) => getWhole(db, claim, idText),
    write: async ({ writer }, { invoice: before, items }, nowMs) => {
      const after = changed(deps, before, changes, nowMs)
      const answer = okAnswer(claim, renderInvoice(after, items))
      const change = { before, after, event: null }
      return writeInvoice(writer, claim, { change, intent: null, answer }, nowMs)
    },
  })
}

function changed({ rails }: InvoiceDeps, before: Invoice, changes: InvoiceChanges, nowMs: number): Invoice {
  const { dueDateSec, daysUntilDue, paymentMethodTypes } = changes
  const terms = [dueDateSec, daysUntilDue, paymentMethodTypes]
  const changesTerms = terms.some((term) => term !== undefined)
  if (before.status !== 'draft' && changesTerms) throw invoiceNotDraft()
  const changesOwn = hasPlainChange(changes) || changes.metadata !== undefined
  if (!changesTerms && !changesOwn) return before
  return {
    ...before,
    ...changePlain(before, changes),
    dueAtMs: dueAtMs(changes, before.dueAtMs, nowMs),
    paymentMethodTypes:
      paymentMethodTypes === undefined ? before.paymentMethodTypes : railsOf(rails, paymentMethodTypes ?? []),
    metadata: mergeMetadata(before.metadata, changes.metadata),
  }
}

function railsOf(rails: Rails, codes: readonly string[]): RailCode[] {
  const unknown = unknownRail(rails, codes)
  if (unknown !== null) throw unknown
  return [...new Set(codes)] as RailCode[]
}

/** Takes no Idempotency-Key and writes no event (spec 6.1). */
export async function deleteInvoice(
  deps: Pick<Deps, 'db' | 'clock'>,
  merchantId: MerchantId,
  idText: string,
): Promise<DeletedInvoice> {
  const id = parseId('in', idText)
  if (id === null) throw noSuchInvoice()
  const row = { table: 'invoices', merchantId, idText } as const
  return untilWritten<null, DeletedInvoice>(deps, row, {
    // The statement that deletes the draft reads it too.
    read: async () => null,
    write: async ({ writer }) => {
      const { open, found } = await deleteDraft(writer, merchantId, id)
      if (!open) throw clientDisabled()
      switch (found.kind) {
        case 'missing':
          throw noSuchInvoice()
        case 'kept':
          throw invoiceNotDraft()
        case 'deleted':
          return { ...renderInvoice(found.whole.invoice, found.whole.items), deleted: true }
        case 'raced':
          return null
      }
    },
  })
}
