import { hasEarlierNumber } from '@merchant-payments/payer-client/form/payer-number'
import { declineWords } from '@merchant-payments/payer-client/form/words/declines'
import { words } from '../words/index.ts'
import { withMaskedNumbers } from '@merchant-payments/payer-client/form/words/masked-number'
import type { ScreenProps } from './later-body.tsx'
import { ShopLink } from './shop-link.tsx'

export function DeclinedScreen({ screen, facts, checkout, locale }: ScreenProps<'declined'>) {
  const say = words[locale]
  const { error, session } = screen
  const { reason, advice } = declineWords(error.code, locale, session.merchant.name)
  const hasNumber = hasEarlierNumber(facts, session)
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
      {session.rails.length > 1 && (
        <button type="button" className="plain" onClick={() => checkout.tryAgain('other_way')}>
          {say.otherWay}
        </button>
      )}
      <ShopLink session={session} locale={locale} />
      <p className="note">{say.declineWatch}</p>
      {(error.message ?? error.decline_code) !== null && (
        <details>
          <summary>{say.railSays}</summary>
          {error.message !== null && <p lang="">{withMaskedNumbers(error.message)}</p>}
          {error.decline_code !== null && <p lang="">{withMaskedNumbers(error.decline_code)}</p>}
        </details>
      )}
    </>
  )
}
