import type { Attempt } from '../checkout/attempt.ts'
import type { RailOffer } from '../wire/types.ts'

/** What the passing of time shows on the screen where a payer is to approve. */
export interface ApprovalTime {
  /** How to approve without a prompt. */
  readonly isHelpShown: boolean
  readonly isSlow: boolean
  /** Seconds to the deadline, only near it: a clock that runs from the start makes people anxious. */
  readonly secondsLeft: number | null
  /** The newest of the few moments that are spoken, in seconds to the deadline. */
  readonly spokenSecondsLeft: number | null
}

/** Operators advise to help after ten to fifteen seconds. */
const HELP_AFTER_MS = 12_000
const SLOW_AFTER_MS = 60_000
/** The last quarter of the window, and never less than its last minute. */
const NEAR_PART = 0.25
const NEAR_SEC_MIN = 60
const SPOKEN_SEC = [30, 60] as const

export function approvalTime(
  rail: RailOffer | null,
  attempt: Attempt | null,
  approveBySec: number | null,
  now: { readonly deviceMs: number; readonly serverMs: number },
): ApprovalTime {
  // Without a memory of the press, the payer has come back from somewhere: help at once.
  const waitedMs = attempt === null ? HELP_AFTER_MS : now.deviceMs - attempt.startedMs
  const leftSec = approveBySec === null ? null : Math.max(0, Math.ceil(approveBySec - now.serverMs / 1_000))
  const nearSec = Math.max((rail?.prompt?.window_sec ?? 0) * NEAR_PART, NEAR_SEC_MIN)
  const secondsLeft = leftSec !== null && leftSec <= nearSec ? leftSec : null
  return {
    isHelpShown: rail?.prompt?.mode === 'manual' || waitedMs >= HELP_AFTER_MS,
    isSlow: waitedMs >= SLOW_AFTER_MS,
    secondsLeft,
    spokenSecondsLeft:
      secondsLeft === null ? null : (SPOKEN_SEC.find((moment) => secondsLeft <= moment) ?? null),
  }
}
