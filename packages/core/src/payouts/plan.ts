import { AFTER_WATCH_MS, NOT_FOUND_ANSWERS_MIN, NOT_FOUND_SPAN_MS } from '../charges/ladder.ts'
import type { Decline, QueryOutcome, RefundOutcome } from '../rails/port.ts'
import type { JobEffect, Look, Move, Payout } from './payout.ts'

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

/** For a payout that failed because the rail did not have it. A late execution alerts an operator. */
const watchRungsMs = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS] as const
const WATCH_EVERY_MS = HOUR_MS

export type Looks = Pick<Look, 'tries' | 'notFoundCount'>
export const noLooks: Looks = { tries: 0, notFoundCount: 0 }

export const isStuck = ({ tries }: Looks): boolean => tries > rungsMs.length

/** none: no earlier try was sent. over: the rail has none of them. recent: the rail may have one. */
export type EarlierTries = 'none' | 'over' | 'recent'

export type Verdict = { readonly move: Exclude<Move, { kind: 'send' }>; readonly job: JobEffect } | Waits
interface Waits {
  readonly move: null
  readonly job: Look
}

/** docs/spec-gaps.md, refunds. Pure. */
export function planTry(looks: Looks, outcome: RefundOutcome, earlier: EarlierTries, nowMs: number): Verdict {
  switch (outcome.kind) {
    case 'accepted':
      return accepted
    case 'declined':
      // The rail refuses this try, but may still execute an earlier one.
      return earlier === 'recent' ? doubt(looks, outcome.decline, nowMs) : refuse(outcome.decline)
    case 'refusal_unconfirmed':
      return doubt(looks, outcome.decline, nowMs)
    case 'not_sent':
      return earlier === 'none'
        ? { move: { kind: 'unsend' }, job: nextLook(looks, nowMs) }
        : later(looks, nowMs)
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
  outcome: QueryOutcome,
  { maySend, dedupes }: Resending,
  nowMs: number,
): Verdict | { readonly send: EarlierTries } {
  switch (outcome.kind) {
    case 'pending':
    case 'succeeded':
      return accepted
    case 'unknown_status':
      // The rail has the payout, but its status word is unknown. An alert names the word, and the number is kept.
      return later(looks, nowMs, 0)
    case 'failed':
      return refuse(outcome.decline)
    case 'unavailable':
      return later(looks, nowMs)
    case 'not_found':
      break
  }
  const notFoundCount = Math.min(looks.notFoundCount + 1, NOT_FOUND_ANSWERS_MIN)
  const absent = isAbsent(payout, notFoundCount, nowMs)
  const { refusal, railCode, railMessage } = payout
  if (refusal === null && maySend && (dedupes || absent)) return { send: absent ? 'over' : 'recent' }
  if (!absent) return later(looks, nowMs, notFoundCount)
  const move = { kind: 'refuse', reason: refusal ?? 'customer_erased', railCode, railMessage } as const
  return { move, job: nextWatch({ tries: 0 }, nowMs) }
}

export function planWatch(
  { submitDeadlineMs }: Payout,
  looks: Looks,
  outcome: QueryOutcome,
  nowMs: number,
): 'end' | 'paid' | Look {
  if (outcome.kind === 'pending' || outcome.kind === 'succeeded') return 'paid'
  const isOver = outcome.kind === 'failed' || nowMs - submitDeadlineMs >= AFTER_WATCH_MS
  return isOver ? 'end' : nextWatch(looks, nowMs)
}

export const later = (looks: Looks, nowMs: number, notFoundCount = looks.notFoundCount): Waits => ({
  move: null,
  job: { ...nextLook(looks, nowMs), notFoundCount },
})

const accepted: Verdict = { move: { kind: 'accept' }, job: { kind: 'end' } }

/** From then on the payout is queried, and not sent again. */
const doubt = (looks: Looks, decline: Decline, nowMs: number): Verdict => ({
  move: { kind: 'doubt', decline },
  job: nextLook(looks, nowMs),
})

const refuse = ({ code: reason, railCode, railMessage }: Decline): Verdict => ({
  move: { kind: 'refuse', reason, railCode, railMessage },
  job: { kind: 'end' },
})

const nextLook = ({ tries, notFoundCount }: Looks, nowMs: number): Look => ({
  kind: 'look',
  dueAtMs: nowMs + (rungsMs[tries] ?? STUCK_EVERY_MS),
  tries: Math.min(tries + 1, TRIES_MAX),
  notFoundCount,
})

const nextWatch = ({ tries }: Pick<Looks, 'tries'>, nowMs: number): Look => ({
  kind: 'look',
  dueAtMs: nowMs + (watchRungsMs[tries] ?? WATCH_EVERY_MS),
  tries: Math.min(tries + 1, watchRungsMs.length),
  notFoundCount: 0,
})

const isAbsent = ({ submitDeadlineMs }: Payout, notFoundCount: number, nowMs: number): boolean =>
  notFoundCount >= NOT_FOUND_ANSWERS_MIN && nowMs - submitDeadlineMs >= NOT_FOUND_SPAN_MS
