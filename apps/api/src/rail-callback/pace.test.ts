import { expect, test } from 'vitest'
import { paceOf } from './pace.ts'

function pace() {
  const time = { nowMs: 1_000_000 }
  return { time, call: paceOf({ perSecond: 100, burst: 3, waitMaxMs: 50 }, () => time.nowMs) }
}

test('a burst passes at once, and later calls are spread over time', () => {
  const { call } = pace()
  expect([call(), call(), call(), call(), call()]).toEqual([0, 0, 0, 10, 20])
})

test('a call that would wait too long is refused and delays no other', () => {
  const { time, call } = pace()
  const waits = Array.from({ length: 20 }, () => call())
  expect(waits.filter((wait) => wait === null)).toHaveLength(12)
  expect(waits[7]).toBe(50)
  time.nowMs += 10
  expect([call(), call()]).toEqual([50, null])
})

test('elapsed time restores the budget, up to a burst', () => {
  const { time, call } = pace()
  for (let n = 0; n < 8; n += 1) call()
  time.nowMs += 60_000
  expect([call(), call(), call(), call()]).toEqual([0, 0, 0, 10])
})

test('a clock that is set back delays no call', () => {
  const { time, call } = pace()
  for (let n = 0; n < 8; n += 1) call()
  time.nowMs -= 60_000
  expect([call(), call(), call()]).toEqual([0, 0, 0])
})
