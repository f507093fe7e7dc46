import { describe, expect, test } from 'vitest'
import { declined, makeRefund, notSent, T0, unavailable, unknown } from '../../test/make.ts'
import type { QueryOutcome, RefundOutcome } from '../rails/port.ts'
import { type EarlierTries, isAbsent, isQuiet, isStuck, later, planAnswer, planTry } from './plan.ts'

const NOW = T0 + 60_000
const accepted = { kind: 'accepted' } as const
const refused = { kind: 'declined', decline: declined } as const
const sent = makeRefund('pending', { tries: 1, notFoundCount: 2 })

/** What a change leaves of the refund that the rail is told of. */
function left(change: ReturnType<typeof planAnswer>) {
  if (change === null) return null
  const { status, failureReason, instruction, destination, instructAtMs, tries, revision } = change.after
  expect(revision).toBe(change.before.revision + 1)
  return {
    status,
    failureReason,
    instruction,
    number: destination !== null,
    inMs: instructAtMs === null ? null : instructAtMs - NOW,
    tries,
    event: change.event?.type ?? null,
  }
}

const taken = {
  status: 'pending',
  failureReason: null,
  instruction: 'accepted',
  number: false,
  inMs: null,
  tries: 1,
  event: null,
}
const failed = {
  ...taken,
  status: 'failed',
  failureReason: 'insufficient_funds',
  instruction: 'refused',
  event: 'charge.refund.updated',
}
const waits = { ...taken, instruction: 'sent', number: true, inMs: 5_000, tries: 2 }
const back = { ...waits, instruction: 'unsent' }

describe('the answer to an instruction', () => {
  test.each<[RefundOutcome, EarlierTries, object]>([
    [accepted, 'none', taken],
    [accepted, 'over', taken],
    [accepted, 'recent', taken],
    [refused, 'none', failed],
    [refused, 'over', failed],
    [refused, 'recent', waits],
    [notSent, 'none', back],
    [notSent, 'over', waits],
    [notSent, 'recent', waits],
    [unknown, 'none', waits],
    [unknown, 'over', waits],
    [unknown, 'recent', waits],
  ] as [RefundOutcome, EarlierTries, object][])('%o, earlier tries: %s', (outcome, earlier, expected) => {
    expect(left(planTry(sent, outcome, earlier, NOW))).toEqual(expected)
  })

  test('of a refusal keeps the rail’s own words apart from ours', () => {
    const { after } = planTry(sent, refused, 'none', NOW)
    expect(after).toMatchObject({ railCode: 'NOT_ENOUGH_FUNDS', railMessage: 'Not enough funds' })
  })
})

describe('what the rail says of a refund that it may have', () => {
  const succeeded = { kind: 'succeeded', railTxnId: '1', amountMinor: 400, currency: 'XAF' } as const
  test.each<[QueryOutcome, object | null]>([
    [{ kind: 'pending' }, taken],
    [succeeded, taken],
    [{ kind: 'unknown_status', status: 'HELD' }, taken],
    [{ kind: 'failed', decline: declined }, failed],
    [{ kind: 'not_found' }, null],
    [unavailable, waits],
  ])('$kind', (outcome, expected) => {
    expect(left(planAnswer(sent, outcome, NOW))).toEqual(expected)
  })
})

test('the looks at an instruction grow rarer, and the rarest are an operator’s to hear of', () => {
  const delays: number[] = []
  const stuck: boolean[] = []
  let refund = makeRefund('pending')
  for (let n = 0; n < 8; n += 1) {
    refund = later(refund, NOW).after
    delays.push(((refund.instructAtMs ?? 0) - NOW) / 1_000)
    stuck.push(isStuck(refund))
  }
  expect(delays).toEqual([2, 5, 15, 60, 300, 900, 3_600, 3_600])
  expect(stuck).toEqual([false, false, false, false, false, false, true, true])
})

test('a refund is absent only when the rail has said so thrice, and two minutes after the last try could end', () => {
  const { submitDeadlineMs } = sent
  const longAfter = submitDeadlineMs + 120_000
  expect([isQuiet(sent, longAfter - 1), isQuiet(sent, longAfter)]).toEqual([false, true])
  expect([2, 3].map((count) => isAbsent(sent, count, longAfter))).toEqual([false, true])
  expect(isAbsent(sent, 9, longAfter - 1)).toBe(false)
})
