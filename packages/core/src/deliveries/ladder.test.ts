import { expect, test } from 'vitest'
import { ATTEMPTS_MAX, delayAfterMs } from './ladder.ts'

test('eight POSTs, 10 s, 30 s, 2 min, 10 min, 1 h, 6 h and 24 h apart [§6.3.5, §8]', () => {
  const delaysSec = Array.from({ length: ATTEMPTS_MAX }, (_, n) => (delayAfterMs(n + 1) ?? -1_000) / 1000)
  expect(delaysSec).toEqual([10, 30, 120, 600, 3_600, 21_600, 86_400, -1])
})

test('the ladder is spent after the eighth, and does not begin again', () => {
  expect([8, 9, 100].map(delayAfterMs)).toEqual([null, null, null])
})
