import { describe, expect, test } from 'vitest'
import { declined, heldBack, makeRefund, notSent, T0, unavailable, unknown } from '../../test/make.ts'
import type { QueryAnswer, RefundOutcome } from '../rails/port.ts'
import { instructionLifecycle } from './lifecycle.ts'
import {
  again,
  type EarlierTries,
  isStuck,
  later,
  noChecks,
  planAnswer,
  planRuling,
  planTry,
  planWatch,
  type Resending,
  type Verdict,
} from './plan.ts'

const MINUTE_MS = 60_000
const instructions = ['unsent', 'sent', 'accepted', 'refused'] as const
const rulings = ['paid', 'not_paid'] as const
const NOW = T0 + MINUTE_MS
const accepted = { kind: 'accepted' } as const
const refused = { kind: 'declined', decline: declined } as const
const unconfirmed = { kind: 'refusal_unconfirmed', decline: declined } as const
const before = { checks: 1, notFoundCount: 2 }
const sent = makeRefund('pending')
/** The first instant at which a not-found answer is believed. */
const LATE = sent.submitDeadlineMs + 2 * MINUTE_MS

const { code: reason, railCode, railMessage } = declined
const end = { kind: 'end' } as const
/** The first query of a payout that the rail has, or may have had. */
const watch = { kind: 'check', dueAtMs: NOW + MINUTE_MS, checks: 1, notFoundCount: 0 } as const
const waits = {
  move: null,
  job: { kind: 'check', dueAtMs: NOW + 5_000, checks: 2, notFoundCount: 2 },
} as const
const taken: Verdict = { move: { kind: 'accept' }, job: watch }
const failed: Verdict = { move: { kind: 'refuse', reason, railCode, railMessage }, job: end }
const doubted: Verdict = { move: { kind: 'doubt', decline: declined }, job: waits.job }
const back: Verdict = { move: { kind: 'unsend' }, job: waits.job }

describe('a ruling of a payout', () => {
  test.each(instructions.flatMap((instruction) => rulings.map((ruling) => [instruction, ruling] as const)))(
    'that is %s as %s makes a move that its lifecycle has',
    (instruction, ruling) => {
      const payout = makeRefund('pending', { instruction })
      const { move } = planRuling(payout, ruling, NOW)
      expect([undefined, ...Object.keys(instructionLifecycle[instruction])]).toContain(move?.kind)
    },
  )

  test('of paid, for an unsent payout, marks it as sent, so that the next check accepts it', () => {
    const unsent = makeRefund('pending', { instruction: 'unsent' })
    expect(planRuling(unsent, 'paid', NOW)).toEqual({
      move: { kind: 'send', submitDeadlineMs: unsent.submitDeadlineMs },
      job: { kind: 'check', dueAtMs: NOW, checks: 0, notFoundCount: 0 },
    })
  })
})

describe('the answer to an instruction', () => {
  test.each<[RefundOutcome, EarlierTries, Verdict]>([
    [accepted, 'none', taken],
    [accepted, 'over', taken],
    [accepted, 'recent', taken],
    [refused, 'none', failed],
    [refused, 'over', failed],
    [refused, 'recent', doubted],
    [unconfirmed, 'none', doubted],
    [unconfirmed, 'over', doubted],
    [unconfirmed, 'recent', doubted],
    [notSent, 'none', back],
    [notSent, 'over', waits],
    [notSent, 'recent', waits],
    [heldBack, 'none', { ...again(NOW), move: { kind: 'unsend' } }],
    [heldBack, 'over', again(NOW)],
    [heldBack, 'recent', again(NOW)],
    [unknown, 'none', waits],
    [unknown, 'over', waits],
    [unknown, 'recent', waits],
  ] as [RefundOutcome, EarlierTries, Verdict][])('%o, earlier tries: %s', (outcome, earlier, expected) => {
    expect(planTry(before, outcome, earlier, NOW)).toEqual(expected)
  })
})

describe('what the rail says of a payout that it may have', () => {
  const succeeded = { kind: 'succeeded', railTxnId: '1', amountMinor: 400, currency: 'XAF' } as const
  test.each<[QueryAnswer, Verdict]>([
    [{ kind: 'pending' }, taken],
    [succeeded, { ...taken, job: { ...end, endsRuling: true } }],
    [
      { kind: 'unknown_status', status: 'HELD' },
      { ...waits, job: { ...waits.job, notFoundCount: 0 } },
    ],
    [
      { kind: 'failed', decline: declined },
      { ...failed, job: watch },
    ],
    [unavailable, waits],
  ])('$kind', (outcome, expected) => {
    expect(planAnswer(sent, before, outcome, { maySend: true, dedupes: true }, NOW)).toEqual(expected)
  })
})

describe('a payout that the rail does not have', () => {
  const doubtful = makeRefund('pending', { refusal: 'payee_refused', railCode: 'PAYEE_NOT_FOUND' })
  const notFound = (
    payout = sent,
    resending: Partial<Resending> = {},
    { notFoundCount = 2, nowMs = LATE } = {},
  ) => {
    const how = { maySend: true, dedupes: false, ...resending }
    return planAnswer(payout, { ...before, notFoundCount }, { kind: 'not_found' }, how, nowMs)
  }

  test('is sent again at once if the rail takes a reference once', () => {
    expect(notFound(sent, { dedupes: true }, { notFoundCount: 0 })).toEqual({ send: 'recent' })
    expect(notFound(sent, { dedupes: true })).toEqual({ send: 'over' })
  })

  test('is sent again on another rail after the third such answer, two minutes after the last try could end', () => {
    expect(notFound()).toEqual({ send: 'over' })
    expect(notFound(sent, {}, { notFoundCount: 1 })).toMatchObject({ move: null, job: { notFoundCount: 2 } })
    expect(notFound(sent, {}, { nowMs: LATE - 1 })).toMatchObject({ move: null, job: { notFoundCount: 3 } })
  })

  test('after an unproven refusal is never sent again, and fails with the code of that refusal', () => {
    const how = { dedupes: true }
    expect(notFound(doubtful, how, { notFoundCount: 1 })).toMatchObject({ move: null })
    expect(notFound(doubtful, how)).toMatchObject({
      move: { kind: 'refuse', reason: 'payee_refused', railCode: 'PAYEE_NOT_FOUND' },
      job: { kind: 'check' },
    })
  })

  test('and whose number was erased fails, as its customer was erased', () => {
    expect(notFound(sent, { maySend: false, dedupes: true }, { notFoundCount: 1 })).toMatchObject({
      move: null,
    })
    expect(notFound(sent, { maySend: false })).toMatchObject({
      move: { kind: 'refuse', reason: 'customer_erased' },
    })
  })

  test('stops counting not-found answers at the limit, so that the count fits a smallint', () => {
    expect(notFound(sent, {}, { notFoundCount: 3, nowMs: LATE - 1 })).toMatchObject({
      job: { notFoundCount: 3 },
    })
  })
})

test('checks of an instruction become rarer, and from the hourly ones on it counts as stuck', () => {
  const delays: number[] = []
  const stuck: boolean[] = []
  let soFar = noChecks
  for (let n = 0; n < 9; n += 1) {
    const { job } = later(soFar, NOW)
    soFar = job
    delays.push((job.dueAtMs - NOW) / 1_000)
    stuck.push(isStuck(job))
  }
  expect(delays).toEqual([2, 5, 15, 60, 300, 900, 3_600, 3_600, 3_600])
  expect(stuck).toEqual([false, false, false, false, false, false, true, true, true])
  expect(soFar.checks).toBe(7)
})

describe('a payout that failed', () => {
  const gone = makeRefund('failed')
  const overMs = gone.submitDeadlineMs + 48 * 60 * MINUTE_MS
  const watchIt = (outcome: QueryAnswer, nowMs = LATE, checks = 0) =>
    planWatch(gone, { checks, notFoundCount: 0 }, outcome, nowMs)

  test('is paid all the same once the rail has executed it', () => {
    expect(watchIt({ kind: 'succeeded', railTxnId: null, amountMinor: 400, currency: 'XAF' })).toEqual({
      move: null,
      job: { ...end, endsRuling: true },
      alert: 'refund_paid_after_failure',
    })
  })

  test.each<QueryAnswer>([{ kind: 'not_found' }, { kind: 'failed', decline: declined }])(
    'is watched for 48 hours, at last hourly: $kind',
    (outcome) => {
      expect(watchIt(outcome)).toMatchObject({ job: { dueAtMs: LATE + MINUTE_MS, checks: 1 } })
      expect(watchIt(outcome, overMs - 1, 3)).toMatchObject({
        job: { dueAtMs: overMs - 1 + 60 * MINUTE_MS, checks: 4 },
      })
      expect(watchIt(outcome, overMs, 5)).toEqual({ move: null, job: end })
    },
  )

  test('that is refused after its 48 hours is checked five times, the last two times daily', () => {
    const delays: number[] = []
    let soFar = { checks: 1, notFoundCount: 0 }
    for (;;) {
      const { job } = planWatch(gone, soFar, { kind: 'not_found' }, overMs)
      if (job.kind !== 'check') break
      delays.push((job.dueAtMs - overMs) / MINUTE_MS)
      soFar = job
    }
    expect(delays).toEqual([5, 15, 24 * 60, 24 * 60])
  })

  test.each<QueryAnswer>([unavailable, { kind: 'unknown_status', status: 'HELD' }, { kind: 'pending' }])(
    'is watched on, daily, if the rail does not deny it at the end: $kind',
    (outcome) => {
      expect(watchIt(outcome)).toMatchObject({ job: { dueAtMs: LATE + MINUTE_MS, checks: 1 } })
      expect(watchIt(outcome, overMs, 3)).toMatchObject({
        job: { dueAtMs: overMs + 24 * 60 * MINUTE_MS, checks: 4 },
        alert: 'refund_stuck',
      })
    },
  )
})
