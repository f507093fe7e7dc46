import { liveRail } from '@merchant-payments/payer-client/form/facts'
import { words } from '../words/index.ts'
import type { ScreenProps } from './later-body.tsx'
import { WayOut } from './way-out.tsx'

/** Money may be on its way, so it has no link to the shop, whose page might take a second order. */
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
    </>
  )
}
