import type { BrowserIntent, BrowserSession, RailOffer } from '../wire/types.ts'
import type { Attempt } from './attempt.ts'

/** What the page knows. What it shows follows from this alone: `screenOf`. */
export interface Facts {
  /** As last read; null before the first answer. */
  readonly session: BrowserSession | null
  /** What became of the newest request. */
  readonly trouble: Trouble | null
  readonly confirm: Confirming
  readonly notice: Notice | null
  /** The payer has seen the decline that stands, and gone back to the form: with the same number or another. */
  readonly declineSeen: 'same_number' | 'other_number' | null
  readonly attempt: Attempt | null
  /** The time that the payer has at the rail is long over, and the rail has not said how it ended. */
  readonly isOverdue: boolean
  readonly online: boolean
}

export type Trouble = 'no_answer' | 'not_found'

/** `unsure`: sent, and no answer came. `leaving`: for the rail's page. */
type Confirming = 'idle' | 'sending' | 'unsure' | 'leaving'

/** What the form says about the last press of its button. */
export type Notice = 'number_refused' | 'order_refused' | 'not_received' | 'start_again' | 'too_many_attempts'

export const factsAtStart = (online: boolean): Facts => ({
  session: null,
  trouble: null,
  confirm: 'idle',
  notice: null,
  declineSeen: null,
  attempt: null,
  isOverdue: false,
  online,
})

/** A charge is under way: nothing on the page may start another. */
export const isMoving = ({ status, live_charge: charge }: BrowserIntent): boolean =>
  status === 'processing' || (status === 'requires_payment_method' && charge !== null)

/** The rail of the charge under way; null where the deployment has since dropped it. */
export function liveRail({ rails, payment_intent: intent }: BrowserSession): RailOffer | null {
  const code = intent.live_charge?.payment_method_type
  return rails.find((rail) => rail.code === code) ?? null
}
