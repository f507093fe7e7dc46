import { type Facts, isPaid, liveRail } from './facts.ts'
import { formWords } from './words/index.ts'
import { type Locale, textIn } from './words/languages.ts'
import { unbroken } from './words/unbroken.ts'

/**
 * After a late success of an earlier charge: the warning not to confirm the request that a later press has opened,
 * which nobody can withdraw (spec 3.1.1). Null if none is open.
 */
export function openRequestText(facts: Facts, locale: Locale): string | null {
  const { session } = facts
  const charge = session?.payment_intent.live_charge
  if (session === null || charge == null || !isPaid(facts)) return null
  const say = formWords[locale]
  const rail = liveRail(session)
  if (rail?.flow === 'redirect') return say.openRequest(say.atRailPage(textIn(rail.name, locale)))
  const { payer_number: number } = charge
  return say.openRequest(number == null ? say.atPhone : say.atNumber(unbroken(number)))
}
