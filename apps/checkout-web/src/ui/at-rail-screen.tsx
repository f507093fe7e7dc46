import { hostOf } from '@merchant-payments/payer-client/form/host-of'
import { Fragment } from 'react'
import { words } from '../words/index.ts'
import { textIn } from '@merchant-payments/payer-client/form/words/languages'
import { timeText } from '@merchant-payments/payer-client/form/words/time'
import type { ScreenProps } from './later-body.tsx'
import { WayOut } from './way-out.tsx'

/**
 * The payer is at the rail's page or has returned. The browser's return proves nothing about the payment
 * (spec 4.6).
 */
export function AtRailScreen({ screen, facts, leftSec, checkout, locale }: ScreenProps<'at_rail'>) {
  const say = words[locale]
  const { rail, session, url } = screen
  const approveBy = session.payment_intent.live_charge?.approve_by
  return (
    <>
      <p className="wait">{say.atRailWatching}</p>
      <p>{say.atRailText(textIn(rail.name, locale))}</p>
      {approveBy !== undefined && <p>{say.approveBy(timeText(approveBy * 1_000, locale))}</p>}
      <button type="button" onClick={() => checkout.leaveFor(url)}>
        {breakable(say.toRail(hostOf(url)))}
      </button>
      <button type="button" className="plain" onClick={() => void checkout.look()}>
        {say.checkNow}
      </button>
      <WayOut {...{ session, rail, facts, leftSec, checkout, locale }} />
      <p className="note">
        {say.updates} {say.mayClose}
      </p>
    </>
  )
}

/** Allows a line break before each dot of a long host. */
const breakable = (text: string) =>
  text.split('.').map((part, index) => (
    <Fragment key={index}>
      {index > 0 && (
        <>
          <wbr />.
        </>
      )}
      {part}
    </Fragment>
  ))
