import type { Checkout } from '../checkout/checkout.ts'
import type { Screen } from '../checkout/screen.ts'
import type { Locale } from '../wire/types.ts'
import { declineWords } from '../words/declines.ts'
import { words } from '../words/index.ts'

export interface DeclinedScreenProps {
  readonly screen: Extract<Screen, { name: 'declined' }>
  readonly checkout: Checkout
  readonly locale: Locale
}

export function DeclinedScreen({ screen, checkout, locale }: DeclinedScreenProps) {
  const say = words[locale]
  const { error, session } = screen
  const { reason, advice } = declineWords(error.code, locale)
  const rail = session.rails.find(({ code }) => code === error.payment_method_type)
  const hasNumber = rail?.instrument === 'msisdn'
  return (
    <>
      <p>
        <strong>{reason}</strong> {advice}
      </p>
      <button type="button" onClick={() => checkout.tryAgain('same_number')}>
        {hasNumber ? say.sameNumber : say.tryAgain}
      </button>
      {hasNumber && (
        <button type="button" className="plain" onClick={() => checkout.tryAgain('other_number')}>
          {say.otherNumber}
        </button>
      )}
      <p className="note">{say.declineWatch}</p>
      {(error.message ?? error.decline_code) !== null && (
        <details>
          <summary>{say.railSays}</summary>
          {error.message !== null && <p lang="">{error.message}</p>}
          {error.decline_code !== null && <p lang="">{error.decline_code}</p>}
        </details>
      )}
    </>
  )
}
