import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/clock.ts'
import { AFTER_WATCH_MS, NOT_FOUND_ANSWERS_MIN, NOT_FOUND_SPAN_MS } from '../charges/ladder.ts'
import type { PayoutRuling } from '@merchant-payments/db'
import type { Decline, QueryAnswer, RefundOutcome } from '../rails/port.ts'
import type { Again, Check, End, JobEffect, Move, Payout } from './payout.ts'

const rungsMs = [
  2 * SECOND_MS,
  5 * SECOND_MS,
  15 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
] as const

/** A payout is never given up, and every check past the ladder alerts an operator. */
const STUCK_EVERY_MS = HOUR_MS
const CHECKS_MAX = rungsMs.length + 1
const HELD_BACK_MS = 2 * SECOND_MS

/** For a refused payout, which may be executed late, and for an accepted one, which may be refused late. */
const watchRungsMs = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS] as const
const WATCH_EVERY_MS = HOUR_MS
const LATE_WATCH_EVERY_MS = 24 * HOUR_MS
/** At least, for a payout that is refused after its 48 hours: all rungs of the watch and two daily checks. */
const WATCH_CHECKS_MIN = watchRungsMs.length + 2

type Checks = Pick<Check, 'checks' | 'notFoundCount'>
export const noChecks: Checks = { checks: 0, notFoundCount: 0 }

export const isStuck = ({ checks }: Checks): boolean => checks > rungsMs.length

/** none: no earlier try was sent. over: the rail has none of them. recent: the rail may have one. */
export type EarlierTries = 'none' | 'over' | 'recent'

interface Moves {
  readonly move: Move
  readonly job: JobEffect
}

interface Waits {
  readonly move: null
  readonly job: Again | Check
}

interface Ends {
  readonly move: null
  readonly job: End
}

export type Verdict = (Moves | Waits | Ends) & {
  readonly alert?: 'refund_stuck' | 'refund_paid_after_failure'
}

/** docs/spec-gaps.md, refunds. */
export function planTry(
  soFar: Checks,
  outcome: RefundOutcome,
  earlier: EarlierTries,
  nowMs: number,
): Moves | Waits {
  switch (outcome.kind) {
    case 'accepted':
      return accepted(nowMs)
    case 'declined':
      // The rail refuses this try, but may still execute an earlier one.
      return earlier === 'recent'
        ? doubt(soFar, outcome.decline, nowMs)
        : { move: refusal(outcome.decline), job: { kind: 'end' } }
    case 'refusal_unconfirmed':
      return doubt(soFar, outcome.decline, nowMs)
    case 'not_sent':
      return earlier === 'none'
        ? { move: { kind: 'unsend' }, job: nextCheck(soFar, nowMs) }
        : later(soFar, nowMs)
    case 'held_back':
      return earlier === 'none' ? { ...again(nowMs), move: { kind: 'unsend' } } : again(nowMs)
    case 'unknown':
      return later(soFar, nowMs)
  }
}

export interface Resending {
  readonly maySend: boolean
  readonly dedupes: boolean
}

export function planAnswer(
  payout: Payout,
  soFar: Checks,
  outcome: QueryAnswer,
  { maySend, dedupes }: Resending,
  nowMs: number,
): Moves | Waits | { readonly send: EarlierTries } {
  switch (outcome.kind) {
    case 'pending':
      return accepted(nowMs)
    case 'succeeded':
      return { move: { kind: 'accept' }, job: endWithRuling }
    case 'unknown_status':
      // The rail has the payout, but its status word is unknown. An alert names the word, and the number is kept.
      return later(soFar, nowMs, 0)
    case 'failed':
      return refuse(outcome.decline, nowMs)
    case 'unavailable':
      return later(soFar, nowMs)
    case 'not_found':
      break
  }
  const notFoundCount = Math.min(soFar.notFoundCount + 1, NOT_FOUND_ANSWERS_MIN)
  const absent = isAbsent(payout, notFoundCount, nowMs)
  const { refusal: reason, railCode, railMessage } = payout
  if (reason === null && maySend && (dedupes || absent)) return { send: absent ? 'over' : 'recent' }
  if (!absent) return later(soFar, nowMs, notFoundCount)
  const move = { kind: 'refuse', reason: reason ?? 'customer_erased', railCode, railMessage } as const
  return { move, job: firstWatch(nowMs) }
}

/**
 * For a refused payout. An operator must act if the rail pays it after all, or does not deny in time that it has. Only an
 * answer that denies it ends the watch.
 */
export function planWatch(payout: Payout, soFar: Checks, outcome: QueryAnswer, nowMs: number): Verdict {
  if (outcome.kind === 'succeeded') return paidAfterFailure
  const next = nextWatch(payout, soFar, nowMs)
  if (!isWatchLate(payout, nowMs)) return next
  const isDenied = outcome.kind === 'failed' || outcome.kind === 'not_found'
  if (!isDenied) return { ...next, alert: 'refund_stuck' }
  return soFar.checks >= WATCH_CHECKS_MIN ? { move: null, job: { kind: 'end' } } : next
}

/** For an accepted payout. The rail may have only queued it, and refuse it now. An operator learns of one that does not end. */
export function planEnd(payout: Payout, soFar: Checks, outcome: QueryAnswer, nowMs: number): Verdict {
  if (outcome.kind === 'succeeded') return ends
  if (outcome.kind === 'failed') return refuse(outcome.decline, nowMs)
  const next = nextWatch(payout, soFar, nowMs)
  return isWatchLate(payout, nowMs) ? { ...next, alert: 'refund_stuck' } : next
}

/** Plans an operator's ruling as if the rail had given that answer. */
export function planRuling(
  { instruction, submitDeadlineMs }: Payout,
  ruling: PayoutRuling,
  nowMs: number,
): Verdict {
  if (instruction === 'refused') return ruling === 'paid' ? paidAfterFailure : ends
  if (ruling === 'not_paid') {
    const { move, job } = refuse(ruledDecline, nowMs)
    return { move, job: instruction === 'unsent' ? endWithRuling : { ...job, endsRuling: true } }
  }
  switch (instruction) {
    case 'unsent':
      // Ruled during a send that then provably failed. The payout is marked as sent, but not sent again. The ruling
      // stays on the job, and the next check accepts the payout.
      return { move: { kind: 'send', submitDeadlineMs }, job: { kind: 'check', dueAtMs: nowMs, ...noChecks } }
    case 'sent':
      return { move: { kind: 'accept' }, job: endWithRuling }
    case 'accepted':
      return ends
  }
}

const endWithRuling: End = { kind: 'end', endsRuling: true }
const ends: Ends = { move: null, job: endWithRuling }
const paidAfterFailure: Verdict = { ...ends, alert: 'refund_paid_after_failure' }

const ruledDecline = { code: 'declined', actor: 'rail', railCode: null, railMessage: null } as const

const isWatchLate = ({ submitDeadlineMs }: Payout, nowMs: number): boolean =>
  nowMs - submitDeadlineMs >= AFTER_WATCH_MS

export const again = (nowMs: number): Waits => ({
  move: null,
  job: { kind: 'again', dueAtMs: nowMs + HELD_BACK_MS },
})

export const later = (
  soFar: Checks,
  nowMs: number,
  notFoundCount = soFar.notFoundCount,
): Waits & { readonly job: Check } => ({
  move: null,
  job: { ...nextCheck(soFar, nowMs), notFoundCount },
})

const accepted = (nowMs: number): Moves => ({ move: { kind: 'accept' }, job: firstWatch(nowMs) })

/** From then on the payout is queried, and not sent again. */
const doubt = (soFar: Checks, decline: Decline, nowMs: number): Moves => ({
  move: { kind: 'doubt', decline },
  job: nextCheck(soFar, nowMs),
})

const refusal = ({ code: reason, railCode, railMessage }: Decline) =>
  ({ kind: 'refuse', reason, railCode, railMessage }) as const

/** The rail had the payout, so it is watched as a failed charge is: operators report late successes. */
const refuse = (decline: Decline, nowMs: number) => ({ move: refusal(decline), job: firstWatch(nowMs) })

const nextCheck = ({ checks, notFoundCount }: Checks, nowMs: number): Check => ({
  kind: 'check',
  dueAtMs: nowMs + (rungsMs[checks] ?? STUCK_EVERY_MS),
  checks: Math.min(checks + 1, CHECKS_MAX),
  notFoundCount,
})

const watchAfter = (checks: number, everyMs: number, nowMs: number): Check => ({
  kind: 'check',
  dueAtMs: nowMs + everyMs,
  checks: Math.min(checks + 1, WATCH_CHECKS_MIN),
  notFoundCount: 0,
})

const firstWatch = (nowMs: number): Check => watchAfter(0, watchRungsMs[0], nowMs)

function nextWatch(payout: Payout, { checks }: Pick<Checks, 'checks'>, nowMs: number): Waits {
  const everyMs = isWatchLate(payout, nowMs) ? LATE_WATCH_EVERY_MS : WATCH_EVERY_MS
  return { move: null, job: watchAfter(checks, watchRungsMs[checks] ?? everyMs, nowMs) }
}

const isAbsent = ({ submitDeadlineMs }: Payout, notFoundCount: number, nowMs: number): boolean =>
  notFoundCount >= NOT_FOUND_ANSWERS_MIN && nowMs - submitDeadlineMs >= NOT_FOUND_SPAN_MS
