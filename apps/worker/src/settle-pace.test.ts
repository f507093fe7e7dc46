import { expect, test } from 'vitest'
import { createSettlePace } from './settle-pace.ts'

function paceAt(pollIntervalMs: number) {
  const time = { ms: 1_000_000 }
  return { time, pace: createSettlePace(() => time.ms, { unrungMs: 5_000, pollIntervalMs }) }
}

test('claims are 20 ms apart while payers decide, and for a minute after the last one', () => {
  const { time, pace } = paceAt(200)
  expect(pace.everyMs()).toBe(5_000)
  pace.expectDecisions()
  expect(pace.everyMs()).toBe(20)
  time.ms += 59_999
  expect(pace.everyMs()).toBe(20)
  time.ms += 1
  expect(pace.everyMs()).toBe(5_000)
})

test.each([
  [0, 20],
  [1, 20],
  [4, 80],
  [10, 200],
  [100, 200],
])('after a claim of %i charges the next one is %i ms later', (charges, restMs) => {
  const { pace } = paceAt(200)
  pace.expectDecisions()
  pace.noteClaimed(charges)
  expect(pace.everyMs()).toBe(restMs)
  pace.noteClaimed(0)
  expect(pace.everyMs()).toBe(20)
})

test('a claim of many charges does not delay the next one beyond the interval of polls', () => {
  const { pace } = paceAt(50)
  pace.expectDecisions()
  pace.noteClaimed(100)
  expect(pace.everyMs()).toBe(50)
})
