import { expect, test } from 'vitest'
import { instant } from './instant.ts'

const NOW = Date.UTC(2026, 10, 26, 20, 14, 29, 7)
const YEAR_MS = 366 * 86_400_000

test.each([
  ['now', NOW],
  ['a full second', NOW - 7],
  ['the last millisecond of a second', NOW + 992],
  ['a part of a millisecond', NOW + 0.75],
  ['1970', 0],
  ['before 1970', -1],
  ['a part of a millisecond before 1970', -1_000.25],
  ['a year of five digits', NOW + 8_000 * YEAR_MS],
])('%s has the text of Date.toISOString', (_name, ms) => {
  expect(instant(ms)).toBe(new Date(ms).toISOString())
  expect(instant(ms)).toBe(new Date(ms).toISOString())
})

test('many seconds, in any order, keep their own texts', () => {
  for (const step of [1, -1]) {
    for (let n = 0; n < 1_000; n += 1) {
      const ms = NOW + step * n * 977
      expect(instant(ms)).toBe(new Date(ms).toISOString())
    }
  }
})

test('what is no instant is refused', () => {
  expect(() => instant(Number.NaN)).toThrow(RangeError)
  expect(() => instant(Number.POSITIVE_INFINITY)).toThrow(RangeError)
})
