import type { BrowserSession, LastPaymentError, RailOffer } from './types.ts'
import { type Facts, isMoving, liveRail, type Trouble } from './facts.ts'
import type { Pace } from './pace.ts'

export type Screen =
  | { readonly name: 'loading' }
  | { readonly name: 'unreadable'; readonly trouble: Trouble }
  | { readonly name: 'form'; readonly session: BrowserSession }
  | { readonly name: 'unsure' }
  | { readonly name: 'approve'; readonly session: BrowserSession; readonly rail: RailOffer | null }
  | {
      readonly name: 'at_rail'
      readonly session: BrowserSession
      readonly rail: RailOffer
      readonly url: string
    }
  /** The approval window and a margin have passed, and the rail has not answered. */
  | { readonly name: 'pending'; readonly session: BrowserSession }
  | { readonly name: 'declined'; readonly session: BrowserSession; readonly error: LastPaymentError }
  /** The link accepts no more charges. Its present ones may still succeed. */
  | { readonly name: 'no_more_tries'; readonly session: BrowserSession }
  | { readonly name: 'succeeded'; readonly session: BrowserSession }
  | { readonly name: 'canceled'; readonly session: BrowserSession }
  | { readonly name: 'expired'; readonly session: BrowserSession }

export function screenOf(facts: Facts): Screen {
  const { session } = facts
  if (session === null) {
    if (facts.trouble === null) return { name: 'loading' }
    return facts.trouble === 'no_answer' && facts.confirm === 'unsure'
      ? { name: 'unsure' }
      : { name: 'unreadable', trouble: facts.trouble }
  }
  const intent = session.payment_intent
  if (intent.status === 'succeeded') return { name: 'succeeded', session }
  if (intent.status === 'canceled') return { name: 'canceled', session }
  if (isMoving(intent)) return movingScreen(facts, session)
  if (facts.confirm === 'unsure') return { name: 'unsure' }
  if (facts.confirm === 'sending') return { name: 'form', session }
  if (session.status === 'expired') return { name: 'expired', session }
  if (facts.notice === 'too_many_attempts') return { name: 'no_more_tries', session }
  const error = intent.last_payment_error
  if (error !== null && facts.declineSeen === null && facts.wish === null)
    return { name: 'declined', session, error }
  return { name: 'form', session }
}

function movingScreen({ isOverdue }: Facts, session: BrowserSession): Screen {
  if (isOverdue) return { name: 'pending', session }
  const rail = liveRail(session)
  const url = session.payment_intent.next_action?.redirect_to_url.url
  if (rail?.flow !== 'redirect') return { name: 'approve', session, rail }
  // The charge was submitted, and the address of the rail's page is not known yet.
  return url === undefined ? { name: 'unsure' } : { name: 'at_rail', session, rail, url }
}

/**
 * How often the session is read while its screen is shown. Only success is final: even a canceled payment may
 * still succeed. After a late success a later request may be open, of which the payer is warned until it ends.
 */
export function paceOf(facts: Facts): Pace {
  switch (screenOf(facts).name) {
    case 'succeeded':
      return facts.session?.payment_intent.live_charge == null ? 'never' : 'watch'
    case 'unreadable':
      return facts.trouble === 'no_answer' ? 'soon' : 'few'
    case 'loading':
    case 'unsure':
      return 'soon'
    case 'approve':
    case 'at_rail':
      // The payer client, which follows the payment, could not be fetched.
      return facts.trouble === 'no_answer' ? 'watch' : 'soon'
    case 'form':
    case 'pending':
    case 'declined':
    case 'no_more_tries':
    case 'canceled':
    case 'expired':
      return mayStillSucceed(facts) ? 'watch' : 'slow'
  }
}

/** A charge may have been opened, here or on another device, so that its rail may still report a success. */
const mayStillSucceed = (facts: Facts): boolean =>
  facts.isLinkShared || facts.attempt !== null || wasCharged(facts)

/** The rail had a charge, and may still report its success. */
export function wasCharged({ session }: Facts): boolean {
  const intent = session?.payment_intent
  return intent?.live_charge != null || intent?.last_payment_error != null
}
