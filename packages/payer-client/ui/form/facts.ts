import type { BrowserIntent, BrowserSession, RailOffer } from './types.ts'
import type { Attempt, Wish } from './attempt.ts'

/** What the page knows. `screenOf` derives the screen from these facts alone. */
export interface Facts {
  readonly session: BrowserSession | null
  readonly trouble: Trouble | null
  readonly confirm: Confirming
  /** The refusal that was known before an order of which only a mark is left after a reload. */
  readonly refusalBefore: string | null
  /** The present or last run of the payer client has sent an order. */
  readonly isSent: boolean
  readonly notice: Notice | null
  /** Set once the payer has dismissed the current decline: how to try again. */
  readonly declineSeen: 'same_number' | Wish | null
  /** What the payer wants to do once the charge under way has ended. */
  readonly wish: Wish | null
  readonly attempt: Attempt | null
  /** The number as the payer has typed it so far. */
  readonly number: string
  /** The rail's approval window ended long ago, and the rail has not reported a result. */
  readonly isOverdue: boolean
  /** The page shows its link for another device. */
  readonly isLinkShared: boolean
  readonly online: boolean
}

export type Trouble = 'no_answer' | 'not_found' | 'incomplete'

/** unsure: sent, without an answer, perhaps before a reload. leaving: on the way to the rail's page. */
type Confirming = 'idle' | 'sending' | 'unsure' | 'leaving'

export type Notice =
  | 'number_refused'
  | 'order_refused'
  | 'not_received'
  | 'start_again'
  | 'too_many_attempts'
  /** The charge that the payer did not want has ended without a payment. */
  | 'free_again'

export const factsAtStart = (online: boolean, refusalBefore: string | null = null): Facts => ({
  session: null,
  trouble: null,
  confirm: refusalBefore === null ? 'idle' : 'unsure',
  refusalBefore,
  isSent: false,
  notice: null,
  declineSeen: null,
  wish: null,
  attempt: null,
  number: '',
  isOverdue: false,
  isLinkShared: false,
  online,
})

export const isPaid = ({ session }: Facts): boolean => session?.payment_intent.status === 'succeeded'

/** A charge is under way, so the page must not start another. */
export const isMoving = ({ status, live_charge: charge }: BrowserIntent): boolean =>
  status === 'processing' || (status === 'requires_payment_method' && charge !== null)

/** The code of the refusal that the payer sees; empty without one. */
export const refusalOf = (session: BrowserSession | null): string =>
  session?.payment_intent.last_payment_error?.code ?? ''

/** The rail of the charge under way; null if the deployment has since removed it. */
export function liveRail({ rails, payment_intent: intent }: BrowserSession): RailOffer | null {
  const code = intent.live_charge?.payment_method_type
  return rails.find((rail) => rail.code === code) ?? null
}
