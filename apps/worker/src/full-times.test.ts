import { expect, test } from 'vitest'
import { createFullTimes } from './full-times.ts'

test('a period lasts over short gaps, and counts from the given instant', () => {
  const fullTimes = createFullTimes()
  for (const atMs of [1_000, 6_000, 16_000]) fullTimes.note(['slow'], atMs)
  expect([0, 1_000, 4_000, 16_000, 20_000].map((sinceMs) => fullTimes.lastedMs('slow', sinceMs))).toEqual([
    15_000, 15_000, 12_000, 0, 0,
  ])
  expect(fullTimes.lastedMs('quick', 0)).toBe(0)
})

test('after a long gap a new period begins, so that the gap is not counted', () => {
  const fullTimes = createFullTimes()
  for (const atMs of [1_000, 6_000, 16_001, 17_000]) fullTimes.note(['slow'], atMs)
  expect(fullTimes.lastedMs('slow', 0)).toBe(999)
})
