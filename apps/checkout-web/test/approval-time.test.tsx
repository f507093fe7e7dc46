import { describe, expect, test } from 'vitest'
import { approvalTime } from '@merchant-payments/payer-client/form/approval-time'
import { factsAtStart } from '@merchant-payments/payer-client/form/facts'
import { serverClockOf } from '@merchant-payments/payer-client/form/server-clock'
import { statusText } from '@merchant-payments/payer-client/form/status-text'
import { words } from '../src/words/index.ts'
import { mtn, START_MS } from './wire.ts'

const WINDOW_SEC = 300

/** So many seconds before the deadline of a charge that was opened with its whole window. */
const timeAt = (secondsLeft: number, windowSec = WINDOW_SEC) => {
  const nowMs = START_MS + (windowSec - secondsLeft) * 1_000
  const attempt = { rail: mtn.code, msisdn: null, startedMs: START_MS }
  return approvalTime(mtn, attempt, Math.max(0, secondsLeft), nowMs)
}

describe.each(['fr', 'en'] as const)('what a screen reader says near the deadline, in %s', (language) => {
  const say = words[language]

  test.each([
    { secondsLeft: 61, text: say.slow },
    { secondsLeft: 60, text: say.timeLeftSpoken(60) },
    { secondsLeft: 31, text: say.timeLeftSpoken(60) },
    { secondsLeft: 30, text: say.timeLeftSpoken(30) },
    { secondsLeft: 1, text: say.timeLeftSpoken(30) },
    { secondsLeft: 0, text: say.slow },
    { secondsLeft: -3_600, text: say.slow },
  ])('$secondsLeft seconds before it: $text', ({ secondsLeft, text }) => {
    expect(statusText(factsAtStart(true), say.approveTitle, timeAt(secondsLeft), say)).toBe(text)
  })

  test('a deadline within the first minute ends with the same words', () => {
    expect(statusText(factsAtStart(true), say.approveTitle, timeAt(0, 20), say)).toBe(say.slow)
  })
})

test('the countdown ends before zero', () => {
  expect([76, 75, 1, 0, -1].map((left) => timeAt(left).secondsLeft)).toEqual([null, 75, 1, null, null])
  expect([1, 0, -1].map((left) => timeAt(left).isOver)).toEqual([false, true, true])
})

test('the clock of the API keeps its time within the seconds of a header, and follows a device that is set', () => {
  let deviceMs = Date.UTC(2026, 10, 21, 12)
  const clock = serverClockOf(() => deviceMs)
  const observe = (atMs: number) => clock.observe(new Date(atMs).toUTCString())
  observe(deviceMs + 60_000)
  const firstMs = clock.nowMs()
  expect(Math.abs(firstMs - deviceMs - 60_000)).toBeLessThanOrEqual(500)
  observe(firstMs - 1_000)
  expect(clock.nowMs()).toBe(firstMs)
  deviceMs += 600_000
  observe(firstMs)
  expect(Math.abs(clock.nowMs() - firstMs)).toBeLessThanOrEqual(1_000)
})
