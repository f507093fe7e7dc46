import type { BrowserSession } from '@merchant-payments/payer-client/form/types'
import type { Locale } from '@merchant-payments/payer-client/form/words/languages'
import { words } from '../words/index.ts'

export interface ShopLinkProps {
  readonly session: BrowserSession
  readonly locale: Locale
}

export function ShopLink({ session, locale }: ShopLinkProps) {
  const isPaid = session.payment_intent.status === 'succeeded'
  const address = (isPaid ? session.success_url : session.cancel_url) ?? session.return_url
  if (address === null || !/^https?:\/\//i.test(address)) return null
  return (
    <a className={isPaid ? 'button' : 'button quiet'} href={address} referrerPolicy="no-referrer">
      {words[locale].toShop(session.merchant.name)}
    </a>
  )
}
