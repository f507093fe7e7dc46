import type { Attempt } from '../checkout/attempt.ts'
import type { BrowserSession, Locale } from '../wire/types.ts'
import { amountText } from '../words/amount.ts'
import { words } from '../words/index.ts'
import { maskedNumber } from '../words/masked-number.ts'
import { dateText } from '../words/time.ts'
import { ShopLink } from './shop-link.tsx'

export interface SucceededScreenProps {
  readonly session: BrowserSession
  readonly attempt: Attempt | null
  readonly locale: Locale
}

/** The receipt, which prints as it is, and the way back to the shop. */
export function SucceededScreen({ session, attempt, locale }: SucceededScreenProps) {
  const say = words[locale]
  const intent = session.payment_intent
  const means = meansOf(session, attempt, locale)
  const rows = [
    [say.receiptMerchant, session.merchant.name],
    [say.receiptAmount, amountText(intent.amount, intent.currency, locale)],
    ...(means === null ? [] : [[say.receiptMeans, means]]),
    [say.receiptDate, dateText(intent.created * 1_000, locale)],
    [say.receiptReference, intent.id],
  ] as const
  return (
    <>
      <section className="receipt" aria-label={say.receiptTitle}>
        <dl>
          {rows.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      <ShopLink session={session} locale={locale} />
      <button type="button" className="plain" onClick={() => print()}>
        {say.print}
      </button>
    </>
  )
}

/** Null where another tab or device has paid and there was a choice of rails. */
function meansOf({ rails }: BrowserSession, attempt: Attempt | null, locale: Locale): string | null {
  const rail = rails.find(({ code }) => code === attempt?.rail) ?? (rails.length === 1 ? rails[0] : undefined)
  if (rail === undefined) return null
  const number = attempt?.msisdn
  return number == null ? rail.name[locale] : `${rail.name[locale]}, ${maskedNumber(number)}`
}
