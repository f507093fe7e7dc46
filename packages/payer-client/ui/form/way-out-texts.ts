import type { Wish } from './attempt.ts'
import { payerNumber } from './payer-number.ts'
import type { Facts } from './facts.ts'
import type { BrowserSession, RailOffer } from './types.ts'
import { formWords } from './words/index.ts'
import { type Locale, textIn } from './words/languages.ts'
import { timeText } from './words/time.ts'

/** What a payer may want once the charge under way has ended, each with the text of its button. */
export function wishesOf(
  { rails }: BrowserSession,
  rail: RailOffer | null,
  locale: Locale,
): readonly (readonly [Wish, string])[] {
  const say = formWords[locale]
  return [
    ...(rail?.instrument === 'msisdn' ? ([['other_number', say.wrongNumber]] as const) : []),
    ...(rails.length > 1 ? ([['other_way', say.otherWay]] as const) : []),
  ]
}

/** Why the payer has to wait, until when, and how to end the charge sooner (spec 3.1.1). */
export function wayOutTexts(
  session: BrowserSession,
  rail: RailOffer | null,
  facts: Facts,
  leftSec: number | null,
  locale: Locale,
): readonly string[] {
  const say = formWords[locale]
  const texts = [cannotBeWithdrawn(rail, facts, locale), endOf(session, leftSec, locale)]
  if (rail === null) return texts
  return [...texts, rail.flow === 'push' ? say.refuseOnPhone : say.refuseAtRail(textIn(rail.name, locale))]
}

function cannotBeWithdrawn(rail: RailOffer | null, facts: Facts, locale: Locale): string {
  const say = formWords[locale]
  if (rail?.flow === 'redirect') return say.atRailStays(textIn(rail.name, locale))
  const number = payerNumber(facts)
  return number === null ? say.requestStays : say.requestStaysAt(number)
}

function endOf({ payment_intent: intent }: BrowserSession, leftSec: number | null, locale: Locale): string {
  const say = formWords[locale]
  const approveBy = intent.live_charge?.approve_by
  if (approveBy === undefined || leftSec === null || leftSec === 0) return say.goesOnAfterAnswer
  return say.goesOnAt(timeText(approveBy * 1_000, locale), Math.floor(leftSec / 60), leftSec % 60)
}
