import type { Screen } from '../checkout/screen.ts'
import type { Locale } from '../wire/types.ts'
import { words } from '../words/index.ts'

/** The heading of a screen, which is also what is announced when it comes. */
export function titleOf(screen: Screen, isLeaving: boolean, locale: Locale): string {
  const say = words[locale]
  switch (screen.name) {
    case 'loading':
    case 'form':
      return say.payTitle
    case 'unreadable':
      return screen.trouble === 'not_found' ? say.lostTitle : say.unreadableTitle
    case 'unsure':
      return say.unsureTitle
    case 'approve':
      return say.approveTitle
    case 'at_rail':
      return (isLeaving ? say.leavingTitle : say.atRailTitle)(screen.rail.name[locale])
    case 'pending':
      return say.pendingTitle
    case 'declined':
      return say.declinedTitle
    case 'succeeded':
      return say.succeededTitle
    case 'canceled':
      return say.canceledTitle
    case 'expired':
      return say.expiredTitle
  }
}
