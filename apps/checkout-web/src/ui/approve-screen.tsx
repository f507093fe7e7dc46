import { words } from '../words/index.ts'
import { payerNumber } from '@merchant-payments/payer-client/form/payer-number'
import { textIn } from '@merchant-payments/payer-client/form/words/languages'
import { timeText } from '@merchant-payments/payer-client/form/words/time'
import { DialHelp } from './dial-help.tsx'
import type { ScreenProps } from './later-body.tsx'
import { WayOut } from './way-out.tsx'

/** Waits for approval on the handset. It has no control that could prompt the payer again. */
export function ApproveScreen(props: ScreenProps<'approve'>) {
  const { screen, time, facts, leftSec, checkout, locale } = props
  const say = words[locale]
  const { rail, session } = screen
  const number = payerNumber(facts)
  const approveBy = session.payment_intent.live_charge?.approve_by
  const payee = rail?.prompt?.payee_name ?? null
  return (
    <>
      <div className="wait">
        {rail !== null && <p>{say.approveStep(textIn(rail.name, locale))}</p>}
        {number !== null && <p>{say.approveNumber(number)}</p>}
        {payee !== null && <p>{say.approvePayee(payee)}</p>}
        {approveBy !== undefined && <p>{say.approveBy(timeText(approveBy * 1_000, locale))}</p>}
        {time?.secondsLeft != null && (
          <p role="timer" className="timer">
            {say.timeLeft(Math.floor(time.secondsLeft / 60), time.secondsLeft % 60)}
          </p>
        )}
        {time?.isOver === true && <p className="strong">{say.goesOnAfterAnswer}</p>}
      </div>
      {time?.isHelpShown === true && rail !== null && <DialHelp rail={rail} locale={locale} />}
      {time?.isSlow === true && (
        <>
          <p className="wait strong">{say.slow}</p>
          <button type="button" className="plain" onClick={() => void checkout.look()}>
            {say.checkNow}
          </button>
        </>
      )}
      <WayOut {...{ session, rail, facts, leftSec, checkout, locale }} />
      <p className="note">
        {say.updates} {say.mayClose}
      </p>
    </>
  )
}
