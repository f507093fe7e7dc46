import { useId } from 'react'
import type { Wish } from '../checkout/attempt.ts'
import type { Checkout } from '../checkout/checkout.ts'
import type { Facts } from '../checkout/facts.ts'
import type { BrowserSession, RailOffer } from '../wire/types.ts'
import { type Locale, textIn } from '../words/languages.ts'
import { words } from '../words/index.ts'
import { maskedNumber } from '../words/masked-number.ts'
import { timeText } from '../words/time.ts'

export interface WayOutProps {
  readonly session: BrowserSession
  readonly rail: RailOffer | null
  readonly facts: Facts
  /** Seconds until the rail's window ends. */
  readonly leftSec: number | null
  readonly checkout: Checkout
  readonly locale: Locale
}

/**
 * For a payer who wants another number or another rail. The charge under way cannot be withdrawn (spec 3.1.1),
 * so this says when it ends and how to end it sooner. The form appears by itself afterwards.
 */
export function WayOut({ session, rail, facts, leftSec, checkout, locale }: WayOutProps) {
  const say = words[locale]
  const id = useId()
  const { wish } = facts
  const wishes: readonly (readonly [Wish, string])[] = [
    ...(rail?.instrument === 'msisdn' ? ([['other_number', say.wrongNumber]] as const) : []),
    ...(session.rails.length > 1 ? ([['other_way', say.otherWay]] as const) : []),
  ]
  return (
    <>
      {wishes.map(([name, text]) => (
        <button
          key={name}
          type="button"
          className="plain"
          aria-expanded={wish === name}
          aria-controls={id}
          onClick={() => checkout.wish(wish === name ? null : name)}
        >
          {text}
        </button>
      ))}
      <div id={id}>
        {wish !== null && (
          <div className="wait way-out">
            <p className="strong">{say.wishWarning}</p>
            <p>{cannotBeWithdrawn(rail, facts, locale)}</p>
            <p>{endOf(session, leftSec, locale)}</p>
            {rail !== null && (
              <p>{rail.flow === 'push' ? say.refuseOnPhone : say.refuseAtRail(textIn(rail.name, locale))}</p>
            )}
          </div>
        )}
      </div>
    </>
  )
}

function cannotBeWithdrawn(rail: RailOffer | null, { attempt }: Facts, locale: Locale): string {
  const say = words[locale]
  if (rail?.flow === 'redirect') return say.atRailStays(textIn(rail.name, locale))
  const number = attempt?.msisdn ?? null
  return number === null ? say.requestStays : say.requestStaysAt(maskedNumber(number))
}

function endOf({ payment_intent: intent }: BrowserSession, leftSec: number | null, locale: Locale): string {
  const say = words[locale]
  const approveBy = intent.live_charge?.approve_by
  if (approveBy === undefined || leftSec === null || leftSec === 0) return say.goesOnAfterAnswer
  return say.goesOnAt(timeText(approveBy * 1_000, locale), Math.floor(leftSec / 60), leftSec % 60)
}
