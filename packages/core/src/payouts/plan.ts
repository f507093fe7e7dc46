import { AFTER_WATCH_MS, NOT_FOUND_ANSWERS_MIN, NOT_FOUND_SPAN_MS } from '../charges/ladder.ts'
import type { PayoutRuling } from '@merchant-payments/db'
import type { Decline, QueryAnswer, RefundOutcome } from '../rails/port.ts'
import type { Again, JobEffect, Look, Move, Payout } from './payout.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

const rungsMs = [
  2 * SECOND_MS,
  5 * SECOND_MS,
  15 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
] as const

/** Past the ladder, for ever: a payout is never given up, and every check alerts an operator. */
const STUCK_EVERY_MS = HOUR_MS
const TRIES_MAX = rungsMs.length + 1
/** Wait of a payout whose call found no place in this process's queue. */
const HELD_BACK_MS = 2 * SECOND_MS

/** For a refused payout, whose late execution alerts an operator, and for an accepted one, which may be refused late. */
const watchRungsMs = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS] as const
const WATCH_EVERY_MS = HOUR_MS
/** After 48 hours, for as long as the rail does not say how the payout ended. */
const LATE_WATCH_EVERY_MS = 24 * HOUR_MS
/** Checks, at least, of a payout that is refused after its 48 hours: all rungs of the watch and two daily checks. */
const WATCH_LOOKS_MIN = watchRungsMs.length + 2

export type Looks = Pick<Look, 'tries' | 'notFoundCount'>
export const noLooks: Looks = { tries: 0, notFoundCount: 0 }

export const isStuck = ({ tries }: Looks): boolean => tries > rungsMs.length

/** none: no earlier try was sent. over: the rail has none of them. recent: the rail may have one. */
export type EarlierTries = 'none' | 'over' | 'recent'

export type Verdict = { readonly move: Exclude<Move, { kind: 'send' }>; readonly job: JobEffect } | Waits
interface Waits {
  readonly move: null
  readonly job: Again | Look
}

/** docs/spec-gaps.md, refunds. Pure. */
export function planTry(looks: Looks, outcome: RefundOutcome, earlier: EarlierTries, nowMs: number): Verdict {
  switch (outcome.kind) {
    case 'accepted':
      return accepted(nowMs)
    case 'declined':
      // The rail refuses this try, but may still execute an earlier one.
      return earlier === 'recent'
        ? doubt(looks, outcome.decline, nowMs)
        : { move: refusal(outcome.decline), job: { kind: 'end' } }
    case 'refusal_unconfirmed':
      return doubt(looks, outcome.decline, nowMs)
    case 'not_sent':
      return earlier === 'none'
        ? { move: { kind: 'unsend' }, job: nextLook(looks, nowMs) }
        : later(looks, nowMs)
    case 'held_back':
      return earlier === 'none' ? { ...again(nowMs), move: { kind: 'unsend' } } : again(nowMs)
    case 'unknown':
      return later(looks, nowMs)
  }
}

export interface Resending {
  /** False for an erased customer, who has no number to send to. */
  readonly maySend: boolean
  readonly dedupes: boolean
}

/** `send` means to instruct the rail again. Pure. */
export function planAnswer(
  payout: Payout,
  looks: Looks,
  outcome: QueryAnswer,
  { maySend, dedupes }: Resending,
  nowMs: number,
): Verdict | { readonly send: EarlierTries } {
  switch (outcome.kind) {
    case 'pending':
      return accepted(nowMs)
    case 'succeeded':
      return { move: { kind: 'accept' }, job: { kind: 'end' } }
    case 'unknown_status':
      // The rail has the payout, but its status word is unknown. An alert names the word, and the number is kept.
      return later(looks, nowMs, 0)
    case 'failed':
      return refuse(outcome.decline, nowMs)
    case 'unavailable':
      return later(looks, nowMs)
    case 'not_found':
      break
  }
  const notFoundCount = Math.min(looks.notFoundCount + 1, NOT_FOUND_ANSWERS_MIN)
  const absent = isAbsent(payout, notFoundCount, nowMs)
  const { refusal: reason, railCode, railMessage } = payout
  if (reason === null && maySend && (dedupes || absent)) return { send: absent ? 'over' : 'recent' }
  if (!absent) return later(looks, nowMs, notFoundCount)
  const move = { kind: 'refuse', reason: reason ?? 'customer_erased', railCode, railMessage } as const
  return { move, job: firstWatch(nowMs) }
}

/** For a refused payout: `paid` once the rail has executed it all the same. Only an answer that denies it ends the watch. Pure. */
export function planWatch(
  payout: Payout,
  looks: Looks,
  outcome: QueryAnswer,
  nowMs: number,
): 'end' | 'paid' | Look {
  if (outcome.kind === 'succeeded') return 'paid'
  const isOver = isWatchLate(payout, nowMs) && looks.tries >= WATCH_LOOKS_MIN
  return isOver && isDenied(outcome) ? 'end' : nextWatch(payout, looks, nowMs)
}

/** Whether the rail says that it has not paid, and will not. */
export const isDenied = ({ kind }: QueryAnswer): boolean => kind === 'failed' || kind === 'not_found'

/** For an accepted payout: `paid` once the rail has executed it. Pure. */
export function planEnd(payout: Payout, looks: Looks, outcome: QueryAnswer, nowMs: number): 'paid' | Verdict {
  if (outcome.kind === 'succeeded') return 'paid'
  if (outcome.kind === 'failed') return refuse(outcome.decline, nowMs)
  return { move: null, job: nextWatch(payout, looks, nowMs) }
}

/**
 * The payout was ruled paid during a send that then provably failed. The ruling wins: the payout is marked as sent,
 * but not sent again. The ruling stays on the job, and the next check accepts the payout.
 */
export interface CountsAsSent {
  readonly move: Move & { readonly kind: 'send' }
  readonly job: Look
}

/**
 * Plans an operator's ruling as if the rail had given that answer. Returns `paid` if the payout is ruled paid but has
 * already failed. Pure.
 */
export function planRuling(
  { instruction, submitDeadlineMs }: Payout,
  ruling: PayoutRuling,
  nowMs: number,
): 'end' | 'paid' | Verdict | CountsAsSent {
  if (instruction === 'refused') return ruling === 'paid' ? 'paid' : 'end'
  if (ruling === 'paid' && instruction === 'unsent')
    return { move: { kind: 'send', submitDeadlineMs }, job: { kind: 'look', dueAtMs: nowMs, ...noLooks } }
  if (ruling === 'paid')
    return instruction === 'accepted' ? 'end' : { move: { kind: 'accept' }, job: { kind: 'end' } }
  const { move, job } = refuse(ruledDecline, nowMs)
  return instruction === 'unsent'
    ? { move, job: { kind: 'end' } }
    : { move, job: { ...job, endsRuling: true } }
}

const ruledDecline = { code: 'declined', actor: 'rail', railCode: null, railMessage: null } as const

/** Whether a payout is past the time in which its rail should have said how it ended. */
export const isWatchLate = ({ submitDeadlineMs }: Payout, nowMs: number): boolean =>
  nowMs - submitDeadlineMs >= AFTER_WATCH_MS

/** The rail was not called. */
export const again = (nowMs: number): Waits & { readonly job: Again } => ({
  move: null,
  job: { kind: 'again', dueAtMs: nowMs + HELD_BACK_MS },
})

export const later = (
  looks: Looks,
  nowMs: number,
  notFoundCount = looks.notFoundCount,
): Waits & { readonly job: Look } => ({
  move: null,
  job: { ...nextLook(looks, nowMs), notFoundCount },
})

const accepted = (nowMs: number): Verdict => ({ move: { kind: 'accept' }, job: firstWatch(nowMs) })

/** From then on the payout is queried, and not sent again. */
const doubt = (looks: Looks, decline: Decline, nowMs: number): Verdict => ({
  move: { kind: 'doubt', decline },
  job: nextLook(looks, nowMs),
})

const refusal = ({ code: reason, railCode, railMessage }: Decline) =>
  ({ kind: 'refuse', reason, railCode, railMessage }) as const

/** The rail had the payout, so it is watched as a failed charge is: operators report late successes. */
const refuse = (decline: Decline, nowMs: number) => ({ move: refusal(decline), job: firstWatch(nowMs) })

const nextLook = ({ tries, notFoundCount }: Looks, nowMs: number): Look => ({
  kind: 'look',
  dueAtMs: nowMs + (rungsMs[tries] ?? STUCK_EVERY_MS),
  tries: Math.min(tries + 1, TRIES_MAX),
  notFoundCount,
})

const watchAfter = (tries: number, everyMs: number, nowMs: number): Look => ({
  kind: 'look',
  dueAtMs: nowMs + everyMs,
  tries: Math.min(tries + 1, WATCH_LOOKS_MIN),
  notFoundCount: 0,
})

const firstWatch = (nowMs: number): Look => watchAfter(0, watchRungsMs[0], nowMs)

function nextWatch(payout: Payout, { tries }: Pick<Looks, 'tries'>, nowMs: number): Look {
  const everyMs = isWatchLate(payout, nowMs) ? LATE_WATCH_EVERY_MS : WATCH_EVERY_MS
  return watchAfter(tries, watchRungsMs[tries] ?? everyMs, nowMs)
}

const isAbsent = ({ submitDeadlineMs }: Payout, notFoundCount: number, nowMs: number): boolean =>
  notFoundCount >= NOT_FOUND_ANSWERS_MIN && nowMs - submitDeadlineMs >= NOT_FOUND_SPAN_MS
