import { notPayable } from '../payment-intents/refusals.ts'
import type { CommandDeps } from '../deps.ts'
import { answerOnce } from '../commit/answer-once.ts'
import { type Answer, type KeyClaim, okAnswer } from '../commit/key.ts'
import { getById } from '../reads/get-by-id.ts'
import { type Invoice, type InvoiceChange, moveInvoice } from './invoice.ts'
import {
  alreadyUncollectible,
  invoiceCharging,
  invoiceNotDraft,
  noSuchInvoice,
  notBillable,
} from './refusals.ts'
import { renderInvoice } from './render.ts'
import { findStanding, type Standing, writeInvoice } from './store.ts'

type MoveDeps = Pick<CommandDeps, 'db' | 'clock'>

/** docs/spec-gaps.md: an invoice bills no more than an intent can collect. */
const TOTAL_MINOR_MAX = 99_999_999

export const finalizeInvoice = (deps: MoveDeps, claim: KeyClaim, idText: string): Promise<Answer> =>
  move(deps, claim, idText, ({ invoice }, nowMs) => {
    if (invoice.status !== 'draft') throw invoiceNotDraft()
    if (invoice.lineCount === 0) throw notBillable('must not be empty')
    if (invoice.totalMinor < 1 || invoice.totalMinor > TOTAL_MINOR_MAX) {
      throw notBillable(`must add up to a total from 1 to ${TOTAL_MINOR_MAX}, in minor units`)
    }
    return moveInvoice(invoice, 'finalize', {}, nowMs)
  })

/** The invoice keeps its number, and its payment intent can no longer be confirmed. */
export const voidInvoice = (deps: MoveDeps, claim: KeyClaim, idText: string): Promise<Answer> =>
  move(deps, claim, idText, (standing, nowMs) =>
    moveInvoice<'open' | 'uncollectible', 'void'>(payable(standing), 'void', {}, nowMs),
  )

/** The payment intent stays as it is, so the invoice can still be paid. */
export const markInvoiceUncollectible = (deps: MoveDeps, claim: KeyClaim, idText: string): Promise<Answer> =>
  move(deps, claim, idText, (standing, nowMs) => {
    const invoice = payable(standing)
    if (invoice.status === 'uncollectible') throw alreadyUncollectible()
    return moveInvoice(invoice, 'mark_uncollectible', {}, nowMs)
  })

/**
 * @throws Refusal invoice_draft, invoice_paid, invoice_void, or charge_in_progress while a charge may still take
 * money
 */
export function payable({ invoice, charging }: Standing): Invoice<'open' | 'uncollectible'> {
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') throw notPayable(invoice.status)
  if (charging) throw invoiceCharging()
  return invoice
}

function move(
  deps: MoveDeps,
  claim: KeyClaim,
  idText: string,
  plan: (standing: Standing, nowMs: number) => InvoiceChange,
): Promise<Answer> {
  return answerOnce(deps, claim, {
    table: 'invoices',
    idText,
    read: (db) => getStanding(db, claim, idText),
    write: async ({ writer }, standing, nowMs) => {
      const change = plan(standing, nowMs)
      const answer = okAnswer(claim, renderInvoice(change.after, standing.items))
      return writeInvoice(writer, claim, { change, intent: null, answer }, nowMs)
    },
  })
}

export const getStanding = getById('in', findStanding, noSuchInvoice)
