import type { Screen } from './screen.ts'
import { type Locale, textIn } from './words/languages.ts'
import { formWords } from './words/index.ts'

/** The heading of a screen, which is also announced when the screen appears. */
export function titleOf(screen: Screen, isLeaving: boolean, locale: Locale): string {
  const say = formWords[locale]
  switch (screen.name) {
    case 'loading':
    case 'form':
      return say.payTitle
    case 'unreadable':
      return screen.trouble === 'no_answer' ? say.unreadableTitle : say.lostTitle
    case 'unsure':
      return say.unsureTitle
    case 'approve':
      return say.approveTitle
    case 'at_rail':
      return (isLeaving ? say.leavingTitle : say.atRailTitle)(textIn(screen.rail.name, locale))
    case 'pending':
      return say.pendingTitle
    case 'declined':
      return say.declinedTitle
    case 'no_more_tries':
      return say.noMoreTriesTitle
    case 'succeeded':
      return say.succeededTitle
    case 'canceled':
      return say.canceledTitle
    case 'expired':
      return say.expiredTitle
  }
}

/** The symbol above the heading. Screen readers skip it, because the heading says the same. */
export function markOf(name: Screen['name']): 'good' | 'bad' | 'over' | 'phone' | 'wait' | undefined {
  switch (name) {
    case 'succeeded':
      return 'good'
    case 'declined':
      return 'bad'
    case 'canceled':
    case 'expired':
    case 'no_more_tries':
    case 'unreadable':
      return 'over'
    case 'approve':
      return 'phone'
    case 'at_rail':
    case 'unsure':
    case 'pending':
      return 'wait'
    case 'loading':
    case 'form':
      return undefined
  }
}
