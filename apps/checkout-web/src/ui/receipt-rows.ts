import type { BrowserSession } from '@merchant-payments/payer-client/form/types'
import { type Locale, textIn } from '@merchant-payments/payer-client/form/words/languages'
import { amountText } from '@merchant-payments/payer-client/form/words/amount'
import { words } from '../words/index.ts'
import { unbroken } from '@merchant-payments/payer-client/form/words/unbroken'
import { dateText } from '@merchant-payments/payer-client/form/words/time'

export interface ReceiptRow {
  readonly name: string
  readonly value: string
}

/**
 * The lines of a receipt. None has the link, its secret or a whole number, because receipts are sent on. The API masks
 * both numbers.
 */
export function receiptRows(session: BrowserSession, locale: Locale): readonly ReceiptRow[] {
  const say = words[locale]
  const intent = session.payment_intent
  const paid = intent.succeeded_charge
  const rows: readonly (readonly [string, string | null])[] = [
    [say.receiptMerchant, session.merchant.name],
    [say.receiptOrder, intent.description],
    [say.receiptAmount, amountText(intent.amount, intent.currency, locale)],
    [say.receiptMeans, paid && meansOf(session, paid.payment_method_type, locale)],
    [say.receiptPayer, shown(paid?.payer_number)],
    [say.receiptPayee, shown(paid?.payee_number)],
    [say.receiptDate, paid && dateText(paid.succeeded_at * 1_000, locale)],
    [say.receiptTransaction, paid?.rail_txn_id ?? null],
    [say.receiptReference, shortReference(intent.id)],
  ]
  return rows.flatMap(([name, value]) => (value === null ? [] : [{ name, value }]))
}

/** The text of a receipt for a message. */
export const receiptText = (title: string, rows: readonly ReceiptRow[]): string =>
  [title, ...rows.map(({ name, value }) => `${name} : ${value}`)].join('\n')

const SHOWN_DIGITS = 8

/** The end of the id, by which the shop's staff find the payment: `2222 2222`. */
const shortReference = (id: string): string =>
  id
    .slice(-SHOWN_DIGITS)
    .toUpperCase()
    .replace(/(.{4})(?=.)/g, '$1\u00a0')

const shown = (number: string | null | undefined): string | null => (number == null ? null : unbroken(number))

/** Null if the deployment has since removed the rail. */
function meansOf({ rails }: BrowserSession, railCode: string, locale: Locale): string | null {
  const rail = rails.find(({ code }) => code === railCode)
  return rail === undefined ? null : textIn(rail.name, locale)
}
