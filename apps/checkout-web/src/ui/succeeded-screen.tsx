import { words } from '../words/index.ts'
import type { ScreenProps } from './later-body.tsx'
import { ReceiptActions } from './receipt-actions.tsx'
import { receiptRows } from './receipt-rows.ts'
import { ShopLink } from './shop-link.tsx'

/** The receipt, laid out for printing, and the link back to the shop. */
export function SucceededScreen({ screen, locale }: ScreenProps<'succeeded'>) {
  const say = words[locale]
  const { session } = screen
  const rows = receiptRows(session, locale)
  return (
    <>
      <section className="receipt" aria-label={say.receiptTitle}>
        <dl>
          {rows.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      <ShopLink session={session} locale={locale} />
      <ReceiptActions rows={rows} locale={locale} />
    </>
  )
}
