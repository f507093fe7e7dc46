import { NOT_FOUND_ANSWERS_MIN, NOT_FOUND_SPAN_MS } from '../charges/ladder.ts'
import type { Decline, QueryOutcome, RefundOutcome } from '../rails/port.ts'
import { moveInstruction, moveRefund, type Refund, type RefundChange } from './refund.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS

/** Between the worker's looks at an instruction that the rail has neither taken nor refused. */
const rungsMs = [
  2 * SECOND_MS,
  5 * SECOND_MS,
  15 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
] as const

/** Past the ladder, for ever: a refund is never given up, and an operator hears of it each time. */
const STUCK_EVERY_MS = 60 * MINUTE_MS

export const isStuck = ({ tries }: Refund): boolean => tries > rungsMs.length

/** What is known of the tries before this one: that none was sent, that none can be on its way any more, or nothing. */
export type EarlierTries = 'none' | 'over' | 'recent'

/** What the rail's answer to an instruction does to the refund (docs/spec-gaps.md, refunds). Pure. */
export function planTry(
  refund: Refund<'pending'>,
  outcome: RefundOutcome,
  earlier: EarlierTries,
  nowMs: number,
): RefundChange {
  switch (outcome.kind) {
    case 'accepted':
      return accept(refund)
    case 'declined':
      // The rail refuses this try, and may yet take an earlier one.
      return earlier === 'recent' ? later(refund, nowMs) : refuse(refund, outcome.decline, nowMs)
    case 'not_sent':
      return moveInstruction(refund, earlier === 'none' ? 'unsend' : 'stay', nextLook(refund, nowMs))
    case 'unknown':
      return later(refund, nowMs)
  }
}

/** What the rail says of a refund that it may have; null: that it has none. */
export function planAnswer(
  refund: Refund<'pending'>,
  outcome: QueryOutcome,
  nowMs: number,
): RefundChange | null {
  switch (outcome.kind) {
    case 'pending':
    case 'succeeded':
    case 'unknown_status':
      return accept(refund)
    case 'failed':
      return refuse(refund, outcome.decline, nowMs)
    case 'not_found':
      return null
    case 'unavailable':
      return later(refund, nowMs)
  }
}

/** Looks at it again after a while. */
export const later = (refund: Refund<'pending'>, nowMs: number, notFoundCount = refund.notFoundCount) =>
  moveInstruction(refund, 'stay', { ...nextLook(refund, nowMs), notFoundCount })

const accept = (refund: Refund<'pending'>) => moveInstruction(refund, 'accept', {})

const refuse = (refund: Refund<'pending'>, { code, railCode, railMessage }: Decline, nowMs: number) =>
  moveRefund(refund, 'fail', { reason: code, railCode, railMessage }, nowMs)

const nextLook = ({ tries }: Refund, nowMs: number) => ({
  tries: tries + 1,
  instructAtMs: nowMs + (rungsMs[tries] ?? STUCK_EVERY_MS),
})

/** Nothing of an earlier try can be on its way to the rail any more. */
export const isQuiet = ({ submitDeadlineMs }: Refund, nowMs: number): boolean =>
  nowMs - submitDeadlineMs >= NOT_FOUND_SPAN_MS

/** The rail has said that it has no such refund, often and long enough to be believed without its de-duplication. */
export const isAbsent = (refund: Refund, notFoundCount: number, nowMs: number): boolean =>
  notFoundCount >= NOT_FOUND_ANSWERS_MIN && isQuiet(refund, nowMs)
