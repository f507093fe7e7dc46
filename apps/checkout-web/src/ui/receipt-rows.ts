import type { Attempt } from '../checkout/attempt.ts'
import type { BrowserSession } from '../wire/types.ts'
import { type Locale, textIn } from '../words/languages.ts'
import { amountText } from '../words/amount.ts'
import { words } from '../words/index.ts'
import { maskedNumber } from '../words/masked-number.ts'
import { dateText } from '../words/time.ts'

export interface ReceiptRow {
  readonly name: string
  readonly value: string
}

/** The lines of a receipt. None has the link, its secret or a whole number, because receipts are sent on. */
export function receiptRows(
  session: BrowserSession,
  attempt: Attempt | null,
  locale: Locale,
): readonly ReceiptRow[] {
  const say = words[locale]
  const intent = session.payment_intent
  const paid = intent.succeeded_charge
  const rows: readonly (readonly [string, string | null])[] = [
    [say.receiptMerchant, session.merchant.name],
    [say.receiptOrder, intent.description],
    [say.receiptAmount, amountText(intent.amount, intent.currency, locale)],
    [say.receiptMeans, paid && meansOf(session, paid.payment_method_type, attempt, locale)],
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

/**
 * The rail and the number. Null if the deployment has since removed the rail. Only the tab that paid knows
 * the number.
 */
function meansOf(
  { rails }: BrowserSession,
  railCode: string,
  attempt: Attempt | null,
  locale: Locale,
): string | null {
  const rail = rails.find(({ code }) => code === railCode)
  if (rail === undefined) return null
  const number = attempt?.rail === railCode ? attempt.msisdn : null
  return number === null ? textIn(rail.name, locale) : `${textIn(rail.name, locale)}, ${maskedNumber(number)}`
}
