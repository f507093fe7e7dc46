import type { Attempt } from '../checkout/attempt.ts'
import type { BrowserSession, Locale } from '../wire/types.ts'
import { amountText } from '../words/amount.ts'
import { words } from '../words/index.ts'
import { maskedNumber } from '../words/masked-number.ts'
import { dateText } from '../words/time.ts'
import type { ScreenProps } from './later-body.tsx'
import { ShopLink } from './shop-link.tsx'

/** The receipt, laid out for printing, and the link back to the shop. */
export function SucceededScreen({
  screen: { session },
  facts: { attempt },
  locale,
}: ScreenProps<'succeeded'>) {
  const say = words[locale]
  const intent = session.payment_intent
  const paid = intent.succeeded_charge
  const means = paid && meansOf(session, paid.payment_method_type, attempt, locale)
  const rows = [
    [say.receiptMerchant, session.merchant.name],
    [say.receiptAmount, amountText(intent.amount, intent.currency, locale)],
    [say.receiptMeans, means],
    [say.receiptDate, paid && dateText(paid.succeeded_at * 1_000, locale)],
    [say.receiptReference, intent.id],
  ] as const
  return (
    <>
      <section className="receipt" aria-label={say.receiptTitle}>
        <dl>
          {rows.map(
            ([name, value]) =>
              value !== null && (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd className={value === intent.id ? 'reference' : undefined}>{value}</dd>
                </div>
              ),
          )}
        </dl>
      </section>
      <ShopLink session={session} locale={locale} />
      <button type="button" className="plain" onClick={() => print()}>
        {say.print}
      </button>
    </>
  )
}

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
  return number === null ? rail.name[locale] : `${rail.name[locale]}, ${maskedNumber(number)}`
}
