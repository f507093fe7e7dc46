import type { Checkout } from '@merchant-payments/payer-client/form/checkout'
import type { Facts } from '@merchant-payments/payer-client/form/facts'
import { type Screen, wasCharged } from '@merchant-payments/payer-client/form/screen'
import type { Locale } from '@merchant-payments/payer-client/form/words/languages'
import { words } from '../words/index.ts'
import type { ApprovalTime } from '@merchant-payments/payer-client/form/approval-time'
import { FormScreen } from './form-screen.tsx'
import { ShopLink } from './shop-link.tsx'
import { useLaterBody } from './use-later-body.ts'

export interface BodyProps {
  readonly screen: Screen
  readonly facts: Facts
  readonly time: ApprovalTime | null
  /** Seconds until the payer's time on the rail ends. */
  readonly leftSec: number | null
  readonly checkout: Checkout
  readonly locale: Locale
}

export function Body(props: BodyProps) {
  const { screen, facts, checkout, locale } = props
  const say = words[locale]
  const LaterBody = useLaterBody(screen.name)
  switch (screen.name) {
    case 'loading':
      return null
    case 'unreadable':
      return (
        <>
          <p>{screen.trouble === 'no_answer' ? say.unreadableText : say.lostText}</p>
          {screen.trouble !== 'incomplete' && <LookButton checkout={checkout} text={say.retry} />}
        </>
      )
    case 'form':
      return <FormScreen session={screen.session} facts={facts} checkout={checkout} locale={locale} />
    case 'unsure':
      return (
        <>
          <p className="wait">{say.unsureText}</p>
          <LookButton checkout={checkout} text={say.checkNow} />
        </>
      )
    case 'canceled':
      return (
        <>
          <p>{say.canceledText(screen.session.merchant.name)}</p>
          <ShopLink session={screen.session} locale={locale} />
        </>
      )
    case 'expired':
      return (
        <>
          {wasCharged(facts) && <p className="wait">{say.declineWatch}</p>}
          <p>{say.expiredText(screen.session.merchant.name)}</p>
          <ShopLink session={screen.session} locale={locale} />
        </>
      )
    case 'no_more_tries':
      return (
        <>
          <p>{say.noMoreTriesText(screen.session.merchant.name)}</p>
          <ShopLink session={screen.session} locale={locale} />
        </>
      )
    case 'approve':
    case 'at_rail':
    case 'pending':
    case 'declined':
    case 'succeeded':
      // The heading shows the essentials while the script loads.
      return LaterBody === null ? null : <LaterBody {...props} screen={screen} />
  }
}

function LookButton({ checkout, text }: { readonly checkout: Checkout; readonly text: string }) {
  return (
    <button type="button" onClick={() => void checkout.look()}>
      {text}
    </button>
  )
}
