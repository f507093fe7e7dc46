import type { Attempt } from './attempt.ts'
import type { BrowserSession, RailOffer } from './types.ts'

export interface ApprovalTime {
  readonly isHelpShown: boolean
  readonly isSlow: boolean
  /** The deadline has passed, and the operator has not answered. */
  readonly isOver: boolean
  /** Seconds to the deadline, from 1, set only near it. A countdown from the start makes people anxious. */
  readonly secondsLeft: number | null
  /** Seconds to the deadline at the newest of the few moments that are announced. */
  readonly spokenSecondsLeft: number | null
}

/** Operators advise to offer help after ten to fifteen seconds. */
const HELP_AFTER_MS = 12_000
const SLOW_AFTER_MS = 60_000
/** The last quarter of the window, and at least its last minute. */
const NEAR_PART = 0.25
const NEAR_SEC_MIN = 60
const SPOKEN_SEC = [30, 60] as const

export function approvalTime(
  rail: RailOffer | null,
  attempt: Attempt | null,
  leftSec: number | null,
  serverMs: number,
): ApprovalTime {
  // Without a stored press the payer has returned from elsewhere, so help is shown at once.
  const waitedMs = attempt === null ? HELP_AFTER_MS : serverMs - attempt.startedMs
  const nearSec = Math.max((rail?.prompt?.window_sec ?? 0) * NEAR_PART, NEAR_SEC_MIN)
  const isOver = leftSec === 0
  const secondsLeft = leftSec !== null && !isOver && leftSec <= nearSec ? leftSec : null
  return {
    isHelpShown: rail?.prompt?.mode === 'manual' || waitedMs >= HELP_AFTER_MS,
    isSlow: isOver || waitedMs >= SLOW_AFTER_MS,
    isOver,
    secondsLeft,
    spokenSecondsLeft:
      secondsLeft === null ? null : (SPOKEN_SEC.find((moment) => secondsLeft <= moment) ?? null),
  }
}

/** Seconds until the payer's time on the rail ends; null if no charge is under way. */
export function secondsLeft(session: BrowserSession | null, serverMs: number): number | null {
  const approveBySec = session?.payment_intent.live_charge?.approve_by
  return approveBySec === undefined ? null : Math.max(0, Math.ceil(approveBySec - serverMs / 1_000))
}
