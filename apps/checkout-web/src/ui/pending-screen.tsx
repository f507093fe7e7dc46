import { liveRail } from '@merchant-payments/payer-client/form/facts'
import { words } from '../words/index.ts'
import type { ScreenProps } from './later-body.tsx'
import { ShopLink } from './shop-link.tsx'
import { WayOut } from './way-out.tsx'

export function PendingScreen({ screen, facts, leftSec, checkout, locale }: ScreenProps<'pending'>) {
  const say = words[locale]
  const { session } = screen
  return (
    <>
      <p>{say.pendingText(session.merchant.name)}</p>
      <button type="button" onClick={() => void checkout.waitOn()}>
        {say.waitOn}
      </button>
      <WayOut {...{ session, facts, leftSec, checkout, locale }} rail={liveRail(session)} />
      <ShopLink session={session} locale={locale} />
    </>
  )
}
