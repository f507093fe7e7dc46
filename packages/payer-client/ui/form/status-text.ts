import { type Facts, isPaid } from './facts.ts'
import type { FormWords } from './words/words.ts'
import type { ApprovalTime } from './approval-time.ts'

/**
 * The text that a screen reader announces: the newest change, each only once. `title` is the screen's, or the warning
 * that stands in its place.
 */
export function statusText(facts: Facts, title: string, time: ApprovalTime | null, say: FormWords): string {
  if (!facts.online) return say.offline
  if (isPaid(facts)) return title
  if (facts.confirm === 'sending') return say.sending
  if (facts.session !== null && facts.trouble !== null) return say.noAnswer
  if (time?.spokenSecondsLeft != null) return say.timeLeftSpoken(time.spokenSecondsLeft)
  if (time?.isSlow === true) return say.slow
  if (facts.notice === 'free_again') return say.freeAgain
  return time?.isHelpShown === true ? say.noPromptTitle : title
}
