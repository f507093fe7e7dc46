import type { RailOffer } from '@merchant-payments/payer-client/form/types'
import { type Locale, textIn } from '@merchant-payments/payer-client/form/words/languages'
import { words } from '../words/index.ts'
import { RailMark } from './rail-mark.tsx'
import type { OrderInput } from './use-order.ts'

export interface RailChoiceProps {
  readonly rails: readonly RailOffer[]
  readonly input: OrderInput
  readonly locale: Locale
}

/** The operators. The number proposes one, and the payer can choose another. */
export function RailChoice({ rails, input: { rail, choose, isProposed, other }, locale }: RailChoiceProps) {
  const say = words[locale]
  return (
    <fieldset>
      <legend>{say.railQuestion}</legend>
      {rails.map((offer) => (
        <label key={offer.code} className="choice">
          <input
            type="radio"
            name="rail"
            value={offer.code}
            checked={offer.code === rail?.code}
            onChange={() => choose(offer.code)}
          />
          <RailMark rail={offer} />
          {textIn(offer.name, locale)}
        </label>
      ))}
      <p className={other === null ? 'note' : 'note strong'} aria-live="polite">
        {isProposed && rail !== null && say.railProposed(textIn(rail.name, locale))}
        {other !== null &&
          rail !== null &&
          say.railDiffers(textIn(other.name, locale), textIn(rail.name, locale))}
      </p>
    </fieldset>
  )
}
